/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the memory that a function takes from the stack while it runs, for arrays of variable length and alloca(). */
#ifndef MEMPHIS_STACK_GROWTH_H
#define MEMPHIS_STACK_GROWTH_H

#include "dwarf/binary.h"

#define MEMPHIS_GROWTHS_MAX 32

/* A stack growth: an instruction that takes memory from the stack. */
struct memphis_growth {
	uint64_t vaddr; /* address after the instruction that computes the new stack pointer */
	/* Identifies the size, which is not known. Growths with the same number have the same size in bytes. */
	uint32_t size;
	/* Constant number of bytes that were taken since the previous growth, or since the start of the frame. */
	int64_t before;
};

/* The growths in the code of a function before a given instruction. */
struct memphis_stack_growth {
	struct memphis_growth list[MEMPHIS_GROWTHS_MAX];
	size_t count; /* 0 if there are none, or if the code does not show where the memory is */
	/*
	 * The stack pointer is ANDed with this mask when it is `aligned` bytes below the frame pointer.
	 * UINT64_MAX: no alignment.
	 */
	uint64_t mask;
	int64_t aligned;
	int64_t after; /* constant number of bytes taken since the last growth */
};

/*
 * Reads the code of the function up to the instruction at `vaddr`. Returns no growths if different paths to
 * an instruction have taken different memory. Not thread-safe for calls with the same binary.
 */
void memphis_stack_growth_read(struct memphis_binary *binary, uint64_t vaddr,
			       struct memphis_stack_growth *growth);

/*
 * Stores the bounds of the memory that the growth at `index` took. `bp` is the frame pointer, and `sp` the
 * stack pointer, of the frame. Returns false if the bounds are unknown. If `sp` is unknown, the lower bound
 * of the last growth is set to 0.
 */
bool memphis_stack_growth_bounds(const struct memphis_stack_growth *growth, size_t index, uint64_t bp,
				 uint64_t sp, bool sp_known, uint64_t *low, uint64_t *high);

#endif
