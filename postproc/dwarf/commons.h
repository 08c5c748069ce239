/* SPDX-License-Identifier: BSD-3-Clause */
/* Members of COMMON blocks whose places the compiler does not tell: gfortran of threadprivate ones, when it optimizes. */
#ifndef MEMPHIS_COMMONS_H
#define MEMPHIS_COMMONS_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

/* The symbol of such a block; NULL if it tells where its members are. */
const char *memphis_common_symbol(Dwarf_Die *block);

/*
 * Members follow each other in the order in which they are declared, each aligned as its type: calls visit(counters, member,
 * offset, bytes) for each if that gives the symbol's size, which says that it is so. 0, or what visit returned.
 */
int memphis_common_members(Dwarf_Die *block, uint64_t symbol_bytes,
			   int (*visit)(void *counters, Dwarf_Die *member, uint64_t offset, uint64_t bytes),
			   void *counters);

#endif
