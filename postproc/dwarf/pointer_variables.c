// SPDX-License-Identifier: BSD-3-Clause
/* Finds the pointer variable, or the pointer in a structure, that holds the address of a block. */
#include "dwarf/pointer_variables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf/type/types.h"
#include "dwarf/variables.h"

void memphis_pointer_variable_close(struct memphis_pointer_variable *holder)
{
	free(holder->name);
	free(holder->qualified);
	memset(holder, 0, sizeof(*holder));
	holder->rank = MEMPHIS_POINTER_NONE;
}

/*
 * Sets both names of the holder to the name of the outer variable, the separator `between`, and the access
 * path. Frees `path`.
 */
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

void memphis_pointer_variable_at(struct memphis_binaries *binaries, struct memphis_binary *binary,
				 uint64_t slot, bool indexed, struct memphis_pointer_variable *holder)
{
	const struct memphis_variables *variables = memphis_variables_of(binaries, binary);
	const struct memphis_static *variable;
	struct memphis_text path = {0};

	memset(holder, 0, sizeof(*holder));
	holder->rank = MEMPHIS_POINTER_NONE;
	variable = variables ? memphis_variables_find(variables, slot) : NULL;
	if (!variable)
		return;
	holder->rank = MEMPHIS_POINTER_SYMBOL;
	holder->binary = binary;
	holder->fortran = variable->fortran;
	memphis_text_put(&path, "");
	if (variable->die.addr) {
		Dwarf_Die die = variable->die;

		pthread_mutex_lock(&binary->lock);
		holder->rank = memphis_type_pointer_at(&die, slot - variable->low, variable->fortran, indexed,
						       &path, &holder->element, &holder->array);
		pthread_mutex_unlock(&binary->lock);
	} else if (slot != variable->low) {
		holder->rank = MEMPHIS_POINTER_OTHER;
	}
	name_variable(holder, variable->short_name, variable->name, "", &path);
}

void memphis_pointer_variable_in(const struct memphis_pointer_variable *outer, uint64_t offset,
				 uint64_t bytes, struct memphis_pointer_variable *holder)
{
	const char *between = outer->fortran ? "" : "->";
	struct memphis_text path = {0};
	Dwarf_Die type = outer->element;

	memset(holder, 0, sizeof(*holder));
	holder->rank = MEMPHIS_POINTER_NONE;
	if (!type.addr)
		return;
	holder->binary = outer->binary;
	holder->fortran = outer->fortran;
	memphis_text_put(&path, "");
	pthread_mutex_lock(&outer->binary->lock);
	holder->rank = memphis_type_pointer_in(&type, offset, outer->fortran, &path, &holder->element,
					       &holder->array);
	if (bytes > memphis_type_size(&type, outer->fortran))
		between = outer->fortran ? "()" : "[]";
	pthread_mutex_unlock(&outer->binary->lock);
	name_variable(holder, outer->name, outer->qualified, between, &path);
}
