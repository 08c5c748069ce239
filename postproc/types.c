// SPDX-License-Identifier: BSD-3-Clause
/* Questions to DWARF types: how large a variable is, and what stands at an offset in it. */
#include "types.h"

#include <dwarf.h>
#include <string.h>

#define TYPE_DEPTH_MAX 32

bool memphis_is_fortran(Dwarf_Die *unit)
{
	switch (dwarf_srclang(unit)) {
	case DW_LANG_Fortran77:
	case DW_LANG_Fortran90:
	case DW_LANG_Fortran95:
	case DW_LANG_Fortran03:
	case DW_LANG_Fortran08:
		return true;
	}
	return false;
}

/* The type of `die` without typedefs and qualifiers. */
static bool type_of(Dwarf_Die *die, Dwarf_Die *type)
{
	Dwarf_Attribute attribute;

	return dwarf_attr_integrate(die, DW_AT_type, &attribute) && dwarf_formref_die(&attribute, type) &&
	       dwarf_peel_type(type, type) == 0;
}

/*
 * A Fortran array that is reached through a descriptor: the variable is the descriptor. gfortran's has a
 * head of 40 bytes and 24 for each dimension.
 */
static bool is_descriptor(Dwarf_Die *type)
{
	Dwarf_Attribute attribute;

	return dwarf_tag(type) == DW_TAG_array_type && dwarf_attr(type, DW_AT_data_location, &attribute);
}

static uint64_t descriptor_bytes(Dwarf_Die *type)
{
	Dwarf_Die child;
	uint64_t bytes = 40;

	if (dwarf_child(type, &child))
		return 0;
	do {
		if (dwarf_tag(&child) == DW_TAG_subrange_type)
			bytes += 24;
	} while (!dwarf_siblingof(&child, &child));
	return bytes;
}

static uint64_t bytes_of_type(Dwarf_Die *type)
{
	Dwarf_Word bytes;

	if (is_descriptor(type))
		return descriptor_bytes(type);
	return dwarf_aggregate_size(type, &bytes) ? 0 : bytes;
}

uint64_t memphis_type_bytes(Dwarf_Die *variable)
{
	Dwarf_Die type;

	return type_of(variable, &type) ? bytes_of_type(&type) : 0;
}

/* The member of the structure that holds `offset`; *offset becomes the offset in it. */
static bool member_at(Dwarf_Die *structure, uint64_t *offset, Dwarf_Die *member, Dwarf_Die *type)
{
	Dwarf_Attribute attribute;
	Dwarf_Word place;
	uint64_t bytes;

	if (dwarf_child(structure, member))
		return false;
	do {
		int tag = dwarf_tag(member);

		if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) || !type_of(member, type))
			continue;
		place = 0;
		if (dwarf_attr(member, DW_AT_data_member_location, &attribute) &&
		    dwarf_formudata(&attribute, &place))
			continue;
		bytes = bytes_of_type(type);
		if (*offset < place || *offset - place >= bytes)
			continue;
		*offset -= place;
		return true;
	} while (!dwarf_siblingof(member, member));
	return false;
}

static enum memphis_holder_rank descriptor_rank(Dwarf_Die *type, uint64_t offset)
{
	Dwarf_Attribute attribute;

	if (offset)
		return MEMPHIS_HOLDER_OTHER;
	return dwarf_attr(type, DW_AT_allocated, &attribute) ? MEMPHIS_HOLDER_ALLOCATABLE
							     : MEMPHIS_HOLDER_POINTER_ARRAY;
}

/* Steps into one level of `type`: array element or member. False when there is nothing to step into. */
static bool step_into(Dwarf_Die *type, uint64_t *offset, bool fortran, struct memphis_text *path)
{
	Dwarf_Die member, next;
	const char *name;
	uint64_t bytes;

	switch (dwarf_tag(type)) {
	case DW_TAG_array_type:
		if (!type_of(type, &next))
			return false;
		bytes = bytes_of_type(&next);
		if (!bytes)
			return false;
		*offset %= bytes;
		memphis_text_put(path, fortran ? "()" : "[]");
		break;
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
		if (!member_at(type, offset, &member, &next))
			return false;
		name = dwarf_tag(&member) == DW_TAG_member ? dwarf_diename(&member) : NULL;
		/* What containers of the standard library are made of is not their users' matter. */
		if (name && strncmp(name, "_M_", 3) && strncmp(name, "__", 2))
			memphis_text_print(path, "%s%s", fortran ? "%" : ".", name);
		break;
	default:
		return false;
	}
	*type = next;
	return true;
}

enum memphis_holder_rank memphis_type_holder(Dwarf *dwarf, Dwarf_Off variable, uint64_t offset, bool fortran,
					     struct memphis_text *path)
{
	Dwarf_Die die, type;
	bool in_array = false;
	int depth;

	if (!dwarf_offdie(dwarf, variable, &die) || !type_of(&die, &type))
		return MEMPHIS_HOLDER_SYMBOL;
	for (depth = 0; depth < TYPE_DEPTH_MAX; depth++) {
		if (is_descriptor(&type))
			return descriptor_rank(&type, offset);
		switch (dwarf_tag(&type)) {
		case DW_TAG_pointer_type:
		case DW_TAG_reference_type:
		case DW_TAG_rvalue_reference_type:
			if (offset)
				return MEMPHIS_HOLDER_OTHER;
			/* A table of void pointers is some registry, and names nothing. */
			return in_array && !type_of(&type, &die) ? MEMPHIS_HOLDER_SYMBOL
								 : MEMPHIS_HOLDER_POINTER;
		}
		in_array |= dwarf_tag(&type) == DW_TAG_array_type;
		if (!step_into(&type, &offset, fortran, path))
			break;
	}
	return MEMPHIS_HOLDER_OTHER;
}
