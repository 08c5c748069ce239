// SPDX-License-Identifier: BSD-3-Clause
/* Compares definitions of one type by different units. */
#include "dwarf/type/same_layout.h"

#include <dwarf.h>
#include <string.h>

#include "dwarf/type/shape.h"

#define DEPTH_MAX 12 /* structures in structures; deeper ones count as different */
#define PARTS_MAX \
	100000 /* members to compare, as often as they are reached: structures with more count as different */

struct comparison {
	memphis_same_name *same_name;
	const void *context;
	unsigned int *parts; /* number of compared members */
};

bool memphis_is_structure(Dwarf_Die *type)
{
	int tag = dwarf_tag(type);

	return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

bool memphis_same_kind(Dwarf_Die *a, Dwarf_Die *b)
{
	return memphis_is_structure(a) && memphis_is_structure(b) &&
	       (dwarf_tag(a) == DW_TAG_union_type) == (dwarf_tag(b) == DW_TAG_union_type);
}

static bool is_named(const char *a, const char *b)
{
	/* Compilers write the hidden pointer of a class with virtual functions as "_vptr.C" and "_vptr$C". */
	if (a && b && !strncmp(a, "_vptr", 5) && !strncmp(b, "_vptr", 5))
		return true;
	return a && b ? !strcmp(a, b) : a == b;
}

/* Returns true if both lack the attribute, or have the same constant. */
static bool same_number(Dwarf_Die *a, Dwarf_Die *b, unsigned int attribute)
{
	int64_t one = -1, other = -1;
	const bool has_one = memphis_die_number(a, attribute, &one),
		   has_other = memphis_die_number(b, attribute, &other);

	return has_one == has_other && one == other;
}

static bool has_type(Dwarf_Die *die, Dwarf_Die *type)
{
	Dwarf_Attribute attribute;

	return dwarf_attr_integrate(die, DW_AT_type, &attribute) && dwarf_formref_die(&attribute, type) &&
	       dwarf_peel_type(type, type) == 0;
}

static bool same_structure(const struct comparison *comparison, Dwarf_Die *a, Dwarf_Die *b, int depth);
static bool same_target(const struct comparison *comparison, Dwarf_Die *a, Dwarf_Die *b, int depth);

static bool is_declared(Dwarf_Die *type)
{
	return dwarf_hasattr(type, DW_AT_declaration) || dwarf_hasattr(type, DW_AT_signature);
}

static bool same_arrays(Dwarf_Die *a, Dwarf_Die *b)
{
	struct memphis_shape one, other;

	memphis_shape_of(a, false, &one);
	memphis_shape_of(b, false, &other);
	return one.rank == other.rank && !memcmp(one.extent, other.extent, sizeof(one.extent));
}

/* Compares types without typedefs and qualifiers; of structures, only the names if `named`. */
static bool same_plain(const struct comparison *comparison, Dwarf_Die *a, Dwarf_Die *b, bool named, int depth)
{
	if (a->addr == b->addr)
		return true;
	if (depth == DEPTH_MAX)
		return false;
	if (memphis_same_kind(a, b)) {
		if (!dwarf_diename(a) && !dwarf_diename(b))
			return same_structure(comparison, a, b, depth + 1);
		return comparison->same_name(comparison->context, a, b) &&
		       (named || is_declared(a) || is_declared(b) ||
			same_structure(comparison, a, b, depth + 1));
	}
	if (dwarf_tag(a) != dwarf_tag(b))
		return false;
	switch (dwarf_tag(a)) {
	case DW_TAG_base_type:
		return same_number(a, b, DW_AT_encoding) && same_number(a, b, DW_AT_byte_size);
	case DW_TAG_enumeration_type:
		return is_named(dwarf_diename(a), dwarf_diename(b)) && same_number(a, b, DW_AT_byte_size);
	case DW_TAG_array_type:
		return same_arrays(a, b) && same_target(comparison, a, b, depth + 1);
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
	case DW_TAG_ptr_to_member_type:
		return same_target(comparison, a, b, depth + 1);
	case DW_TAG_subroutine_type:
	case DW_TAG_unspecified_type:
		return true;
	}
	return false;
}

/* Compares the targets of pointers, and the elements of arrays. */
static bool same_target(const struct comparison *comparison, Dwarf_Die *a, Dwarf_Die *b, int depth)
{
	Dwarf_Die one, other;
	const bool has_one = has_type(a, &one), has_other = has_type(b, &other);

	if (!has_one || !has_other)
		return has_one == has_other;
	return same_plain(comparison, &one, &other, dwarf_tag(a) != DW_TAG_array_type, depth);
}

/* Moves to the next child that occupies memory. Returns false at the end. */
static bool next_part(Dwarf_Die *parent, Dwarf_Die *part, bool *begun)
{
	int tag;

	do {
		if (*begun ? dwarf_siblingof(part, part) : dwarf_child(parent, part))
			return false;
		*begun = true;
		tag = dwarf_tag(part);
	} while ((tag != DW_TAG_member && tag != DW_TAG_inheritance) || dwarf_hasattr(part, DW_AT_external) ||
		 dwarf_hasattr(part, DW_AT_declaration));
	return true;
}

static bool same_part(const struct comparison *comparison, Dwarf_Die *a, Dwarf_Die *b, int depth)
{
	static const unsigned int numbers[] = {DW_AT_data_member_location, DW_AT_bit_size, DW_AT_bit_offset,
					       DW_AT_data_bit_offset};
	Dwarf_Die one, other;
	size_t i;

	if (++*comparison->parts > PARTS_MAX || dwarf_tag(a) != dwarf_tag(b) ||
	    !is_named(dwarf_diename(a), dwarf_diename(b)) || !has_type(a, &one) || !has_type(b, &other))
		return false;
	for (i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		if (!same_number(a, b, numbers[i]))
			return false;
	return same_plain(comparison, &one, &other, false, depth);
}

static bool same_structure(const struct comparison *comparison, Dwarf_Die *a, Dwarf_Die *b, int depth)
{
	bool begun_a = false, begun_b = false, has_a, has_b;
	Dwarf_Die one, other;

	if (depth == DEPTH_MAX || !memphis_same_kind(a, b) || !same_number(a, b, DW_AT_byte_size))
		return false;
	do {
		has_a = next_part(a, &one, &begun_a);
		has_b = next_part(b, &other, &begun_b);
		if (has_a != has_b || (has_a && !same_part(comparison, &one, &other, depth)))
			return false;
	} while (has_a);
	return true;
}

bool memphis_same_layout(Dwarf_Die *a, Dwarf_Die *b, memphis_same_name *same_name, const void *context)
{
	unsigned int parts = 0;
	const struct comparison comparison = {same_name, context, &parts};

	return same_structure(&comparison, a, b, 0);
}
