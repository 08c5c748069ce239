// SPDX-License-Identifier: BSD-3-Clause
/*
 * Finds the names of the scopes that contain a declaration. A DIE has no reference to its parent. Therefore,
 * the first query for a unit records the parents of all its variables, functions and scopes.
 */
#include "dwarf/scopes.h"

#include <dwarf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "dwarf/demangle.h"
#include "dwarf/type/definitions.h"

#define DEPTH_MAX   128
#define ORIGINS_MAX 8 /* maximum number of references from a definition to its declaration */
#define NO_PARENT   SIZE_MAX
#define UNITS_MAX \
	16 /* maximum number of units in the cache, as large units have 100,000 members; the oldest is dropped */

/* A DIE, and the index of the scope that contains it. NO_PARENT means that the unit itself contains it. */
struct member {
	Dwarf_Die die;
	size_t parent;
};

/* The members of a unit, sorted by the address of the DIE. */
struct memphis_unit_scopes {
	Dwarf_CU *unit;
	struct member *list;
	size_t count, room;
};

static bool is_class(int tag)
{
	return tag == DW_TAG_class_type || tag == DW_TAG_structure_type || tag == DW_TAG_union_type;
}

static bool is_scope(int tag)
{
	return is_class(tag) || tag == DW_TAG_namespace || tag == DW_TAG_module || tag == DW_TAG_subprogram ||
	       tag == DW_TAG_lexical_block || tag == DW_TAG_common_block;
}

/* Lists the members of `parent` with their scopes. If memory is exhausted, some are missing, and have no scopes. */
static void read_members(struct memphis_unit_scopes *unit, Dwarf_Die *parent, size_t number,
			 unsigned int depth)
{
	struct member *member;
	Dwarf_Die die;
	int tag;

	if (depth > DEPTH_MAX || dwarf_child(parent, &die))
		return;
	do {
		tag = dwarf_tag(&die);
		if (!is_scope(tag) && tag != DW_TAG_variable && tag != DW_TAG_member &&
		    tag != DW_TAG_enumeration_type)
			continue;
		member = memphis_append(unit->list, unit->count, unit->room);
		if (!member)
			return;
		*member = (struct member){die, number};
		if (is_scope(tag))
			read_members(unit, &die, unit->count - 1, depth + 1);
	} while (!dwarf_siblingof(&die, &die));
}

static const struct memphis_unit_scopes *unit_scopes(struct memphis_scopes *scopes, Dwarf_Die *die)
{
	struct memphis_unit_scopes *unit;
	Dwarf_Die top;
	size_t i;

	for (i = scopes->count; i-- > 0;)
		if (scopes->list[i].unit == die->cu)
			return &scopes->list[i];
	if (scopes->count == UNITS_MAX) {
		free(scopes->list[0].list);
		memmove(scopes->list, scopes->list + 1, --scopes->count * sizeof(*scopes->list));
	}
	unit = memphis_append(scopes->list, scopes->count, scopes->room);
	if (!unit)
		return NULL;
	*unit = (struct memphis_unit_scopes){.unit = die->cu};
	if (dwarf_diecu(die, &top, NULL, NULL))
		read_members(unit, &top, NO_PARENT, 0);
	return unit;
}

/* Stores the scope that contains the DIE. Returns false if only the unit contains it. */
static bool find_scope(struct memphis_scopes *scopes, Dwarf_Die *die, Dwarf_Die *scope)
{
	const struct memphis_unit_scopes *unit = unit_scopes(scopes, die);
	size_t low = 0, high = unit ? unit->count : 0, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (unit->list[middle].die.addr < die->addr)
			low = middle + 1;
		else
			high = middle;
	}
	if (!unit || low == unit->count || unit->list[low].die.addr != die->addr ||
	    unit->list[low].parent == NO_PARENT)
		return false;
	*scope = unit->list[unit->list[low].parent].die;
	return true;
}

void memphis_resolve_to_declaration(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	Dwarf_Die origin;
	int i;

	for (i = 0; i < ORIGINS_MAX; i++) {
		if (!dwarf_attr(die, DW_AT_abstract_origin, &attribute) &&
		    !dwarf_attr(die, DW_AT_specification, &attribute))
			return;
		if (!dwarf_formref_die(&attribute, &origin))
			return;
		*die = origin;
	}
}

static const char *linkage_name(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;

	return dwarf_formstring(dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute));
}

static bool is_call_operator(Dwarf_Die *function)
{
	const char *name = dwarf_diename(function);

	return name && !strncmp(name, "operator()", 10);
}

/*
 * Returns true for the class of a lambda. It has no name (clang), or the name "<lambda(int)>" (gcc), which no
 * other class can have.
 */
static bool is_lambda_class(Dwarf_Die *class)
{
	const char *name = memphis_type_own_name(class);
	Dwarf_Die child;

	if (name || dwarf_child(class, &child))
		return name && !strncmp(name, "<lambda", 7);
	do {
		if (dwarf_tag(&child) == DW_TAG_subprogram && is_call_operator(&child))
			return true;
	} while (!dwarf_siblingof(&child, &child));
	return false;
}

/*
 * Appends "{lambda(int)#1}". The number is from the linkage name of the lambda's operator. It distinguishes
 * the lambdas of a function.
 */
static void append_lambda(struct memphis_text *text, const char *linkage)
{
	char *name = memphis_demangle_lambda(linkage);

	memphis_text_put(text, name ? name : "{lambda}");
	free(name);
}

static Dwarf_Word declaration_file_number(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	Dwarf_Word number;

	return dwarf_attr_integrate(die, DW_AT_decl_file, &attribute) && !dwarf_formudata(&attribute, &number)
		       ? number
		       : (Dwarf_Word)-1;
}

bool memphis_enclosing_function_find(struct memphis_scopes *scopes, Dwarf_Die *function, Dwarf_Die *enclosing)
{
	const struct memphis_unit_scopes *unit = unit_scopes(scopes, function);
	int line, own, last = 0;
	const char *name;
	Dwarf_Die die;
	size_t i;

	if (!unit || dwarf_decl_line(function, &own))
		return false;
	for (i = 0; i < unit->count; i++) {
		die = unit->list[i].die;
		if (dwarf_tag(&die) != DW_TAG_subprogram || dwarf_decl_line(&die, &line) || line < last ||
		    line > own || declaration_file_number(&die) != declaration_file_number(function))
			continue;
		name = dwarf_diename(&die);
		if (!name || *name == '.')
			continue;
		*enclosing = die;
		last = line;
	}
	return last;
}

/* Returns true if the function is inside another function. gfortran places the body of a parallel region there. */
static bool is_in_function(struct memphis_scopes *scopes, Dwarf_Die *function)
{
	Dwarf_Die around;

	return find_scope(scopes, function, &around) &&
	       (dwarf_tag(&around) == DW_TAG_subprogram || dwarf_tag(&around) == DW_TAG_lexical_block);
}

/* Appends the name of a function. The body of a parallel region gets the name of the function that contains the region. */
static void append_function(struct memphis_scopes *scopes, struct memphis_text *text, Dwarf_Die *function)
{
	const char *name = dwarf_diename(function);
	bool is_outlined;
	char *clear = memphis_demangle_function(name, &is_outlined);
	Dwarf_Die enclosing;

	if (clear && !*clear && memphis_enclosing_function_find(scopes, function, &enclosing))
		memphis_put_scopes_in(scopes, text, &enclosing);
	else if (name && (!is_outlined || !is_in_function(scopes, function)))
		memphis_text_print(text, "%s::", clear && *clear ? clear : name);
	free(clear);
}

static bool is_lambda_operator(struct memphis_scopes *scopes, Dwarf_Die *function)
{
	Dwarf_Die class;

	return is_call_operator(function) && find_scope(scopes, function, &class) &&
	       is_class(dwarf_tag(&class)) && is_lambda_class(&class);
}

/*
 * Appends the name of one scope. A lambda has two scopes, its class and the operator function in the class.
 * Only the class is appended. `inner` is the linkage name of the function inside the scope.
 */
static void append_scope(struct memphis_scopes *scopes, struct memphis_text *text, Dwarf_Die *scope,
			 const char *inner)
{
	int tag = dwarf_tag(scope);
	const char *name;

	if (tag == DW_TAG_lexical_block || (tag == DW_TAG_subprogram && is_lambda_operator(scopes, scope)))
		return;
	if (tag == DW_TAG_subprogram) {
		append_function(scopes, text, scope);
		return;
	}
	if (tag == DW_TAG_common_block) {
		memphis_put_common(text, scope);
		return;
	}
	if (is_class(tag) && is_lambda_class(scope)) {
		append_lambda(text, inner);
	} else {
		name = memphis_type_own_name(scope);
		memphis_text_put(text, name            ? name
				       : is_class(tag) ? "(anonymous class)"
						       : "(anonymous namespace)");
	}
	memphis_text_put(text, "::");
}

void memphis_put_common(struct memphis_text *text, Dwarf_Die *block)
{
	const char *name = dwarf_diename(block);

	/* gfortran names blank COMMON __BLNK__. */
	memphis_text_print(text, "/%s/", name && strcmp(name, "__BLNK__") != 0 ? name : "");
}

static void append_scopes_around(struct memphis_scopes *scopes, struct memphis_text *text,
				 const Dwarf_Die *die, const char *inner, unsigned int depth);

static void append_scopes_inside(struct memphis_scopes *scopes, struct memphis_text *text,
				 const Dwarf_Die *scope, const char *inner, unsigned int depth)
{
	Dwarf_Die at = *scope;
	const char *linkage = dwarf_tag(&at) == DW_TAG_subprogram ? linkage_name(&at) : NULL;

	memphis_resolve_to_declaration(&at);
	/* COMMON blocks are global, so their names do not contain the procedure that declares them. */
	if (dwarf_tag(&at) != DW_TAG_common_block)
		append_scopes_around(scopes, text, &at, linkage, depth + 1);
	append_scope(scopes, text, &at, inner);
}

static void append_scopes_around(struct memphis_scopes *scopes, struct memphis_text *text,
				 const Dwarf_Die *die, const char *inner, unsigned int depth)
{
	Dwarf_Die at = *die, around;

	memphis_resolve_to_declaration(&at);
	if (is_class(dwarf_tag(&at)))
		memphis_type_resolve_to_declaration(&at);
	if (depth <= DEPTH_MAX && find_scope(scopes, &at, &around))
		append_scopes_inside(scopes, text, &around, inner, depth);
}

void memphis_put_scopes(struct memphis_scopes *scopes, struct memphis_text *text, const Dwarf_Die *die)
{
	memphis_text_put(text, "");
	append_scopes_around(scopes, text, die, NULL, 0);
}

void memphis_put_scopes_in(struct memphis_scopes *scopes, struct memphis_text *text,
			   const Dwarf_Die *function)
{
	memphis_text_put(text, "");
	append_scopes_inside(scopes, text, function, NULL, 0);
}

void memphis_scopes_close(struct memphis_scopes *scopes)
{
	size_t i;

	for (i = 0; i < scopes->count; i++)
		free(scopes->list[i].list);
	free(scopes->list);
	memset(scopes, 0, sizeof(*scopes));
}

/*
 * Returns the malloc'ed path of a source file, or NULL if it is unknown. Prepends the compilation directory
 * to a relative path.
 */
static char *absolute_path(Dwarf_Die *unit, const char *path)
{
	Dwarf_Attribute attribute;
	const char *directory = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));
	char *whole;

	if (!path || *path == '/' || !directory)
		return path ? strdup(path) : NULL;
	return asprintf(&whole, "%s/%s", directory, path) < 0 ? NULL : whole;
}

const char *memphis_declaration_file(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	Dwarf_Half version;
	Dwarf_Files *files;
	Dwarf_Word number;
	Dwarf_Die unit;
	size_t count;

	if (!dwarf_attr_integrate(die, DW_AT_decl_file, &attribute) || dwarf_formudata(&attribute, &number) ||
	    dwarf_cu_info(attribute.cu, &version, NULL, &unit, NULL, NULL, NULL, NULL) ||
	    (!number && version < 5) || dwarf_getsrcfiles(&unit, &files, &count) || number >= count)
		return NULL;
	return dwarf_filesrc(files, number, NULL, NULL);
}

static bool is_external(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	bool flag;

	return dwarf_attr_integrate(die, DW_AT_external, &attribute) && !dwarf_formflag(&attribute, &flag) &&
	       flag;
}

void memphis_declaration_read(struct memphis_declaration *declaration, const Dwarf_Die *die)
{
	Dwarf_Die variable = *die, declared = *die, unit;
	char *file;
	int line;

	memset(declaration, 0, sizeof(*declaration));
	memphis_resolve_to_declaration(&declared);
	if (!dwarf_diecu(&declared, &unit, NULL, NULL))
		return;
	file = absolute_path(&unit, memphis_declaration_file(&variable));
	if (file && !dwarf_decl_line(&variable, &line) &&
	    asprintf(&declaration->place, "%s:%d", file, line) < 0)
		declaration->place = NULL;
	if (!is_external(&variable))
		declaration->unit = absolute_path(&unit, dwarf_diename(&unit));
	if (declaration->unit && file && !strcmp(declaration->unit, file)) {
		free(declaration->unit);
		declaration->unit = NULL;
	}
	free(file);
}

void memphis_declaration_close(struct memphis_declaration *declaration)
{
	free(declaration->place);
	free(declaration->unit);
	memset(declaration, 0, sizeof(*declaration));
}
