// SPDX-License-Identifier: BSD-3-Clause
/* Reads the rank, bounds and extents of an array from its DWARF type. */
#include "dwarf/type/shape.h"

#include <dwarf.h>
#include <string.h>

#include "dwarf/type/die.h"

/* Returns true if the bounds of the dimension are signed, which is the default. */
static bool has_signed_bounds(Dwarf_Die *dimension)
{
	Dwarf_Word encoding = DW_ATE_signed;
	Dwarf_Attribute attribute;
	Dwarf_Die type;

	if (memphis_type_declared(dimension, &type) && !dwarf_peel_type(&type, &type) &&
	    dwarf_attr_integrate(&type, DW_AT_encoding, &attribute))
		dwarf_formudata(&attribute, &encoding);
	return encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
}

/*
 * Reads a constant bound, or the number of elements, of a dimension. Compilers use as few bytes as possible:
 * an unsigned 199 is stored as 0xc7, which would be -57 if it were signed.
 */
static bool read_bound(Dwarf_Die *dimension, unsigned int name, int64_t *bound)
{
	Dwarf_Attribute attribute;
	Dwarf_Word number;

	if (name != DW_AT_count && has_signed_bounds(dimension))
		return memphis_die_number(dimension, name, bound);
	if (!dwarf_attr_integrate(dimension, name, &attribute) || dwarf_formudata(&attribute, &number) ||
	    number > INT64_MAX)
		return false;
	*bound = (int64_t)number;
	return true;
}

void memphis_shape_read(Dwarf_Die *array, bool fortran, struct memphis_shape *shape)
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
		if (read_bound(&child, DW_AT_lower_bound, &number))
			shape->lower[i] = number;
		if (read_bound(&child, DW_AT_count, &number) && number > 0)
			shape->extent[i] = (uint64_t)number;
		else if (read_bound(&child, DW_AT_upper_bound, &number) && number >= shape->lower[i])
			shape->extent[i] = (uint64_t)number - (uint64_t)shape->lower[i] + 1;
	} while (!dwarf_siblingof(&child, &child));
	shape->count = shape->rank ? 1 : 0;
	for (i = 0; i < shape->rank; i++)
		if (__builtin_mul_overflow(shape->count, shape->extent[i], &shape->count))
			shape->count = 0;
}

/* In Fortran, the first index varies fastest (column-major). In C, the last one does (row-major). */
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

static void append_range(struct memphis_text *text, int64_t first, int64_t last, const char *unit)
{
	memphis_text_print(text, "%lld%s", (long long)first, unit);
	if (last != first)
		memphis_text_print(text, "..%lld%s", (long long)last, unit);
}

/*
 * Returns the number of elements with the same index in the slowest dimension, which has number `slowest`.
 * Returns 0 if it is unknown.
 */
static uint64_t slice_elements(const struct memphis_shape *shape, unsigned int slowest)
{
	uint64_t slice = 1;
	unsigned int i;

	for (i = 0; i < shape->rank; i++)
		if (i != slowest && __builtin_mul_overflow(slice, shape->extent[i], &slice))
			return 0;
	return slice;
}

bool memphis_shape_put_part(const struct memphis_shape *shape, bool fortran, uint64_t first, uint64_t last,
			    uint64_t elements, struct memphis_text *text)
{
	const unsigned int slowest = fortran && shape->rank ? shape->rank - 1 : 0;
	const char *unit = "";
	uint64_t slice, extent;
	int64_t lower;
	unsigned int i;

	if (!shape->rank || first > last || last >= elements || elements > INT64_MAX / 100)
		return false;
	slice = slice_elements(shape, slowest);
	lower = shape->lower[slowest];
	if (slice) {
		extent = (elements + slice - 1) / slice;
		first /= slice;
		last /= slice;
	} else if (fortran) {
		/* Use percent: the slowest dimension divides the array into equal parts, whatever the other extents are. */
		unit = "%";
		extent = 100;
		lower = 0;
		first = first * 100 / elements;
		last = ((last + 1) * 100 + elements - 1) / elements;
	} else {
		return false;
	}
	if (last - first + 1 >= extent)
		return false;
	memphis_text_put(text, fortran ? "(" : "[");
	for (i = 0; fortran && i < slowest; i++)
		memphis_text_put(text, ":,");
	append_range(text, lower + (int64_t)first, lower + (int64_t)last, unit);
	memphis_text_put(text, fortran ? ")" : "]");
	return true;
}
