// SPDX-License-Identifier: BSD-3-Clause
/*
 * Compares the expression that DWARF has for an argument (DWARF 5, section 3.4.2, call site parameters) with the locations of variables: the argument is
 * the address of the variable whose location is the same expression.
 */
#include "dwarf/call_arguments.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdio.h>
#include <string.h>

#include "dwarf/symbols.h"
#include "dwarf/type/die.h"

#define DEPTH_MAX 64

/* DWARF's numbers of the registers that pass the first integers and addresses (System V ABI for x86-64, figure 3.4). */
static const unsigned int registers[] = {5, 4, 1, 2, 8, 9};

#define REGISTERS (sizeof(registers) / sizeof(*registers))

struct search {
	uint64_t return_vaddr;
	Dwarf_Die scope; /* the innermost function around the call, possibly inlined */
	Dwarf_Die site;  /* the call; addr is NULL if it was not found */
	Dwarf_Op value;  /* of the argument */
	uint64_t at;     /* instruction at which locations are read */
	const char *name;
	size_t found;
	bool is_structure; /* the variable is, so that its first component has the same address */
};

static bool returns_here(Dwarf_Die *site, uint64_t return_vaddr)
{
	static const unsigned int names[] = {DW_AT_call_return_pc, DW_AT_low_pc};
	Dwarf_Attribute attribute;
	Dwarf_Addr at;
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (dwarf_attr(site, names[i], &attribute) && !dwarf_formaddr(&attribute, &at))
			return at == return_vaddr;
	return false;
}

/* Finds the call in the function at `scope`, and the innermost function that contains it. */
static void find_site(struct search *search, Dwarf_Die *parent, unsigned int depth)
{
	Dwarf_Die die;
	int tag;

	if (depth == DEPTH_MAX || dwarf_child(parent, &die))
		return;
	do {
		tag = dwarf_tag(&die);
		if ((tag == DW_TAG_call_site || tag == DW_TAG_GNU_call_site) &&
		    returns_here(&die, search->return_vaddr))
			search->site = die;
		if (tag != DW_TAG_lexical_block && tag != DW_TAG_inlined_subroutine)
			continue;
		if (tag == DW_TAG_inlined_subroutine && dwarf_haspc(&die, search->return_vaddr - 1) > 0)
			search->scope = die;
		find_site(search, &die, depth + 1);
	} while (!search->site.addr && !dwarf_siblingof(&die, &die));
}

/* Reads an expression or location of one operation, which is valid at the instruction. */
static bool read_operation(Dwarf_Die *die, unsigned int name, uint64_t vaddr, Dwarf_Op *op)
{
	Dwarf_Attribute attribute;
	Dwarf_Op *ops;
	size_t count;

	if (!dwarf_attr_integrate(die, name, &attribute) ||
	    dwarf_getlocation_addr(&attribute, vaddr, &ops, &count, 1) != 1 || count != 1)
		return false;
	*op = ops[0];
	return true;
}

/* Reads the register of DW_OP_entry_value(DW_OP_regN): what the register held when the function was entered. */
static bool read_entry_value(Dwarf_Die *die, unsigned int name, uint64_t vaddr, Dwarf_Op *op)
{
	Dwarf_Attribute attribute, inner;
	Dwarf_Op *ops;
	size_t count;

	return dwarf_attr_integrate(die, name, &attribute) &&
	       dwarf_getlocation_addr(&attribute, vaddr, &ops, &count, 1) == 1 && count == 1 &&
	       (ops[0].atom == DW_OP_entry_value || ops[0].atom == DW_OP_GNU_entry_value) &&
	       !dwarf_getlocation_attr(&attribute, ops, &inner) && !dwarf_getlocation(&inner, &ops, &count) &&
	       count == 1 && ops[0].atom >= DW_OP_reg0 && ops[0].atom <= DW_OP_reg15 && (*op = ops[0], true);
}

static bool find_value(struct search *search, unsigned int position)
{
	static const unsigned int values[] = {DW_AT_call_value, DW_AT_GNU_call_site_value};
	Dwarf_Die die;
	Dwarf_Op place;
	size_t i;

	if (dwarf_child(&search->site, &die))
		return false;
	do {
		if (!read_operation(&die, DW_AT_location, search->return_vaddr - 1, &place) ||
		    place.atom != DW_OP_reg0 + registers[position])
			continue;
		for (i = 0; i < sizeof(values) / sizeof(*values); i++) {
			if (!read_operation(&die, values[i], search->return_vaddr - 1, &search->value))
				continue;
			if (!read_entry_value(&die, values[i], search->return_vaddr - 1, &place))
				return true;
			/* When the function is entered, its argument is where the register points to. */
			search->value = (Dwarf_Op){.atom = (uint8_t)(DW_OP_breg0 + place.atom - DW_OP_reg0),
						   .number = 0};
			return !dwarf_entrypc(&search->scope, &search->at);
		}
	} while (!dwarf_siblingof(&die, &die));
	return false;
}

/* Returns whether the variable is a structure, or is passed by the address of one. */
static bool is_structure(Dwarf_Die *variable)
{
	Dwarf_Die type;
	unsigned int i;

	if (!memphis_type_declared(variable, &type))
		return false;
	for (i = 0; i < 2; i++) {
		if (dwarf_peel_type(&type, &type))
			return false;
		if (dwarf_tag(&type) != DW_TAG_reference_type && dwarf_tag(&type) != DW_TAG_pointer_type)
			break;
		if (!memphis_type_declared(&type, &type))
			return false;
	}
	return dwarf_tag(&type) == DW_TAG_structure_type;
}

static void find_variable(struct search *search, Dwarf_Die *parent, unsigned int depth)
{
	Dwarf_Die die;
	Dwarf_Op place;
	int tag;

	if (depth == DEPTH_MAX || dwarf_child(parent, &die))
		return;
	do {
		tag = dwarf_tag(&die);
		if (tag == DW_TAG_lexical_block && dwarf_haspc(&die, search->return_vaddr - 1) > 0)
			find_variable(search, &die, depth + 1);
		if ((tag != DW_TAG_variable && tag != DW_TAG_formal_parameter) || !dwarf_diename(&die) ||
		    dwarf_hasattr_integrate(&die, DW_AT_artificial) ||
		    !read_operation(&die, DW_AT_location, search->at, &place) ||
		    place.atom != search->value.atom || place.number != search->value.number)
			continue;
		search->name = dwarf_diename(&die);
		search->is_structure = is_structure(&die);
		search->found++;
	} while (!dwarf_siblingof(&die, &die));
}

bool memphis_passed_variable_find(struct memphis_binaries *binaries, struct memphis_binary *binary,
				  uint64_t return_vaddr, unsigned int position, char *name, size_t room,
				  bool *is_whole)
{
	struct search search = {.return_vaddr = return_vaddr, .at = return_vaddr - 1};
	Dwarf_Die unit, function;

	if (position >= REGISTERS ||
	    memphis_symbols_find_function(binaries, binary, return_vaddr - 1, &unit, &search.scope))
		return false;
	pthread_mutex_lock(&binary->lock);
	function = search.scope;
	find_site(&search, &function, 0);
	if (search.site.addr && find_value(&search, position))
		find_variable(&search, &search.scope, 0);
	*is_whole = !search.is_structure;
	if (search.found == 1)
		snprintf(name, room, "%s", search.name);
	pthread_mutex_unlock(&binary->lock);
	return search.found == 1;
}
