/* SPDX-License-Identifier: BSD-3-Clause */
/* Whole names of C++ functions: with namespaces, classes and parameters. */
#ifndef MEMPHIS_QUALIFIED_H
#define MEMPHIS_QUALIFIED_H

#include <elfutils/libdw.h>
#include <stddef.h>
#include <stdint.h>

#include "base/pool.h"

/* Names that were asked for, each made once. */
struct memphis_qualified {
	struct memphis_strings keys; /* of DIEs and symbols: where they stand in memory */
	char **names;                /* by number of the key; NULL: it has no other name than its own */
	size_t room;
};

/*
 * The whole name of a function with debug information and, if it stands for itself in the code, of a symbol; either may be NULL. NULL: it
 * has no other name than its own, as in C and Fortran. Names live until the closing.
 */
const char *memphis_qualified_name(struct memphis_qualified *qualified, Dwarf_Die *function,
				   const char *symbol);
void memphis_qualified_close(struct memphis_qualified *qualified);

#endif
