// SPDX-License-Identifier: BSD-3-Clause
/* Reads single attributes and tags of a debugging information entry (DIE). */
#include "dwarf/type/die.h"

#include <dwarf.h>

bool memphis_die_is_structure(Dwarf_Die *type)
{
	int tag = dwarf_tag(type);

	return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

bool memphis_die_is_pointer(Dwarf_Die *type)
{
	int tag = dwarf_tag(type);

	return tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type ||
	       tag == DW_TAG_rvalue_reference_type;
}

bool memphis_die_is_descriptor(Dwarf_Die *type)
{
	return dwarf_tag(type) == DW_TAG_array_type && dwarf_hasattr(type, DW_AT_data_location);
}

bool memphis_die_is_part(Dwarf_Die *die)
{
	int tag = dwarf_tag(die);

	return (tag == DW_TAG_member || tag == DW_TAG_inheritance) && !dwarf_hasattr(die, DW_AT_external) &&
	       !dwarf_hasattr(die, DW_AT_declaration);
}

bool memphis_die_number(Dwarf_Die *die, unsigned int name, int64_t *value)
{
	Dwarf_Attribute attribute;
	Dwarf_Sword number;

	if (!dwarf_attr_integrate(die, name, &attribute) || dwarf_formsdata(&attribute, &number))
		return false;
	*value = number;
	return true;
}

bool memphis_type_declared(const Dwarf_Die *die, Dwarf_Die *type)
{
	Dwarf_Attribute attribute;
	Dwarf_Die at = *die;

	if (dwarf_attr_integrate(&at, DW_AT_type, &attribute) && dwarf_formref_die(&attribute, type))
		return true;
	type->addr = NULL;
	return false;
}
