// SPDX-License-Identifier: BSD-3-Clause
/* The members and base classes of a structure, with their places. */
#include "dwarf/type_part.h"

#include <dwarf.h>
#include <stdlib.h>

#include "base/error.h"
#include "dwarf/shape.h"
#include "dwarf/types.h"

#define DEPTH_MAX 32

static bool is_structure(Dwarf_Die *type)
{
	int tag = dwarf_tag(type);

	return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

static bool is_part(Dwarf_Die *member, Dwarf_Die *type)
{
	int tag = dwarf_tag(member);

	/* Static members occupy no space. */
	return (tag == DW_TAG_member || tag == DW_TAG_inheritance) &&
	       !dwarf_hasattr(member, DW_AT_external) && !dwarf_hasattr(member, DW_AT_declaration) &&
	       memphis_type_of(member, type);
}

/* Cache of types found to be empty: each type is examined only once, even if many others contain it. */
struct empty_types {
	const void **list;
	size_t count, room;
};

static bool is_known_empty(const struct empty_types *known, const Dwarf_Die *type)
{
	size_t i;

	for (i = 0; i < known->count; i++)
		if (known->list[i] == type->addr)
			return true;
	return false;
}

/* Returns true if the type is a structure without data. Caches only empty types: others end the search. */
static bool has_no_data(Dwarf_Die *type, unsigned int depth, struct empty_types *known)
{
	Dwarf_Die member, part;
	const void **kept;

	if (!is_structure(type) || depth == DEPTH_MAX)
		return false;
	if (is_known_empty(known, type))
		return true;
	if (!dwarf_child(type, &member)) {
		do {
			if (is_part(&member, &part) && !has_no_data(&part, depth + 1, known))
				return false;
		} while (!dwarf_siblingof(&member, &member));
	}
	kept = memphis_append(known->list, known->count, known->room);
	if (kept)
		*kept = type->addr;
	return true;
}

/* Returns true if the type has no data, like allocators; another member then has the same address. */
static bool is_empty(Dwarf_Die *type)
{
	struct empty_types known = {0};
	bool empty = has_no_data(type, 0, &known);

	free(known.list);
	return empty;
}

/* Finds the offset and size of a member. Returns false if they are missing or computed at run time. */
static bool member_place(Dwarf_Die *member, Dwarf_Die *type, bool fortran, uint64_t *place, uint64_t *bytes)
{
	Dwarf_Attribute attribute;
	int64_t size, from_top, from_low, unit;
	Dwarf_Word at = 0, bits;

	*bytes = memphis_type_size(type, fortran);
	if (dwarf_attr(member, DW_AT_data_bit_offset, &attribute)) {
		/* A bit-field covers all bytes that it overlaps. */
		if (dwarf_formudata(&attribute, &at) || !dwarf_attr(member, DW_AT_bit_size, &attribute) ||
		    dwarf_formudata(&attribute, &bits))
			return false;
		*place = at / 8;
		*bytes = (at % 8 + bits + 7) / 8;
		return true;
	}
	if (dwarf_attr(member, DW_AT_data_member_location, &attribute) && dwarf_formudata(&attribute, &at))
		return false;
	*place = at;
	/* DWARF before version 5 counts bits from the most significant end, even on little-endian CPUs. */
	if (memphis_die_number(member, DW_AT_bit_size, &size) &&
	    memphis_die_number(member, DW_AT_bit_offset, &from_top)) {
		if (!memphis_die_number(member, DW_AT_byte_size, &unit))
			unit = (int64_t)*bytes;
		if (size <= 0 || unit < 0 || unit > 64 || from_top > unit * 8 - size || from_top < -512)
			return false;
		from_low = unit * 8 - from_top - size;
		*place += (uint64_t)from_low / 8;
		*bytes = (uint64_t)(from_low % 8 + size + 7) / 8;
	}
	return true;
}

bool memphis_type_part(Dwarf_Die *member, Dwarf_Die *type, bool fortran, uint64_t *place, uint64_t *bytes)
{
	return is_part(member, type) && member_place(member, type, fortran, place, bytes) && !is_empty(type);
}
