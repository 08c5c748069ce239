// SPDX-License-Identifier: BSD-3-Clause
/* Infers the layout of COMMON blocks whose DWARF has no member locations. */
#include "dwarf/commons.h"

#include <dwarf.h>

#include "dwarf/type/types.h"

#define DEPTH_MAX 32

const char *memphis_common_symbol(Dwarf_Die *block)
{
	Dwarf_Attribute attribute;
	Dwarf_Die member;

	if (dwarf_child(block, &member))
		return NULL;
	do {
		if (dwarf_tag(&member) == DW_TAG_variable && dwarf_hasattr(&member, DW_AT_location))
			return NULL;
	} while (!dwarf_siblingof(&member, &member));
	return dwarf_formstring(dwarf_attr(block, DW_AT_linkage_name, &attribute));
}

/* Returns the alignment of the type in bytes; 0 if it is unknown. */
static uint64_t alignment_of(Dwarf_Die *type)
{
	Dwarf_Attribute attribute;
	Dwarf_Word encoding;
	int depth, bytes;

	for (depth = 0; dwarf_tag(type) == DW_TAG_array_type; depth++)
		if (depth == DEPTH_MAX || !memphis_type_of(type, type))
			return 0;
	if (dwarf_tag(type) == DW_TAG_string_type)
		return 1;
	bytes = dwarf_bytesize(type);
	if (dwarf_tag(type) != DW_TAG_base_type || bytes <= 0 ||
	    !dwarf_attr(type, DW_AT_encoding, &attribute) || dwarf_formudata(&attribute, &encoding))
		return 0;
	/* A complex number has the alignment of its real part. */
	if (encoding == DW_ATE_complex_float)
		bytes /= 2;
	return (uint64_t)bytes;
}

static int each_member(Dwarf_Die *block, uint64_t *end,
		       int (*visit)(void *context, Dwarf_Die *member, uint64_t offset, uint64_t bytes),
		       void *context)
{
	uint64_t bytes, alignment;
	Dwarf_Die member, type;
	int rc = 0;

	*end = 0;
	if (dwarf_child(block, &member))
		return 0;
	do {
		bytes = dwarf_tag(&member) == DW_TAG_variable ? memphis_type_bytes(&member, true) : 0;
		alignment = bytes && memphis_type_of(&member, &type) ? alignment_of(&type) : 0;
		if (!alignment) {
			*end = 0;
			return 0;
		}
		*end = (*end + alignment - 1) / alignment * alignment;
		if (visit)
			rc = visit(context, &member, *end, bytes);
		*end += bytes;
	} while (!rc && !dwarf_siblingof(&member, &member));
	return rc;
}

int memphis_common_members(Dwarf_Die *block, uint64_t symbol_bytes,
			   int (*visit)(void *context, Dwarf_Die *member, uint64_t offset, uint64_t bytes),
			   void *context)
{
	uint64_t end;

	each_member(block, &end, NULL, NULL);
	return end && end == symbol_bytes ? each_member(block, &end, visit, context) : 0;
}
