/* SPDX-License-Identifier: BSD-3-Clause */
/* The static variables of one binary: by address their name, from DWARF, else from the symbol table. */
#ifndef MEMPHIS_VARIABLES_H
#define MEMPHIS_VARIABLES_H

#include "binary.h"
#include "intervals.h"

struct memphis_static {
	uint64_t low, high; /* link-time addresses */
	char *name;         /* as shown: ice_state::aicen, /block/member, ns::x, function::x, x */
	char *short_name;   /* without module, namespace, function */
	Dwarf_Off die;      /* of the variable, 0 = from the symbol table */
	bool fortran;
	bool alone; /* no other variable shares any of its addresses */
};

struct memphis_variables {
	struct memphis_static *list;
	size_t count, room;
	struct memphis_intervals index;
	bool has_dwarf, has_symbols;
};

/* The variables of the binary, read at the first call; NULL without memory. Safe from several threads. */
const struct memphis_variables *memphis_variables_of(struct memphis_binaries *binaries,
						     struct memphis_binary *binary);
void memphis_variables_close(struct memphis_binary *binary);

/* The smallest variable at the link-time address `vaddr`, DWARF before symbols; NULL = none. */
const struct memphis_static *memphis_variables_find(const struct memphis_variables *variables,
						    uint64_t vaddr);

/* How good a static word is as the name of the block that it points to; lower is better. */
enum memphis_holder_rank {
	MEMPHIS_HOLDER_ALLOCATABLE = 0, /* Fortran array descriptor, allocatable */
	MEMPHIS_HOLDER_POINTER_ARRAY,   /* Fortran array descriptor, pointer */
	MEMPHIS_HOLDER_POINTER,         /* C pointer, Fortran scalar pointer */
	MEMPHIS_HOLDER_SYMBOL,          /* no type known */
	MEMPHIS_HOLDER_OTHER,           /* a word that is no pointer by its type */
	MEMPHIS_HOLDER_NONE
};

/*
 * What the word at link-time address `slot` is called as a holder of a block: "tx", "grid%tx", "field[]".
 * *name is malloc'ed; *qualified is the same with module and so on. Takes the binary's lock.
 */
enum memphis_holder_rank memphis_variables_holder(struct memphis_binaries *binaries,
						  struct memphis_binary *binary, uint64_t slot, char **name,
						  char **qualified);

#endif
