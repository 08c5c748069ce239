/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Looks up symbols in the symbol table of one loaded object, without dlsym(). That function may allocate,
 * takes the loader's lock, and may return a PLT stub of the program for a function that the program does not
 * define.
 */
#ifndef MEMPHIS_SYMBOLS_H
#define MEMPHIS_SYMBOLS_H

#include <link.h>

/*
 * Returns the address of the symbol that the object defines, or NULL. For an indirect function (ifunc),
 * returns the address of its resolver. In a companion, must be called inside memphis_companion_try().
 */
const void *memphis_symbol_find(const struct link_map *map, const char *name);

#endif
