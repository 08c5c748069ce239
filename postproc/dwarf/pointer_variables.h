/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The pointer variable that holds a block's address: name and element type of the variable at a static
 * address (a slot of the file's HOLDERS chunk), or of a pointer inside another block.
 */
#ifndef MEMPHIS_POINTER_VARIABLES_H
#define MEMPHIS_POINTER_VARIABLES_H

#include "dwarf/binary.h"

/* How well a static word is suited to name the block that it points to; lower is better. */
enum memphis_pointer_rank {
	MEMPHIS_POINTER_ALLOCATABLE = 0, /* Fortran array descriptor, allocatable */
	MEMPHIS_POINTER_ARRAY,           /* Fortran array descriptor, pointer */
	MEMPHIS_POINTER_SCALAR,          /* C pointer, Fortran scalar pointer */
	MEMPHIS_POINTER_SYMBOL,          /* type unknown */
	MEMPHIS_POINTER_OTHER,           /* the type is no pointer */
	MEMPHIS_POINTER_NONE
};

/* Name of the pointer variable, and the element type of the block that it points to. */
struct memphis_pointer_variable {
	enum memphis_pointer_rank rank;
	char *name;      /* "tx", "grid%tx", "field[]"; malloc'ed, NULL with MEMPHIS_POINTER_NONE */
	char *qualified; /* the same name qualified with module, namespace or function */
	bool fortran;
	struct memphis_binary *binary; /* binary->lock guards `element` */
	Dwarf_Die element;             /* type of the block's elements; addr NULL = unknown */
};

/*
 * Finds the variable at link-time address `slot`. With `indexed`, the name includes the index of a structure
 * in an array. Takes the binary's lock.
 */
void memphis_pointer_variable_at(struct memphis_binaries *binaries, struct memphis_binary *binary,
				 uint64_t slot, bool indexed, struct memphis_pointer_variable *holder);

/*
 * Finds the pointer at `offset` in a block of `bytes` bytes that the variable `outer` points to; none if the
 * element type of `outer` is unknown. Takes the binary's lock.
 */
void memphis_pointer_variable_in(const struct memphis_pointer_variable *outer, uint64_t offset,
				 uint64_t bytes, struct memphis_pointer_variable *holder);
void memphis_pointer_variable_close(struct memphis_pointer_variable *holder);

#endif
