/* SPDX-License-Identifier: BSD-3-Clause */
/* The memory that a function takes from the stack while it runs, for arrays of variable length and alloca(). */
#ifndef MEMPHIS_STACK_GROWTH_H
#define MEMPHIS_STACK_GROWTH_H

#include "dwarf/binary.h"

#define MEMPHIS_GROWTHS_MAX 32

/* An instruction that takes memory. */
struct memphis_growth {
	uint64_t vaddr; /* behind the instruction that computes the new stack pointer */
	/* Growths with the same number take equally many bytes. */
	uint32_t size;
	int64_t before; /* constant number of bytes that were taken since the growth before, or since the frame's beginning */
};

/* What the code of a function up to one of its instructions takes from the stack. */
struct memphis_stack_growth {
	struct memphis_growth list[MEMPHIS_GROWTHS_MAX];
	size_t count; /* 0: none, or the code does not show where it is */
	uint64_t
		mask; /* the stack pointer is ANDed with it after `aligned` bytes below the frame pointer; or UINT64_MAX */
	int64_t aligned;
	int64_t after; /* constant number of bytes that were taken since the last growth */
};

/*
 * Reads the code of the function up to the instruction at `vaddr`. There is none if different ways through the code lead to instructions with different
 * memory. Not thread-safe for calls with the same binary.
 */
void memphis_stack_growth_read(struct memphis_binary *binary, uint64_t vaddr,
			       struct memphis_stack_growth *growth);

/*
 * Stores the bounds of the memory that the growth at `index` has taken in a frame with the frame pointer `bp`, whose stack pointer is `sp`. Returns false if
 * they are not known. Without a known `sp`, the lower bound of the last growth is 0.
 */
bool memphis_stack_growth_bounds(const struct memphis_stack_growth *growth, size_t index, uint64_t bp,
				 uint64_t sp, bool sp_known, uint64_t *low, uint64_t *high);

#endif
