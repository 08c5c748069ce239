/* SPDX-License-Identifier: BSD-3-Clause */
/* What holds a block: the name of the variable that a word with the block's address belongs to. */
#ifndef MEMPHIS_POINTER_VARIABLES_H
#define MEMPHIS_POINTER_VARIABLES_H

#include "dwarf/binary.h"

/* How good a static word is as the name of the block that it points to; lower is better. */
enum memphis_pointer_rank {
	MEMPHIS_POINTER_ALLOCATABLE = 0, /* Fortran array descriptor, allocatable */
	MEMPHIS_POINTER_ARRAY,           /* Fortran array descriptor, pointer */
	MEMPHIS_POINTER_SCALAR,          /* C pointer, Fortran scalar pointer */
	MEMPHIS_POINTER_SYMBOL,          /* no type known */
	MEMPHIS_POINTER_OTHER,           /* a word that is no pointer by its type */
	MEMPHIS_POINTER_NONE
};

/* What a word is called as a holder of a block, and what the block is made of. */
struct memphis_pointer_variable {
	enum memphis_pointer_rank rank;
	char *name;      /* "tx", "grid%tx", "field[]"; malloc'ed, NULL with MEMPHIS_POINTER_NONE */
	char *qualified; /* the same with module and so on */
	bool fortran;
	struct memphis_binary *binary; /* whose lock guards: */
	Dwarf_Die element;             /* the type of the block's elements; addr NULL = not known */
};

/* The holder at link-time address `slot`; `indexed`: with the index of a structure in an array. Takes the binary's lock. */
void memphis_pointer_variable_at(struct memphis_binaries *binaries, struct memphis_binary *binary,
				 uint64_t slot, bool indexed, struct memphis_pointer_variable *holder);

/* The one at `offset` in a block of `bytes` bytes that `outer` holds, if the type of its elements is known. Takes the lock. */
void memphis_pointer_variable_in(const struct memphis_pointer_variable *outer, uint64_t offset,
				 uint64_t bytes, struct memphis_pointer_variable *holder);
void memphis_pointer_variable_close(struct memphis_pointer_variable *holder);

#endif
