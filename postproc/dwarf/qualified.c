// SPDX-License-Identifier: BSD-3-Clause
/* Builds qualified names of C++ functions, which include namespaces, classes and parameters, and clear names of Fortran procedures. */
#include "dwarf/qualified.h"

#include <dwarf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf/demangle.h"
#include "base/error.h"
#include "base/text.h"

#define ORIGINS_MAX 8 /* maximum number of links followed from a function's code to its declaration */

static char *by_linkage_name(Dwarf_Die *function)
{
	Dwarf_Attribute attribute;
	const char *name = dwarf_formstring(dwarf_attr_integrate(function, DW_AT_linkage_name, &attribute));

	if (!name)
		name = dwarf_formstring(dwarf_attr_integrate(function, DW_AT_MIPS_linkage_name, &attribute));
	return memphis_demangle(name);
}

static bool is_cplusplus(Dwarf_Die *function)
{
	Dwarf_Die unit;

	if (!dwarf_diecu(function, &unit, NULL, NULL))
		return false;
	switch (dwarf_srclang(&unit)) {
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
		return true;
	}
	return false;
}

/* Replaces the DIE with that of the function's declaration, which is inside its class or namespace. */
static void declaration_of(Dwarf_Die *function)
{
	Dwarf_Attribute attribute;
	Dwarf_Die origin;
	int i;

	for (i = 0; i < ORIGINS_MAX; i++) {
		if (!dwarf_attr(function, DW_AT_abstract_origin, &attribute) &&
		    !dwarf_attr(function, DW_AT_specification, &attribute))
			return;
		if (!dwarf_formref_die(&attribute, &origin))
			return;
		*function = origin;
	}
}

static void put_scope(struct memphis_text *text, Dwarf_Die *scope)
{
	const char *name = dwarf_diename(scope);

	switch (dwarf_tag(scope)) {
	case DW_TAG_namespace:
		name = name ? name : "(anonymous namespace)";
		break;
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
		name = name ? name : "(anonymous class)";
		break;
	case DW_TAG_subprogram:
		break;
	default:
		return;
	}
	if (name)
		memphis_text_print(text, "%s::", name);
}

void memphis_put_scopes(struct memphis_text *text, Dwarf_Die *die)
{
	Dwarf_Die *scopes = NULL;
	int count = dwarf_getscopes_die(die, &scopes);

	memphis_text_put(text, "");
	/* Skip scopes[0], the DIE itself. */
	while (count-- > 1)
		put_scope(text, &scopes[count]);
	free(scopes);
}

/*
 * Builds the name from the enclosing scopes and the plain name. Used for functions that have no linkage name,
 * as is possible with internal linkage.
 */
static char *by_scopes(Dwarf_Die *function)
{
	struct memphis_text text = {0};
	const char *name = dwarf_diename(function);
	Dwarf_Die die = *function;

	if (!name || !is_cplusplus(function))
		return NULL;
	declaration_of(&die);
	memphis_put_scopes(&text, &die);
	memphis_text_put(&text, name);
	if (!text.failed && strcmp(text.text, name))
		return text.text;
	memphis_text_close(&text);
	return NULL;
}

static char *make(Dwarf_Die *function, const char *symbol)
{
	char *name = function ? by_linkage_name(function) : NULL;

	if (!name)
		name = memphis_demangle(symbol);
	if (!name && function)
		name = by_scopes(function);
	return name ? name : memphis_demangle_procedure(function ? dwarf_diename(function) : symbol);
}

const char *memphis_qualified_name(struct memphis_qualified *qualified, Dwarf_Die *function,
				   const char *symbol)
{
	const size_t known = qualified->keys.count;
	Dwarf_Die declaration = {0};
	const void *key[2];
	uint32_t number;

	/* Use the declaration as key: all inlined copies share it, although each has its own DIE. */
	if (function) {
		declaration = *function;
		declaration_of(&declaration);
	}
	key[0] = declaration.addr;
	key[1] = symbol;
	if (memphis_grow(&qualified->names, &qualified->room, known + 2, sizeof(*qualified->names)))
		return NULL;
	number = memphis_strings_add(&qualified->keys, key, sizeof(key));
	if (number == MEMPHIS_NO_STRING)
		return NULL;
	if (qualified->keys.count != known)
		qualified->names[number] = make(function, symbol);
	return qualified->names[number];
}

void memphis_qualified_close(struct memphis_qualified *qualified)
{
	size_t i;

	for (i = 1; i < qualified->keys.count; i++)
		free(qualified->names[i]);
	memphis_strings_close(&qualified->keys);
	free(qualified->names);
	memset(qualified, 0, sizeof(*qualified));
}
