// SPDX-License-Identifier: BSD-3-Clause
/* Computes the size of array cookies from the element type. */
#include "name/cookie.h"

#include <dwarf.h>
#include <stdbool.h>

#include "dwarf/type/types.h"

#define DEPTH_MAX     16
#define ALIGNMENT_MAX (1 << 20)

static uint64_t number(Dwarf_Die *die, unsigned int name, uint64_t otherwise)
{
	Dwarf_Attribute attribute;
	Dwarf_Word value;

	return dwarf_attr_integrate(die, name, &attribute) && !dwarf_formudata(&attribute, &value)
		       ? value
		       : otherwise;
}

static bool is_class(Dwarf_Die *type)
{
	int tag = dwarf_tag(type);

	return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

/* Returns true if the DIE is a base class or a non-static member, both of which occupy space. */
static bool is_part(Dwarf_Die *die, Dwarf_Die *type)
{
	int tag = dwarf_tag(die);

	return (tag == DW_TAG_inheritance || tag == DW_TAG_member) && !dwarf_hasattr(die, DW_AT_external) &&
	       !dwarf_hasattr(die, DW_AT_declaration) && memphis_type_of(die, type);
}

/*
 * Returns true if the DIE is a user-provided destructor. A destructor defaulted in the class does not count,
 * as it only calls the destructors of the parts.
 */
static bool is_destructor(Dwarf_Die *die)
{
	const char *name = dwarf_tag(die) == DW_TAG_subprogram ? dwarf_diename(die) : NULL;

	return name && *name == '~' &&
	       number(die, DW_AT_defaulted, DW_DEFAULTED_no) != DW_DEFAULTED_in_class &&
	       !dwarf_hasattr(die, DW_AT_artificial);
}

/* Returns true if the destructor must be called for objects of the type. */
static bool needs_destruction(Dwarf_Die *type, unsigned int depth)
{
	Dwarf_Die child, part;

	if (depth == DEPTH_MAX)
		return false;
	if (dwarf_tag(type) == DW_TAG_array_type)
		return memphis_type_of(type, &part) && needs_destruction(&part, depth + 1);
	if (!is_class(type) || dwarf_child(type, &child))
		return false;
	do {
		if (is_destructor(&child) || (is_part(&child, &part) && needs_destruction(&part, depth + 1)))
			return true;
	} while (!dwarf_siblingof(&child, &child));
	return false;
}

static uint64_t alignment_of(Dwarf_Die *type, unsigned int depth)
{
	uint64_t most = number(type, DW_AT_alignment, 1), own, bytes;
	Dwarf_Die child, part;

	if (depth == DEPTH_MAX)
		return most;
	if (dwarf_tag(type) == DW_TAG_array_type && !dwarf_hasattr(type, DW_AT_GNU_vector)) {
		own = memphis_type_of(type, &part) ? alignment_of(&part, depth + 1) : 1;
		return own > most ? own : most;
	}
	if (!is_class(type)) {
		bytes = memphis_type_size(type, false);
		/*
		 * Wrong for complex numbers, which are aligned like one of their halves; but in C++ these are
		 * classes.
		 */
		return bytes > most && !(bytes & (bytes - 1)) ? bytes : most;
	}
	if (dwarf_child(type, &child))
		return most;
	do {
		if (!is_part(&child, &part))
			continue;
		own = alignment_of(&part, depth + 1);
		most = own > most ? own : most;
		own = number(&child, DW_AT_alignment, 1);
		most = own > most ? own : most;
	} while (!dwarf_siblingof(&child, &child));
	return most;
}

uint64_t memphis_cookie_bytes(Dwarf_Die *type, uint64_t bytes)
{
	uint64_t element = memphis_type_size(type, false), cookie;

	if (!element || !(is_class(type) || dwarf_tag(type) == DW_TAG_array_type) ||
	    !needs_destruction(type, 0))
		return 0;
	cookie = alignment_of(type, 0);
	if (cookie < sizeof(uint64_t))
		cookie = sizeof(uint64_t);
	/*
	 * The elements must fill the rest of the block exactly. If they do not, there is no cookie, as in
	 * memory that containers allocate. If the size of the cookie is a multiple of the element size, there
	 * may or may not be a cookie, but offsets within an element are the same.
	 */
	if (cookie > ALIGNMENT_MAX || cookie % element == 0 || bytes <= cookie)
		return 0;
	return (bytes - cookie) % element == 0 ? cookie : 0;
}
