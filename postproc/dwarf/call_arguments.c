// SPDX-License-Identifier: BSD-3-Clause
/*
 * Finds the variable that a call passes by address. DWARF may describe the value of an argument by an
 * expression (DWARF 5, section 3.4.2, call site parameters). If the location of a variable is the same
 * expression, the argument is the address of that variable.
 */
#include "dwarf/call_arguments.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "dwarf/symbols.h"
#include "dwarf/type/die.h"
#include "dwarf/type/types.h"

#define DEPTH_MAX 64

/* DWARF numbers of the registers for the first integer and pointer arguments (System V ABI for x86-64, figure 3.4). */
static const unsigned int registers[] = {5, 4, 1, 2, 8, 9};

#define REGISTERS (sizeof(registers) / sizeof(*registers))

struct search {
	uint64_t return_vaddr;
	Dwarf_Die scope;    /* innermost function that contains the call, possibly inlined */
	Dwarf_Die site;     /* DIE of the call; addr is NULL if it was not found */
	Dwarf_Op value;     /* value of the argument */
	uint64_t at;        /* instruction at which locations are evaluated */
	Dwarf_Die variable; /* the variable that was found last */
	uint64_t offset;    /* offset of the address in the variable */
	size_t found;
};

static bool has_return_address(Dwarf_Die *site, uint64_t return_vaddr)
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

/* Finds the DIE of the call in `parent`, and the innermost function that contains it. */
static void find_call_site(struct search *search, Dwarf_Die *parent, unsigned int depth)
{
	Dwarf_Die die;
	int tag;

	if (depth == DEPTH_MAX || dwarf_child(parent, &die))
		return;
	do {
		tag = dwarf_tag(&die);
		if ((tag == DW_TAG_call_site || tag == DW_TAG_GNU_call_site) &&
		    has_return_address(&die, search->return_vaddr))
			search->site = die;
		if (tag != DW_TAG_lexical_block && tag != DW_TAG_inlined_subroutine)
			continue;
		if (tag == DW_TAG_inlined_subroutine && dwarf_haspc(&die, search->return_vaddr - 1) > 0)
			search->scope = die;
		find_call_site(search, &die, depth + 1);
	} while (!search->site.addr && !dwarf_siblingof(&die, &die));
}

/* Reads an expression or location at the instruction `vaddr`. Returns false unless it is a single operation. */
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

/* Reads DW_OP_entry_value(DW_OP_regN): the value that register N had on entry to the function. */
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

static bool read_argument(struct search *search, unsigned int position)
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
			/*
			 * The argument is the value that the register had on entry, so compare with locations
			 * at the start of the function.
			 */
			search->value = (Dwarf_Op){.atom = (uint8_t)(DW_OP_breg0 + place.atom - DW_OP_reg0),
						   .number = 0};
			return !dwarf_entrypc(&search->scope, &search->at);
		}
	} while (!dwarf_siblingof(&die, &die));
	return false;
}

/* Returns true if the address is inside the variable. Stores its offset in the variable. */
static bool lies_in_variable(const struct search *search, Dwarf_Die *variable, const Dwarf_Op *place,
			     uint64_t *offset)
{
	*offset = search->value.number - place->number;
	return place->atom == search->value.atom &&
	       (!*offset || *offset < memphis_type_bytes(variable, true));
}

static void find_variable(struct search *search, Dwarf_Die *parent, unsigned int depth)
{
	Dwarf_Die die;
	Dwarf_Op place;
	uint64_t offset;
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
		    !lies_in_variable(search, &die, &place, &offset))
			continue;
		search->variable = die;
		search->offset = offset;
		search->found++;
	} while (!dwarf_siblingof(&die, &die));
}

static bool has_member(Dwarf_Die *type, const char *name, size_t bytes)
{
	const char *member;
	Dwarf_Die die;

	if (dwarf_child(type, &die))
		return false;
	do {
		member = memphis_die_is_part(&die) ? dwarf_diename(&die) : NULL;
		if (member && strlen(member) == bytes && !strncasecmp(member, name, bytes))
			return true;
	} while (!dwarf_siblingof(&die, &die));
	return false;
}

/*
 * Appends the path of the structure at the offset that has a member with this name. Returns false if there is
 * no such structure.
 */
static bool put_enclosing_component(Dwarf_Die *type, uint64_t offset, const char *name, size_t bytes,
				    struct memphis_text *path, unsigned int depth)
{
	uint64_t place, extent;
	Dwarf_Die die, part;

	if (!memphis_die_is_structure(type) || depth == DEPTH_MAX)
		return false;
	if (!offset && has_member(type, name, bytes))
		return true;
	if (dwarf_child(type, &die))
		return false;
	do {
		if (!memphis_die_is_part(&die) || !memphis_type_part(&die, &part, true, &place, &extent) ||
		    offset < place || offset - place >= extent)
			continue;
		memphis_text_print(path, "%%%s", dwarf_diename(&die));
		return put_enclosing_component(&part, offset - place, name, bytes, path, depth + 1);
	} while (!dwarf_siblingof(&die, &die));
	return false;
}

/*
 * Appends the path of the component at the address. If `from` is empty, the component must be a pointer or
 * allocatable. Otherwise it must be a structure that has the first component in `from`. Returns false if no
 * component fits.
 */
static bool append_component(struct search *search, const char *from, struct memphis_text *path)
{
	Dwarf_Die type, element = {.addr = NULL}, array = {.addr = NULL};
	unsigned int i;

	if (*from != '%' && *from)
		return !search->offset;
	if (!*from && memphis_type_of(&search->variable, &type) && memphis_die_is_structure(&type))
		return memphis_type_pointer_at(&search->variable, search->offset, true, true, path, &element,
					       &array) <= MEMPHIS_POINTER_SCALAR;
	if (!*from)
		return !search->offset;
	if (!memphis_type_of(&search->variable, &type))
		return false;
	/* Some compilers describe such an argument as a pointer to its structure. */
	for (i = 0; i < 2 && memphis_die_is_pointer(&type); i++)
		if (!memphis_type_of(&type, &type))
			return false;
	if (!memphis_die_is_structure(&type))
		return !search->offset;
	return put_enclosing_component(&type, search->offset, from + 1, strcspn(from + 1, "%("), path, 0);
}

bool memphis_passed_variable_find(struct memphis_binaries *binaries, struct memphis_binary *binary,
				  uint64_t return_vaddr, unsigned int position, const char *from, char **name,
				  bool *is_known)
{
	struct search search = {.return_vaddr = return_vaddr, .at = return_vaddr - 1};
	struct memphis_text path = {0};
	Dwarf_Die unit, function;

	*name = NULL;
	if (position >= REGISTERS ||
	    memphis_symbols_find_function(binaries, binary, return_vaddr - 1, &unit, &search.scope))
		return false;
	pthread_mutex_lock(&binary->lock);
	function = search.scope;
	find_call_site(&search, &function, 0);
	if (search.site.addr && read_argument(&search, position))
		find_variable(&search, &search.scope, 0);
	if (search.found == 1) {
		memphis_text_put(&path, dwarf_diename(&search.variable));
		*is_known = append_component(&search, from, &path);
		*name = path.failed ? NULL : strdup(path.text);
	}
	memphis_text_close(&path);
	pthread_mutex_unlock(&binary->lock);
	return *name;
}
