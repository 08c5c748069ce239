/* SPDX-License-Identifier: BSD-3-Clause */
/* The static and thread-local variables of one binary: by address their name, from DWARF, else from the symbol table. */
#ifndef MEMPHIS_VARIABLES_H
#define MEMPHIS_VARIABLES_H

#include "dwarf/binary.h"
#include "base/intervals.h"

struct memphis_static {
	uint64_t low, high; /* link-time addresses; of a thread-local one, offsets in the binary's block */
	char *name;         /* as shown: ice_state::aicen, /block/member, ns::x, function::x, x */
	char *short_name;   /* without module, namespace, function */
	Dwarf_Die die;      /* of the variable; addr NULL = from the symbol table */
	bool fortran;
	bool tls;
	bool alone; /* no other variable shares any of its addresses */
};

struct memphis_variables {
	struct memphis_static *list;
	size_t count, room;
	struct memphis_intervals index, tls_index;
	bool has_dwarf, has_symbols;
	Dwarf_Die *commons; /* while they are read: those whose members' places are not told */
	size_t common_count, common_room;
};

/* The variables of the binary, read at the first call; NULL without memory. Safe from several threads. */
const struct memphis_variables *memphis_variables_of(struct memphis_binaries *binaries,
						     struct memphis_binary *binary);
void memphis_variables_close(struct memphis_binary *binary);

/* The smallest variable at the link-time address `vaddr`, DWARF before symbols; NULL = none. */
const struct memphis_static *memphis_variables_find(const struct memphis_variables *variables,
						    uint64_t vaddr);

/* The same of thread-local ones, at an offset in the block that each thread has for the binary. */
const struct memphis_static *memphis_variables_find_tls(const struct memphis_variables *variables,
							uint64_t offset);

#endif
