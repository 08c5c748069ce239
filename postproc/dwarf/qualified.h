/* SPDX-License-Identifier: BSD-3-Clause */
/* Qualified names of C++ functions: with namespaces, classes and parameters. */
#ifndef MEMPHIS_QUALIFIED_H
#define MEMPHIS_QUALIFIED_H

#include <elfutils/libdw.h>
#include <stddef.h>
#include <stdint.h>

#include "base/pool.h"

/* Cache of qualified names; each name is built once. */
struct memphis_qualified {
	struct memphis_strings keys; /* keys: memory addresses of the DIE and of the symbol's name */
	char **names;                /* by index of the key; NULL: the function has no qualified name */
	size_t room;
};

/*
 * Returns the qualified name of a function that has a DIE, a symbol, or both; the argument that is missing is
 * NULL. Inlined functions have no symbol. Returns NULL if the name needs no qualification, as in C and
 * Fortran. Names live until memphis_qualified_close().
 */
const char *memphis_qualified_name(struct memphis_qualified *qualified, Dwarf_Die *function,
				   const char *symbol);
void memphis_qualified_close(struct memphis_qualified *qualified);

#endif
