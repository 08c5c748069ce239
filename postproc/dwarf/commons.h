/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Layout of COMMON blocks whose DWARF has no member locations: gfortran omits them for threadprivate blocks
 * when it optimizes.
 */
#ifndef MEMPHIS_COMMONS_H
#define MEMPHIS_COMMONS_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

/* Returns the linkage name of a block without member locations; NULL if the members have locations. */
const char *memphis_common_symbol(Dwarf_Die *block);

/*
 * Calls visit(context, member, offset, bytes) for each member. The layout is inferred: members in order of
 * declaration, each aligned as its type. Nothing is visited unless the inferred size equals `symbol_bytes`,
 * which confirms the layout. Returns 0, or the first non-zero result of visit.
 */
int memphis_common_members(Dwarf_Die *block, uint64_t symbol_bytes,
			   int (*visit)(void *context, Dwarf_Die *member, uint64_t offset, uint64_t bytes),
			   void *context);

#endif
