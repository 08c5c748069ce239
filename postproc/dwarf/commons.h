/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Layout of COMMON blocks for whose members DWARF has no locations: gfortran omits the locations for
 * threadprivate blocks if it optimizes.
 */
#ifndef MEMPHIS_COMMONS_H
#define MEMPHIS_COMMONS_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

/* Returns the linkage name of a COMMON block whose members have no locations; NULL if they have locations. */
const char *memphis_common_symbol(Dwarf_Die *block);

/*
 * Calls visit(context, member, offset, bytes) for each member of the block. The layout is inferred: members
 * are in the order of declaration, each aligned as its type requires. If the inferred size differs from
 * `symbol_bytes`, the layout is taken as wrong and no member is visited. Returns 0, or the first non-zero
 * result of visit.
 */
int memphis_common_members(Dwarf_Die *block, uint64_t symbol_bytes,
			   int (*visit)(void *context, Dwarf_Die *member, uint64_t offset, uint64_t bytes),
			   void *context);

#endif
