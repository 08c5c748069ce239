// SPDX-License-Identifier: BSD-3-Clause
/* What a block is made of: the name on the line that allocates it is looked up as the compiler did, and its type followed. */
#include "dwarf/block_type.h"

#include <ctype.h>
#include <dwarf.h>
#include <string.h>
#include <strings.h>

#include "dwarf/types.h"
#include "dwarf/variables.h"

#define DEPTH_MAX 64

struct sought {
	uint64_t vaddr;
	const char *name; /* the first identifier */
	size_t bytes;
	bool fortran;
	Dwarf_Die variable;
};

enum found {
	ELSEWHERE, /* the instruction is not in there */
	NOT_FOUND, /* it is, but no such variable */
	FOUND
};

static bool is_name(const char *name, const char *wanted, size_t bytes, bool fortran)
{
	return name && strlen(name) == bytes &&
	       !(fortran ? strncasecmp(name, wanted, bytes) : strncmp(name, wanted, bytes));
}

static bool has_code(int tag)
{
	return tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine;
}

static bool is_around_code(int tag)
{
	return tag == DW_TAG_module || tag == DW_TAG_namespace || tag == DW_TAG_class_type ||
	       tag == DW_TAG_structure_type;
}

/* The innermost scope that has it counts. */
static enum found search(struct sought *sought, Dwarf_Die *parent, unsigned int depth)
{
	enum found found = ELSEWHERE, here;
	Dwarf_Die die;
	int tag;

	if (depth > DEPTH_MAX || dwarf_child(parent, &die))
		return ELSEWHERE;
	do {
		tag = dwarf_tag(&die);
		if (has_code(tag) && dwarf_haspc(&die, sought->vaddr) > 0) {
			here = search(sought, &die, depth + 1);
			if (here == ELSEWHERE)
				here = NOT_FOUND;
		} else if (tag == DW_TAG_subprogram || is_around_code(tag)) {
			here = search(sought, &die, depth + 1);
		} else {
			continue;
		}
		if (here == FOUND)
			return FOUND;
		if (here == NOT_FOUND)
			found = NOT_FOUND;
	} while (!dwarf_siblingof(&die, &die));
	if ((found == ELSEWHERE &&
	     !(has_code(dwarf_tag(parent)) && dwarf_haspc(parent, sought->vaddr) > 0)) ||
	    dwarf_child(parent, &die))
		return found;
	do {
		tag = dwarf_tag(&die);
		if ((tag == DW_TAG_variable || tag == DW_TAG_formal_parameter) &&
		    is_name(dwarf_diename(&die), sought->name, sought->bytes, sought->fortran)) {
			sought->variable = die;
			return FOUND;
		}
	} while (!dwarf_siblingof(&die, &die));
	return NOT_FOUND;
}

/* In the function and around it. */
static bool find_in_scopes(struct sought *sought, Dwarf *dwarf)
{
	Dwarf_Die die, split;
	Dwarf_CU *cu = NULL;
	uint8_t type;

	while (dwarf_get_units(dwarf, cu, &cu, NULL, &type, &die, &split) == 0) {
		if (dwarf_haspc(&die, sought->vaddr) < 1)
			continue;
		if (type == DW_UT_skeleton && split.addr)
			die = split;
		sought->fortran = memphis_is_fortran(&die);
		return search(sought, &die, 0) == FOUND;
	}
	return false;
}

/* Variables of other modules and units: if there is only one of the name. */
static bool find_static(struct sought *sought, const struct memphis_variables *variables)
{
	const struct memphis_static *found = NULL;
	size_t i;

	for (i = 0; i < variables->count; i++) {
		if (!variables->list[i].die.addr ||
		    !is_name(variables->list[i].short_name, sought->name, sought->bytes, sought->fortran))
			continue;
		if (found && strcmp(found->name, variables->list[i].name) != 0)
			return false;
		found = &variables->list[i];
	}
	if (found)
		sought->variable = found->die;
	return found;
}

static bool find_variable(struct sought *sought, Dwarf *dwarf, const struct memphis_variables *variables)
{
	/* Of what a program of Fortran uses, its units say less. */
	return find_in_scopes(sought, dwarf) || (sought->fortran && find_static(sought, variables));
}

static bool is_indirect(Dwarf_Die *type)
{
	int tag = dwarf_tag(type);

	return tag == DW_TAG_array_type || tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type ||
	       tag == DW_TAG_rvalue_reference_type;
}

/* The member of that name, also of a base or an anonymous union. */
static bool find_member(Dwarf_Die *structure, const char *name, size_t bytes, bool fortran,
			unsigned int depth, Dwarf_Die *type)
{
	const char *own;
	Dwarf_Die die;
	int tag;

	if (depth > DEPTH_MAX || dwarf_child(structure, &die))
		return false;
	do {
		tag = dwarf_tag(&die);
		if (tag != DW_TAG_member && tag != DW_TAG_inheritance)
			continue;
		own = dwarf_diename(&die);
		if (!memphis_type_of(&die, type))
			continue;
		if (is_name(own, name, bytes, fortran) ||
		    ((!own || tag == DW_TAG_inheritance) &&
		     find_member(type, name, bytes, fortran, depth + 1, type)))
			return true;
	} while (!dwarf_siblingof(&die, &die));
	return false;
}

/* Follows "->tx", "%edge%low", "[]" from the variable's type on. */
static bool follow(Dwarf_Die *type, const char *way, bool fortran)
{
	size_t bytes;
	int depth;

	while (*way) {
		if (*way == '[' || *way == '(') {
			way += strcspn(way, "])");
			way += *way != 0;
			/* Fortran's subscripts are of the array that the next component is sought in anyway. */
			if (!fortran && (!is_indirect(type) || !memphis_type_of(type, type)))
				return false;
			continue;
		}
		way += strspn(way, ".->% ");
		for (bytes = 0; isalnum((unsigned char)way[bytes]) || way[bytes] == '_'; bytes++)
			;
		for (depth = 0; depth < DEPTH_MAX && is_indirect(type); depth++)
			if (!memphis_type_of(type, type))
				return false;
		if (!bytes || !find_member(type, way, bytes, fortran, 0, type))
			return false;
		way += bytes;
	}
	return true;
}

bool memphis_element_of_name(struct memphis_binaries *binaries, struct memphis_binary *binary, uint64_t vaddr,
			     const char *name, Dwarf_Die *element, bool *fortran)
{
	const struct memphis_variables *variables = memphis_variables_of(binaries, binary);
	struct sought sought = {.vaddr = vaddr, .name = name};
	struct memphis_text path = {0};
	bool found = false;
	Dwarf_Die type;

	while (isalnum((unsigned char)name[sought.bytes]) || name[sought.bytes] == '_')
		sought.bytes++;
	element->addr = NULL;
	if (!variables || !sought.bytes)
		return false;
	pthread_mutex_lock(&binary->lock);
	if (binary->dwarf && find_variable(&sought, binary->dwarf, variables) &&
	    memphis_type_of(&sought.variable, &type) && follow(&type, name + sought.bytes, sought.fortran))
		found = memphis_type_pointer_of(&type, sought.fortran, &path, element) <
				MEMPHIS_POINTER_OTHER &&
			element->addr;
	pthread_mutex_unlock(&binary->lock);
	memphis_text_close(&path);
	*fortran = sought.fortran;
	return found;
}
