// SPDX-License-Identifier: BSD-3-Clause
/* Finds the pointer variable, or the pointer in a structure, that holds the address of a block. */
#include "dwarf/pointer_variables.h"

#include <ctype.h>
#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "dwarf/scopes.h"
#include "dwarf/symbols.h"
#include "dwarf/type/die.h"
#include "dwarf/variables.h"

void memphis_pointer_variable_close(struct memphis_pointer_variable *holder)
{
	free(holder->name);
	free(holder->qualified);
	*holder = (struct memphis_pointer_variable){.rank = MEMPHIS_POINTER_NONE};
}

/* Sets both names of the holder to the name of the outer variable, the separator `between`, and the path. Frees `path`. */
static void name_variable(struct memphis_pointer_variable *holder, const char *name, const char *qualified,
			  const char *between, struct memphis_text *path)
{
	/* Skip the leading dot of the path if "->" replaces it. */
	const char *suffix = path->failed ? "" : path->text + (!strcmp(between, "->") && *path->text == '.');

	if (path->failed || asprintf(&holder->name, "%s%s%s", name, between, suffix) < 0) {
		holder->name = NULL;
		holder->rank = MEMPHIS_POINTER_NONE;
	} else if (asprintf(&holder->qualified, "%s%s%s", qualified, between, suffix) < 0) {
		holder->qualified = NULL;
		memphis_pointer_variable_close(holder);
	}
	memphis_text_close(path);
}

void memphis_pointer_variable_find(struct memphis_binaries *binaries, struct memphis_binary *binary,
				   uint64_t slot, bool indexed, struct memphis_pointer_variable *holder)
{
	const struct memphis_variables *variables = memphis_variables_of(binaries, binary);
	const struct memphis_static *variable;
	struct memphis_text path = {0};

	*holder = (struct memphis_pointer_variable){.rank = MEMPHIS_POINTER_NONE, .binary = binary};
	variable = variables ? memphis_variables_find(variables, slot) : NULL;
	if (!variable)
		return;
	holder->rank = MEMPHIS_POINTER_SYMBOL;
	holder->variable = variable;
	holder->fortran = variable->fortran;
	memphis_text_put(&path, "");
	if (variable->die.addr) {
		Dwarf_Die die = variable->die;

		pthread_mutex_lock(&binary->lock);
		holder->rank = memphis_type_pointer_at(&die, slot - variable->start, variable->fortran,
						       indexed, &path, &holder->element, &holder->array);
		pthread_mutex_unlock(&binary->lock);
	} else if (slot != variable->start) {
		holder->rank = MEMPHIS_POINTER_OTHER;
	}
	name_variable(holder, variable->short_name, variable->name, "", &path);
}

void memphis_pointer_variable_find_in_block(const struct memphis_pointer_variable *outer, uint64_t offset,
					    uint64_t bytes, struct memphis_pointer_variable *holder)
{
	const char *between = outer->fortran ? "" : "->";
	struct memphis_text path = {0};
	Dwarf_Die type = outer->element;

	*holder = (struct memphis_pointer_variable){
		.rank = MEMPHIS_POINTER_NONE, .binary = outer->binary, .fortran = outer->fortran};
	if (!type.addr)
		return;
	holder->variable = outer->variable;
	memphis_text_put(&path, "");
	pthread_mutex_lock(&outer->binary->lock);
	holder->rank = memphis_type_pointer_in(&type, offset, outer->fortran, &path, &holder->element,
					       &holder->array);
	if (bytes > memphis_type_size(&type, outer->fortran))
		between = outer->fortran ? "()" : "[]";
	pthread_mutex_unlock(&outer->binary->lock);
	name_variable(holder, outer->name, outer->qualified, between, &path);
}

/*
 * ---- lookup of a name on the allocating line, which is a variable or a member of the function's class ----
 * The scope rules of the language decide which one it is. Its type gives the element type of the block.
 */

#define DEPTH_MAX 64

struct query {
	uint64_t vaddr;
	const char *name; /* begins with the identifier to look up, which has `bytes` characters */
	size_t bytes;
	bool fortran;
	Dwarf_Die unit;     /* compilation unit that contains the instruction */
	Dwarf_Off function; /* offset of the function that contains the instruction */
	Dwarf_Die variable;
	bool is_member; /* `variable` is a member of the class of the innermost member function */
};

enum found {
	ELSEWHERE, /* the scope does not contain the instruction */
	NOT_FOUND, /* the scope contains the instruction, but no such variable */
	FOUND
};

static bool is_identifier(const char *name, const char *wanted, size_t bytes, bool fortran)
{
	return name && strlen(name) == bytes &&
	       !(fortran ? strncasecmp(name, wanted, bytes) : strncmp(name, wanted, bytes));
}

static bool contains_code(int tag)
{
	return tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine;
}

static bool may_contain_functions(int tag)
{
	return tag == DW_TAG_module || tag == DW_TAG_namespace || tag == DW_TAG_class_type ||
	       tag == DW_TAG_structure_type;
}

static bool is_pointer_or_array(Dwarf_Die *type)
{
	return memphis_die_is_pointer(type) || dwarf_tag(type) == DW_TAG_array_type;
}

static bool find_member(Dwarf_Die *structure, const char *name, size_t bytes, bool fortran,
			unsigned int depth, Dwarf_Die *member)
{
	const char *own;
	Dwarf_Die die, type;
	int tag;

	if (depth > DEPTH_MAX || dwarf_child(structure, &die))
		return false;
	do {
		tag = dwarf_tag(&die);
		if (tag != DW_TAG_member && tag != DW_TAG_inheritance)
			continue;
		own = dwarf_diename(&die);
		if (!memphis_type_of(&die, &type))
			continue;
		if (is_identifier(own, name, bytes, fortran)) {
			*member = die;
			return true;
		}
		if ((!own || tag == DW_TAG_inheritance) &&
		    find_member(&type, name, bytes, fortran, depth + 1, member))
			return true;
	} while (!dwarf_siblingof(&die, &die));
	return false;
}

bool memphis_type_find_member(Dwarf_Die *structure, const char *name, bool fortran, Dwarf_Die *member)
{
	return find_member(structure, name, strlen(name), fortran, 0, member);
}

/* If the function is a member function, finds the member of the object on which it was called. */
static bool find_member_of_this(struct query *query, Dwarf_Die *function)
{
	Dwarf_Attribute attribute;
	Dwarf_Die self, type;

	query->is_member = dwarf_attr_integrate(function, DW_AT_object_pointer, &attribute) &&
			   dwarf_formref_die(&attribute, &self) && memphis_type_of(&self, &type) &&
			   memphis_type_of(&type, &type) &&
			   find_member(&type, query->name, query->bytes, false, 0, &query->variable);
	return query->is_member;
}

/*
 * Returns true if the scope `die` cannot contain the function, so that its children need not be read. This
 * saves time, because a unit has thousands of scopes. The children of a scope are stored between it and its
 * next sibling.
 */
static bool excludes_function(const struct query *query, Dwarf_Die *parent, Dwarf_Die *die, Dwarf_Die *next)
{
	return query->function > dwarf_dieoffset(parent) &&
	       (query->function < dwarf_dieoffset(die) || (next && query->function >= dwarf_dieoffset(next)));
}

/* Searches the scopes that contain the instruction. The innermost scope with a variable of this name wins. */
static enum found search_scope(struct query *query, Dwarf_Die *parent, unsigned int depth)
{
	enum found found = ELSEWHERE, here;
	Dwarf_Die die, next;
	bool last = false;
	int tag;

	if (depth > DEPTH_MAX || dwarf_child(parent, &die))
		return ELSEWHERE;
	for (; !last; die = next) {
		last = dwarf_siblingof(&die, &next) != 0;
		if (excludes_function(query, parent, &die, last ? NULL : &next))
			continue;
		tag = dwarf_tag(&die);
		if (contains_code(tag) && dwarf_haspc(&die, query->vaddr) > 0) {
			here = search_scope(query, &die, depth + 1);
			if (here == ELSEWHERE)
				here = NOT_FOUND;
		} else if (tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block ||
			   may_contain_functions(tag)) {
			here = search_scope(query, &die, depth + 1);
		} else {
			continue;
		}
		if (here == FOUND)
			return FOUND;
		if (here == NOT_FOUND)
			found = NOT_FOUND;
	}
	if ((found == ELSEWHERE &&
	     !(contains_code(dwarf_tag(parent)) && dwarf_haspc(parent, query->vaddr) > 0)) ||
	    dwarf_child(parent, &die))
		return found;
	do {
		tag = dwarf_tag(&die);
		if ((tag == DW_TAG_variable || tag == DW_TAG_formal_parameter) &&
		    is_identifier(dwarf_diename(&die), query->name, query->bytes, query->fortran)) {
			query->variable = die;
			return FOUND;
		}
	} while (!dwarf_siblingof(&die, &die));
	return find_member_of_this(query, parent) ? FOUND : NOT_FOUND;
}

/* Searches the function that contains the instruction, and its enclosing scopes. */
static bool search_scopes(struct query *query)
{
	query->fortran = memphis_is_fortran(&query->unit);
	return search_scope(query, &query->unit, 0) == FOUND;
}

/* Searches the static variables of all units and modules. Returns false if variables with different full names match. */
static bool find_static_variable(struct query *query, const struct memphis_variables *variables)
{
	const struct memphis_static *found = NULL;
	size_t i;

	for (i = 0; i < variables->count; i++) {
		if (!variables->list[i].die.addr ||
		    !is_identifier(variables->list[i].short_name, query->name, query->bytes, query->fortran))
			continue;
		if (found && strcmp(found->name, variables->list[i].name) != 0)
			return false;
		found = &variables->list[i];
	}
	if (found)
		query->variable = found->die;
	return found;
}

static bool find_variable(struct query *query, const struct memphis_variables *variables)
{
	/*
	 * Only Fortran needs the static variables of other units: the DWARF of a unit does not list the
	 * variables that a procedure uses from other modules.
	 */
	return search_scopes(query) || (query->fortran && find_static_variable(query, variables));
}

static size_t identifier_bytes(const char *name)
{
	size_t bytes = 0;

	while (isalnum((unsigned char)name[bytes]) || name[bytes] == '_')
		bytes++;
	return bytes;
}

/*
 * Prepares the lookup of the name at the instruction. Returns false if `name` does not begin with an
 * identifier, or if there is no debug information about the function.
 */
static bool open_query(struct query *query, struct memphis_binaries *binaries, struct memphis_binary *binary,
		       uint64_t vaddr, const char *name)
{
	Dwarf_Die function;

	*query = (struct query){.vaddr = vaddr, .name = name, .bytes = identifier_bytes(name)};
	if (!query->bytes || memphis_symbols_find_function(binaries, binary, vaddr, &query->unit, &function))
		return false;
	query->function = dwarf_dieoffset(&function);
	return true;
}

/* Follows an access path such as "->tx", "%edge%low" or "[]" from the type of the variable. Updates *type. */
static bool apply_path(Dwarf_Die *type, const char *path, bool fortran)
{
	Dwarf_Die member;
	size_t bytes;
	int depth;

	while (*path) {
		if (*path == '[' || *path == '(') {
			path += strcspn(path, "])");
			path += *path != 0;
			/* In Fortran, ignore subscripts. The next component is looked up in the element type in any case. */
			if (!fortran && (!is_pointer_or_array(type) || !memphis_type_of(type, type)))
				return false;
			continue;
		}
		path += strspn(path, ".->% ");
		bytes = identifier_bytes(path);
		for (depth = 0; depth < DEPTH_MAX && is_pointer_or_array(type); depth++)
			if (!memphis_type_of(type, type))
				return false;
		if (!bytes || !find_member(type, path, bytes, fortran, 0, &member) ||
		    !memphis_type_of(&member, type))
			return false;
		path += bytes;
	}
	return true;
}

bool memphis_element_find_by_name(struct memphis_binaries *binaries, struct memphis_binary *binary,
				  uint64_t vaddr, const char *name, Dwarf_Die *element, bool *fortran)
{
	const struct memphis_variables *variables = memphis_variables_of(binaries, binary);
	struct memphis_text path = {0};
	struct query query;
	bool found = false;
	Dwarf_Die type;

	element->addr = NULL;
	if (!variables || !open_query(&query, binaries, binary, vaddr, name))
		return false;
	pthread_mutex_lock(&binary->lock);
	if (find_variable(&query, variables) && memphis_type_of(&query.variable, &type) &&
	    apply_path(&type, name + query.bytes, query.fortran))
		found = memphis_type_pointer_of(&type, query.fortran, &path, element) <
				MEMPHIS_POINTER_OTHER &&
			element->addr;
	pthread_mutex_unlock(&binary->lock);
	memphis_text_close(&path);
	*fortran = query.fortran;
	return found;
}

bool memphis_number_has_name(struct memphis_binaries *binaries, struct memphis_binary *binary, uint64_t vaddr,
			     const char *name)
{
	struct query query;
	bool number = false;
	Dwarf_Die type;
	int tag;

	if (!open_query(&query, binaries, binary, vaddr, name))
		return false;
	pthread_mutex_lock(&binary->lock);
	if (search_scopes(&query) && memphis_type_of(&query.variable, &type) &&
	    apply_path(&type, name + query.bytes, query.fortran)) {
		tag = dwarf_tag(&type);
		number = tag == DW_TAG_base_type || tag == DW_TAG_enumeration_type;
	}
	pthread_mutex_unlock(&binary->lock);
	return number;
}

/* Returns true if the innermost scope is the class of a lambda: "main::{lambda(int)#1}::". */
static bool is_lambda_scope(const char *scope)
{
	const char *last = strrchr(scope, '{');

	return last && !strncmp(last, "{lambda", 7) && !strcmp(last + strcspn(last, "}"), "}::");
}

char *memphis_member_find_scope(struct memphis_binaries *binaries, struct memphis_binary *binary,
				uint64_t vaddr, const char *name)
{
	struct memphis_text scope = {0};
	struct query query;

	memphis_text_put(&scope, "");
	if (open_query(&query, binaries, binary, vaddr, name)) {
		pthread_mutex_lock(&binary->lock);
		if (search_scopes(&query) && query.is_member)
			memphis_put_scopes(&binary->scopes, &scope, &query.variable);
		pthread_mutex_unlock(&binary->lock);
	}
	/* A captured variable of a lambda keeps the name of the original variable. Do not add the lambda's scope. */
	if (!scope.failed && is_lambda_scope(scope.text))
		memphis_text_cut(&scope, 0);
	if (scope.failed)
		memphis_text_close(&scope);
	return scope.text;
}
