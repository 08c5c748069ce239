/* SPDX-License-Identifier: BSD-3-Clause */
/* The blocks alive at one moment, by address; they never overlap. */
#ifndef MEMPHIS_LIVE_H
#define MEMPHIS_LIVE_H

#include <stddef.h>
#include <stdint.h>

struct memphis_live_block {
	uint64_t start, end;
	uint64_t from_ns;
	uint64_t parent; /* start of the block as allocated: naming and unmapping cut pieces */
	uint32_t name;   /* explicit, or 0 */
	uint32_t stack;
	uint32_t holders;               /* set of slots, or 0 */
	uint32_t shared;                /* 1: a map of shared memory */
	uint32_t left, right, priority; /* the tree's own */
};

struct memphis_live_blocks {
	struct memphis_live_block *nodes; /* [0] is nobody */
	size_t count, room;
	uint32_t root, unused;
};

/* `block` must not overlap another one, and not be empty. 0 or -ENOMEM. */
int memphis_live_blocks_insert(struct memphis_live_blocks *live, const struct memphis_live_block *block);

/* The first block that ends behind `address`, or NULL; valid until the next insertion or removal. */
struct memphis_live_block *memphis_live_blocks_at(struct memphis_live_blocks *live, uint64_t address);

/* Removes the block that starts at `start`. */
void memphis_live_blocks_remove(struct memphis_live_blocks *live, uint64_t start);

/* Makes `copy`, which is empty, the same as `live`. 0 or -ENOMEM. */
int memphis_live_blocks_copy(struct memphis_live_blocks *copy, const struct memphis_live_blocks *live);
void memphis_live_blocks_close(struct memphis_live_blocks *live);

#endif
