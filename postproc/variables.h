/* SPDX-License-Identifier: BSD-3-Clause */
/* The static and thread-local variables of one binary: by address their name, from DWARF, else from the symbol table. */
#ifndef MEMPHIS_VARIABLES_H
#define MEMPHIS_VARIABLES_H

#include "binary.h"
#include "intervals.h"

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

/* How good a static word is as the name of the block that it points to; lower is better. */
enum memphis_holder_rank {
	MEMPHIS_HOLDER_ALLOCATABLE = 0, /* Fortran array descriptor, allocatable */
	MEMPHIS_HOLDER_POINTER_ARRAY,   /* Fortran array descriptor, pointer */
	MEMPHIS_HOLDER_POINTER,         /* C pointer, Fortran scalar pointer */
	MEMPHIS_HOLDER_SYMBOL,          /* no type known */
	MEMPHIS_HOLDER_OTHER,           /* a word that is no pointer by its type */
	MEMPHIS_HOLDER_NONE
};

/* What a word is called as a holder of a block, and what the block is made of. */
struct memphis_holder_name {
	enum memphis_holder_rank rank;
	char *name;      /* "tx", "grid%tx", "field[]"; malloc'ed, NULL with MEMPHIS_HOLDER_NONE */
	char *qualified; /* the same with module and so on */
	bool fortran;
	struct memphis_binary *binary; /* whose lock guards: */
	Dwarf_Die element;             /* the type of the block's elements; addr NULL = not known */
};

/* The holder at link-time address `slot`; `indexed`: with the index of a structure in an array. Takes the binary's lock. */
void memphis_variables_holder(struct memphis_binaries *binaries, struct memphis_binary *binary, uint64_t slot,
			      bool indexed, struct memphis_holder_name *holder);

/* The one at `offset` in a block of `bytes` bytes that `outer` holds, if the type of its elements is known. Takes the lock. */
void memphis_variables_holder_in(const struct memphis_holder_name *outer, uint64_t offset, uint64_t bytes,
				 struct memphis_holder_name *holder);
void memphis_holder_name_close(struct memphis_holder_name *holder);

#endif
