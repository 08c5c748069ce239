/* SPDX-License-Identifier: BSD-3-Clause */
/* What holds a block: the name of the variable that a word with the block's address belongs to. */
#ifndef MEMPHIS_HOLDERS_H
#define MEMPHIS_HOLDERS_H

#include "dwarf/binary.h"

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
