/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The static and thread-local variables of one binary, indexed by address; names come from DWARF, else from
 * the symbol table.
 */
#ifndef MEMPHIS_VARIABLES_H
#define MEMPHIS_VARIABLES_H

#include "dwarf/binary.h"
#include "base/intervals.h"

struct memphis_static {
	/* link-time addresses; for thread-local variables, offsets in the binary's TLS block */
	uint64_t low, high;
	char *name;       /* as shown: ice_state::aicen, /block/member, ns::x, function::x, x */
	char *short_name; /* without module, namespace, function */
	Dwarf_Die die;    /* the variable's DIE; addr NULL = found in the symbol table only */
	bool fortran;
	bool tls;
	bool alone; /* no other variable overlaps it */
};

struct memphis_variables {
	struct memphis_static *list;
	size_t count, room;
	struct memphis_intervals index, tls_index;
	bool has_dwarf, has_symbols;
	Dwarf_Die *commons; /* only during reading: COMMON blocks without member locations */
	size_t common_count, common_room;
};

/* Returns the variables of the binary, read on the first call; NULL if memory runs out. Thread-safe. */
const struct memphis_variables *memphis_variables_of(struct memphis_binaries *binaries,
						     struct memphis_binary *binary);
void memphis_variables_close(struct memphis_binary *binary);

/*
 * Returns the smallest variable that covers link-time address `vaddr`, or NULL. Variables from DWARF take
 * precedence over symbols.
 */
const struct memphis_static *memphis_variables_find(const struct memphis_variables *variables,
						    uint64_t vaddr);

/*
 * As memphis_variables_find(), for thread-local variables: `offset` is relative to the binary's TLS block of
 * a thread.
 */
const struct memphis_static *memphis_variables_find_tls(const struct memphis_variables *variables,
							uint64_t offset);

#endif
