// SPDX-License-Identifier: BSD-3-Clause
/* Reads the rank, bounds and extents of an array from its DWARF type. */
#include "dwarf/shape.h"

#include <dwarf.h>
#include <string.h>

bool memphis_die_number(Dwarf_Die *die, unsigned int name, int64_t *value)
{
	Dwarf_Attribute attribute;
	Dwarf_Sword number;

	if (!dwarf_attr_integrate(die, name, &attribute) || dwarf_formsdata(&attribute, &number))
		return false;
	*value = number;
	return true;
}

void memphis_shape_of(Dwarf_Die *array, bool fortran, struct memphis_shape *shape)
{
	Dwarf_Die child;
	int64_t number;
	unsigned int i;

	memset(shape, 0, sizeof(*shape));
	if (dwarf_child(array, &child))
		return;
	do {
		if (dwarf_tag(&child) != DW_TAG_subrange_type || shape->rank == MEMPHIS_RANK_MAX)
			continue;
		i = shape->rank++;
		shape->lower[i] = fortran;
		if (memphis_die_number(&child, DW_AT_lower_bound, &number))
			shape->lower[i] = number;
		if (memphis_die_number(&child, DW_AT_count, &number) && number > 0)
			shape->extent[i] = (uint64_t)number;
		else if (memphis_die_number(&child, DW_AT_upper_bound, &number) && number >= shape->lower[i])
			shape->extent[i] = (uint64_t)number - (uint64_t)shape->lower[i] + 1;
	} while (!dwarf_siblingof(&child, &child));
	shape->count = shape->rank ? 1 : 0;
	for (i = 0; i < shape->rank; i++)
		if (__builtin_mul_overflow(shape->count, shape->extent[i], &shape->count))
			shape->count = 0;
}

/* Fortran is column-major, so the first index varies fastest; C is row-major. */
void memphis_shape_put_indices(const struct memphis_shape *shape, bool fortran, uint64_t at,
			       struct memphis_text *path)
{
	int64_t index[MEMPHIS_RANK_MAX];
	unsigned int i, dimension;

	for (i = 0; i < shape->rank; i++) {
		dimension = fortran ? i : shape->rank - 1 - i;
		index[dimension] = shape->lower[dimension];
		if (i + 1 == shape->rank) {
			index[dimension] = (int64_t)((uint64_t)index[dimension] + at);
		} else if (shape->extent[dimension]) {
			index[dimension] =
				(int64_t)((uint64_t)index[dimension] + at % shape->extent[dimension]);
			at /= shape->extent[dimension];
		}
	}
	for (i = 0; i < shape->rank; i++) {
		if (fortran)
			memphis_text_print(path, "%s%lld", i ? "," : "(", (long long)index[i]);
		else
			memphis_text_print(path, "[%lld]", (long long)index[i]);
	}
	if (fortran && shape->rank)
		memphis_text_put(path, ")");
}
