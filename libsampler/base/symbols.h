/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Symbols of loaded objects, which are looked up in the symbol table of one object, without dlsym(): that may allocate, takes the loader's lock, and may
 * return a program's PLT stub for a function that the program does not define.
 */
#ifndef MEMPHIS_SYMBOLS_H
#define MEMPHIS_SYMBOLS_H

#include <link.h>

/*
 * Returns the address of the symbol that the object defines, or NULL. Of an indirect function, that is the function which chooses. In a companion, to be
 * called below memphis_companion_try().
 */
const void *memphis_symbol_find(const struct link_map *map, const char *name);

#endif
