// SPDX-License-Identifier: BSD-3-Clause
/* Reads the parameters of a function or inlined function in the order of their declaration, and its call sites. */
#include "dwarf/parameters.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "dwarf/pointer_variables.h"
#include "dwarf/scopes.h"
#include "dwarf/symbols.h"
#include "dwarf/type/types.h"

#define DEPTH_MAX   64
#define ORIGINS_MAX 8 /* maximum number of references from a function's code to its declaration */

/*
 * Finds the inlined function at `level`, counted from the innermost one. Returns the number of nested inlined
 * functions in `parent` at `vaddr`.
 */
static size_t find_inlined_function(Dwarf_Die *parent, uint64_t vaddr, size_t level, unsigned int depth,
				    Dwarf_Die *scope)
{
	size_t inner = 0;
	Dwarf_Die die;
	int tag;

	if (depth == DEPTH_MAX || dwarf_child(parent, &die))
		return 0;
	do {
		tag = dwarf_tag(&die);
		if ((tag != DW_TAG_lexical_block && tag != DW_TAG_inlined_subroutine) ||
		    dwarf_haspc(&die, vaddr) < 1)
			continue;
		inner = find_inlined_function(&die, vaddr, level, depth + 1, scope);
		if (tag == DW_TAG_inlined_subroutine && inner++ == level)
			*scope = die;
		return inner;
	} while (!dwarf_siblingof(&die, &die));
	return 0;
}

/*
 * Replaces the DIE of a function's code by the DIE of its declaration. The declaration has all parameters,
 * including those that the optimizer removed.
 */
static void resolve_to_declaration(Dwarf_Die *function)
{
	Dwarf_Attribute attribute;
	Dwarf_Die origin;
	int i;

	for (i = 0; i < ORIGINS_MAX && dwarf_attr(function, DW_AT_abstract_origin, &attribute) &&
		    dwarf_formref_die(&attribute, &origin);
	     i++)
		*function = origin;
}

static bool is_artificial(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	bool set = false;

	return dwarf_attr_integrate(die, DW_AT_artificial, &attribute) && !dwarf_formflag(&attribute, &set) &&
	       set;
}

static bool is_reference(Dwarf_Die *parameter)
{
	Dwarf_Die type;
	int tag;

	if (!memphis_type_of(parameter, &type))
		return false;
	tag = dwarf_tag(&type);
	return tag == DW_TAG_reference_type || tag == DW_TAG_rvalue_reference_type;
}

/* Returns true if the function itself declares a variable with this name. Ignores functions that are inlined into it. */
static bool has_local(Dwarf_Die *parent, const char *name, unsigned int depth)
{
	const char *other;
	Dwarf_Die die;
	int tag;

	if (depth == DEPTH_MAX || dwarf_child(parent, &die))
		return false;
	do {
		tag = dwarf_tag(&die);
		other = tag == DW_TAG_variable ? dwarf_diename(&die) : NULL;
		if ((other && !strcmp(other, name)) ||
		    (tag == DW_TAG_lexical_block && has_local(&die, name, depth + 1)))
			return true;
	} while (!dwarf_siblingof(&die, &die));
	return false;
}

static bool is_this_pointer(Dwarf_Die *die)
{
	const char *name = dwarf_diename(die);

	return name && !strcmp(name, "this");
}

static void find_parameter(Dwarf_Die *function, bool fortran, const char *name,
			   struct memphis_parameter *parameter)
{
	Dwarf_Die die, self = {0}, type, member;
	unsigned int position = 0;
	const char *other;

	if (dwarf_child(function, &die))
		return;
	do {
		if (dwarf_tag(&die) != DW_TAG_formal_parameter)
			continue;
		if (is_artificial(&die)) {
			if (is_this_pointer(&die))
				self = die;
			continue;
		}
		other = dwarf_diename(&die);
		if (other && !(fortran ? strcasecmp(other, name) : strcmp(other, name))) {
			parameter->kind = fortran || is_reference(&die) ? MEMPHIS_PARAMETER_OBJECT
									: MEMPHIS_PARAMETER_VALUE;
			parameter->position = position;
			return;
		}
		position++;
	} while (!dwarf_siblingof(&die, &die));
	if (self.addr && !has_local(function, name, 0) && memphis_type_of(&self, &type) &&
	    memphis_type_of(&type, &type) && memphis_type_find_member(&type, name, false, &member)) {
		parameter->kind = MEMPHIS_PARAMETER_MEMBER;
		parameter->member = member;
	}
}

int memphis_parameter_find(struct memphis_binaries *binaries, struct memphis_binary *binary, uint64_t vaddr,
			   size_t level, const char *name, struct memphis_parameter *parameter)
{
	Dwarf_Die unit, function;
	int rc = memphis_symbols_find_function(binaries, binary, vaddr, &unit, &function);

	parameter->kind = MEMPHIS_PARAMETER_NONE;
	if (rc)
		return rc == -ENOENT ? 0 : rc;
	pthread_mutex_lock(&binary->lock);
	find_inlined_function(&function, vaddr, level, 0, &function);
	resolve_to_declaration(&function);
	find_parameter(&function, memphis_is_fortran(&unit), name, parameter);
	pthread_mutex_unlock(&binary->lock);
	return 0;
}

bool memphis_function_begins_at(struct memphis_binaries *binaries, struct memphis_binary *binary,
				uint64_t vaddr, size_t level, const char *path, unsigned int line)
{
	Dwarf_Die unit, function;
	const char *file;
	int first;
	bool begins;

	if (memphis_symbols_find_function(binaries, binary, vaddr, &unit, &function))
		return false;
	pthread_mutex_lock(&binary->lock);
	find_inlined_function(&function, vaddr, level, 0, &function);
	begins = !dwarf_decl_line(&function, &first) && (unsigned int)first == line;
	file = begins ? memphis_declaration_file(&function) : NULL;
	begins = begins && (!file || !strcmp(memphis_basename(file), memphis_basename(path)));
	pthread_mutex_unlock(&binary->lock);
	return begins;
}

bool memphis_member_is_of_class(struct memphis_binaries *binaries, struct memphis_binary *binary,
				uint64_t vaddr, size_t level, const char *name, const char *class_name)
{
	const size_t bytes = strcspn(class_name, "<");
	struct memphis_parameter parameter;
	const char *other = NULL;
	Dwarf_Die type;

	if (memphis_parameter_find(binaries, binary, vaddr, level, name, &parameter) ||
	    parameter.kind != MEMPHIS_PARAMETER_MEMBER)
		return false;
	pthread_mutex_lock(&binary->lock);
	if (memphis_type_of(&parameter.member, &type))
		other = dwarf_diename(&type);
	pthread_mutex_unlock(&binary->lock);
	return other && strcspn(other, "<") == bytes && !strncmp(other, class_name, bytes);
}

/* Tail calls of a function: jumps at its end to another function. */
struct tail_calls {
	const char *callee;
	uint64_t behind; /* address after the last jump that was found */
	size_t count;
};

static bool has_true_flag(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attribute;
	bool set = false;

	return dwarf_attr(die, name, &attribute) && !dwarf_formflag(&attribute, &set) && set;
}

static void count_tail_call(Dwarf_Die *site, struct tail_calls *calls)
{
	static const struct {
		unsigned int name, distance;
	} places[] = {{DW_AT_call_return_pc, 0}, {DW_AT_low_pc, 0}, {DW_AT_call_pc, 1}};
	Dwarf_Attribute attribute;
	Dwarf_Die origin;
	const char *name;
	Dwarf_Addr at;
	size_t i;

	if (!has_true_flag(site, DW_AT_call_tail_call) && !has_true_flag(site, DW_AT_GNU_tail_call))
		return;
	if ((!dwarf_attr(site, DW_AT_call_origin, &attribute) &&
	     !dwarf_attr(site, DW_AT_abstract_origin, &attribute)) ||
	    !dwarf_formref_die(&attribute, &origin))
		return;
	name = dwarf_diename(&origin);
	if (!name || strcmp(name, calls->callee) != 0)
		return;
	for (i = 0; i < sizeof(places) / sizeof(*places); i++) {
		if (!dwarf_attr(site, places[i].name, &attribute) || dwarf_formaddr(&attribute, &at))
			continue;
		calls->behind = at + places[i].distance;
		calls->count++;
		return;
	}
}

static void find_tail_calls(Dwarf_Die *parent, unsigned int depth, struct tail_calls *calls)
{
	Dwarf_Die die;
	int tag;

	if (depth == DEPTH_MAX || dwarf_child(parent, &die))
		return;
	do {
		tag = dwarf_tag(&die);
		if (tag == DW_TAG_call_site || tag == DW_TAG_GNU_call_site)
			count_tail_call(&die, calls);
		else if (tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine)
			find_tail_calls(&die, depth + 1, calls);
	} while (!dwarf_siblingof(&die, &die));
}

uint64_t memphis_tail_call_find(struct memphis_binaries *binaries, struct memphis_binary *binary,
				uint64_t vaddr, const char *callee)
{
	struct tail_calls calls = {.callee = callee};
	Dwarf_Die unit, function;

	if (memphis_symbols_find_function(binaries, binary, vaddr, &unit, &function))
		return 0;
	pthread_mutex_lock(&binary->lock);
	find_tail_calls(&function, 0, &calls);
	pthread_mutex_unlock(&binary->lock);
	return calls.count == 1 ? calls.behind : 0;
}
