// SPDX-License-Identifier: BSD-3-Clause
/* Array descriptors: each compiler has its own format, which the expressions for the bounds of the array give away. */
#include "dwarf/type/descriptor.h"

#include <dwarf.h>
#include <stddef.h>

#define ADDRESS_BYTES   8
#define DIMENSION_BYTES 24 /* lower bound, stride, and upper bound or extent */
#define NOT_READ        UINT64_MAX

/* A format: a header, followed by three words for each dimension. */
struct format {
	/* offsets of words of the first dimension: the lower bound, and the upper bound or the extent */
	uint64_t lower, end;
	uint64_t header_bytes;
	uint64_t derived_bytes; /* what follows the dimensions if the elements are of a derived type */
};

static const struct format formats[] = {
	/* gfortran 8 and later: libgfortran.h */
	{48, 56, 40, 0},
	/* LLVM's flang: its ISO_Fortran_binding.h; for derived types, the addendum of runtime/descriptor.h */
	{24, 32, 24, 16},
	/* ifx, not tested: "Handling Fortran Array Descriptors" in Intel's developer guide */
	{64, 48, 48, 0},
};

bool memphis_is_descriptor(Dwarf_Die *type)
{
	Dwarf_Attribute attribute;

	return dwarf_tag(type) == DW_TAG_array_type && dwarf_attr(type, DW_AT_data_location, &attribute);
}

/* Returns the offset in the descriptor of the first word that the expression of the attribute reads, or NOT_READ. */
static uint64_t offset_read(Dwarf_Die *dimension, unsigned int name)
{
	Dwarf_Attribute attribute;
	size_t count, i;
	Dwarf_Op *ops;

	if (!dwarf_attr(dimension, name, &attribute) || dwarf_getlocation(&attribute, &ops, &count))
		return NOT_READ;
	for (i = 0; i + 1 < count; i++)
		if (ops[i].atom == DW_OP_push_object_address && ops[i + 1].atom == DW_OP_plus_uconst)
			return ops[i + 1].number;
	return NOT_READ;
}

static const struct format *format_of(Dwarf_Die *dimension)
{
	uint64_t lower = offset_read(dimension, DW_AT_lower_bound),
		 end = offset_read(dimension, DW_AT_upper_bound);
	const struct format *format;
	size_t i;

	if (end == NOT_READ)
		end = offset_read(dimension, DW_AT_count);
	if (lower == NOT_READ && end == NOT_READ)
		return NULL;
	for (i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
		format = &formats[i];
		if ((lower == NOT_READ || lower == format->lower) && (end == NOT_READ || end == format->end))
			return format;
	}
	return NULL;
}

uint64_t memphis_descriptor_bytes(Dwarf_Die *type, bool derived)
{
	const struct format *format = NULL;
	Dwarf_Die child;
	uint64_t dimensions = 0;

	if (dwarf_child(type, &child))
		return ADDRESS_BYTES;
	do {
		if (dwarf_tag(&child) != DW_TAG_subrange_type)
			continue;
		if (!dimensions)
			format = format_of(&child);
		dimensions++;
	} while (!dwarf_siblingof(&child, &child));
	if (!format)
		return ADDRESS_BYTES;
	return format->header_bytes + DIMENSION_BYTES * dimensions + (derived ? format->derived_bytes : 0);
}
