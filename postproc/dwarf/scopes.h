/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the names of the scopes that contain a declaration: namespaces, modules, classes and functions. */
#ifndef MEMPHIS_SCOPES_H
#define MEMPHIS_SCOPES_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

/* Cache of the scopes of the units that were queried. Initialize with zeros. */
struct memphis_scopes {
	struct memphis_unit_scopes *list;
	size_t count, room;
};

/*
 * Appends the scopes that contain the declaration of a variable, function or type:
 * "ocean::Grid<float>::step::". Inlined and cloned functions, and members that are defined outside their
 * class, get the scopes of their declaration. The caller must hold the lock of the binary.
 */
void memphis_put_scopes(struct memphis_scopes *scopes, struct memphis_text *text, const Dwarf_Die *die);

/*
 * Appends the scopes of variables that are declared in the function, including the name of the function. The
 * function may be an inlined call.
 */
void memphis_put_scopes_in(struct memphis_scopes *scopes, struct memphis_text *text,
			   const Dwarf_Die *function);
void memphis_scopes_close(struct memphis_scopes *scopes);

/*
 * Finds the function whose source text contains `function`: the last one that is declared before it in the
 * same file. Needed for bodies of parallel regions whose names do not contain the original function, such as
 * ".omp_outlined." (clang). Returns false if there is none.
 */
bool memphis_enclosing_function_find(struct memphis_scopes *scopes, Dwarf_Die *function,
				     Dwarf_Die *enclosing);

/* Appends the name of a COMMON block as a scope: "/name/". */
void memphis_put_common(struct memphis_text *text, Dwarf_Die *block);

/* Replaces the DIE of a variable or function by its declaration, which is inside its class or namespace. */
void memphis_resolve_to_declaration(Dwarf_Die *die);

/* Where a variable is declared. The strings are malloc'ed. */
struct memphis_declaration {
	char *place; /* "path:line", or NULL */
	/*
	 * Path of the compilation unit, if the variable is private to it and declared in another file, such
	 * as a header. Otherwise NULL.
	 */
	char *unit;
};

/* The caller must hold the lock of the binary. If memory is exhausted, the strings are NULL. */
/*
 * Returns the source file of a declaration, or NULL. Unlike dwarf_decl_file(), accepts file number 0 of DWARF 5 (section
 * 6.2.4).
 */
const char *memphis_declaration_file(Dwarf_Die *die);

void memphis_declaration_read(struct memphis_declaration *declaration, const Dwarf_Die *die);
void memphis_declaration_close(struct memphis_declaration *declaration);

#endif
