/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The static and thread-local variables of a binary, indexed by address. Names come from DWARF or, without
 * it, from the symbol table.
 */
#ifndef MEMPHIS_VARIABLES_H
#define MEMPHIS_VARIABLES_H

#include "base/intervals.h"
#include "dwarf/binary.h"

struct memphis_static {
	/* Link-time addresses, or offsets in the binary's TLS block for thread-local variables. */
	uint64_t low, high;
	uint64_t start;   /* of the whole variable; differs from `low` if this is a part of it */
	char *name;       /* as displayed: ice_state::aicen, /block/member, ns::x, function::x, x */
	char *short_name; /* without module, namespace or function */
	Dwarf_Die die;    /* the variable's DIE; addr is NULL if only the symbol table has the variable */
	/* From the symbol table, or NULL; valid as long as the binary: the symbol; without a DIE, its source file. */
	const char *symbol, *file;
	bool fortran;
	bool tls;
	bool alone; /* no other variable overlaps this one */
	/* Used only while reading: the debug information does not name the function of the variable; it has a COMMON block of this symbol. */
	bool nameless, common;
};

struct memphis_variables {
	struct memphis_static *list;
	size_t count, room;
	struct memphis_intervals index, tls_index;
	bool has_dwarf, has_symbols;
	/* Used only while reading: which sources DWARF describes, whether some are in Fortran, and whether it lacks COMMON blocks (flang's) or sources in other languages. */
	const char **units;
	size_t unit_count, unit_room;
	bool has_fortran, lacks_commons, lacks_others;
	Dwarf_Die *commons; /* used only while reading: COMMON blocks whose members have no locations */
	size_t common_count, common_room;
};

/*
 * Returns the variables of the binary, which are read on the first call; NULL if memory is exhausted.
 * Thread-safe.
 */
const struct memphis_variables *memphis_variables_of(struct memphis_binaries *binaries,
						     struct memphis_binary *binary);
void memphis_variables_close(struct memphis_binary *binary);

/*
 * Returns the smallest variable that covers link-time address `vaddr`, or NULL. Variables from DWARF take
 * precedence over those from the symbol table.
 */
const struct memphis_static *memphis_variables_find(const struct memphis_variables *variables,
						    uint64_t vaddr);

/*
 * Like memphis_variables_find(), for thread-local variables. `offset` is relative to the start of a thread's
 * TLS block for the binary.
 */
const struct memphis_static *memphis_variables_find_tls(const struct memphis_variables *variables,
							uint64_t offset);

#endif
