/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds the static and thread-local variables of a binary by address. Names come from DWARF. For variables
 * without DWARF, they come from the symbol table.
 */
#ifndef MEMPHIS_VARIABLES_H
#define MEMPHIS_VARIABLES_H

#include "base/intervals.h"
#include "dwarf/binary.h"

struct memphis_static {
	/* Link-time addresses. For thread-local variables, offsets in the binary's TLS block. */
	uint64_t low, high;
	uint64_t start;   /* start of the whole variable; differs from `low` if this entry is a part of it */
	char *name;       /* displayed name: ice_state::aicen, /block/member, ns::x, function::x, x */
	char *short_name; /* name without module, namespace or function */
	Dwarf_Die die;    /* DIE of the variable; addr is NULL if only the symbol table contains it */
	/*
	 * From the symbol table, or NULL; valid as long as the binary. `symbol` is the symbol of the
	 * variable. `file` is its source file, known only for variables without a DIE.
	 */
	const char *symbol, *file;
	bool fortran;
	bool tls;
	bool alone; /* no other variable overlaps this one */
	/*
	 * Used only while reading. `nameless`: the debug information does not name the function that contains
	 * the variable. `common`: the symbol is that of a COMMON block.
	 */
	bool nameless, common;
};

struct memphis_variables {
	struct memphis_static *list;
	size_t count, room;
	struct memphis_intervals index, tls_index;
	bool has_dwarf, has_symbols;
	/*
	 * Used only while reading: names of the sources that DWARF describes, whether some are in Fortran,
	 * and whether DWARF lacks COMMON blocks (as with flang) or sources in other languages.
	 */
	const char **units;
	size_t unit_count, unit_room;
	bool has_fortran, lacks_commons, lacks_others;
	Dwarf_Die *commons; /* used only while reading: COMMON blocks whose members have no locations */
	size_t common_count, common_room;
};

/* Returns the variables of the binary, which are read on the first call. Returns NULL if memory is exhausted. Thread-safe. */
const struct memphis_variables *memphis_variables_of(struct memphis_binaries *binaries,
						     struct memphis_binary *binary);
void memphis_variables_close(struct memphis_binary *binary);

/*
 * Returns the smallest variable that contains link-time address `vaddr`, or NULL. Prefers variables from
 * DWARF to those from the symbol table.
 */
const struct memphis_static *memphis_variables_find(const struct memphis_variables *variables,
						    uint64_t vaddr);

/*
 * Does the same as memphis_variables_find() for thread-local variables. `offset` is relative to the start of
 * the binary's TLS block of a thread.
 */
const struct memphis_static *memphis_variables_find_tls(const struct memphis_variables *variables,
							uint64_t offset);

#endif
