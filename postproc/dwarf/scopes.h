/* SPDX-License-Identifier: BSD-3-Clause */
/* Names the scopes around a declaration: the namespaces, modules, classes and functions that contain it. */
#ifndef MEMPHIS_SCOPES_H
#define MEMPHIS_SCOPES_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

/* The scopes of those units that were asked for; each unit is read once. All zeros: none yet. */
struct memphis_scopes {
	struct memphis_unit_scopes *list;
	size_t count, room;
};

/*
 * Appends the scopes around the declaration of a variable, function or type: "ocean::Grid<float>::step::". Inlined and cloned
 * functions, and members that are defined outside their class, have those of their declaration. The caller must hold the lock of
 * the binary.
 */
void memphis_put_scopes(struct memphis_scopes *scopes, struct memphis_text *text, const Dwarf_Die *die);

/* The same for what is declared in the function, which may be an inlined call: appends the name of the function, too. */
void memphis_put_scopes_in(struct memphis_scopes *scopes, struct memphis_text *text,
			   const Dwarf_Die *function);
void memphis_scopes_close(struct memphis_scopes *scopes);

/*
 * Stores the function whose source contains that of `function`: the one declared last before it in its file. For bodies of parallel regions with
 * names that do not tell of which function: ".omp_outlined." (clang). Returns false if there is none.
 */
bool memphis_enclosing_function_find(struct memphis_scopes *scopes, Dwarf_Die *function,
				     Dwarf_Die *enclosing);

/* Appends the name of a COMMON block as a scope: "/name/". */
void memphis_put_common(struct memphis_text *text, Dwarf_Die *block);

/* Replaces the DIE by the one that declares the same variable or function, inside its class or namespace. */
void memphis_resolve_to_declaration(Dwarf_Die *die);

/* Where a variable is declared; malloc'ed. */
struct memphis_declaration {
	char *place; /* "path:line", or NULL */
	/* Path of the unit that has the variable for itself and declares it in another file, such as a header; else NULL. */
	char *unit;
};

/* The caller must hold the lock of the binary. What memory does not suffice for is unknown. */
void memphis_declaration_read(struct memphis_declaration *declaration, const Dwarf_Die *die);
void memphis_declaration_close(struct memphis_declaration *declaration);

#endif
