/* SPDX-License-Identifier: BSD-3-Clause */
/* Builds qualified names of C++ functions, which include namespaces, classes and parameters. */
#ifndef MEMPHIS_QUALIFIED_H
#define MEMPHIS_QUALIFIED_H

#include <elfutils/libdw.h>
#include <stddef.h>
#include <stdint.h>

#include "base/pool.h"
#include "base/text.h"

/* Cache of qualified names; each name is built once. */
struct memphis_qualified {
	/* each key consists of the addresses in memory of the DIE and of the symbol's name */
	struct memphis_strings keys;
	/* indexed by number of the key; NULL if the function has no qualified name */
	char **names;
	size_t room;
};

/*
 * Returns the qualified name of a function for which a DIE, a symbol, or both are known; the unknown one is
 * NULL. Inlined functions have no symbol. Returns NULL if the name needs no qualification, as in C and
 * Fortran. The name is valid until memphis_qualified_close().
 */
const char *memphis_qualified_name(struct memphis_qualified *qualified, Dwarf_Die *function,
				   const char *symbol);

/* Appends the namespaces and classes around a DIE: "ocean::Grid::". */
void memphis_put_scopes(struct memphis_text *text, Dwarf_Die *die);
void memphis_qualified_close(struct memphis_qualified *qualified);

#endif
