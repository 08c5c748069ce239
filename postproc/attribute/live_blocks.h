/* SPDX-License-Identifier: BSD-3-Clause */
/* The blocks that are alive at one time, sorted by address. They never overlap. */
#ifndef MEMPHIS_LIVE_BLOCKS_H
#define MEMPHIS_LIVE_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

struct memphis_live_block {
	uint64_t start, end;
	uint64_t from_ns;
	uint64_t mean_bytes; /* for a small block: see include/memphis/format.h; otherwise 0 */
	/* start of the original allocation; naming and unmapping cut blocks into pieces */
	uint64_t parent;
	uint32_t name;                  /* number of the explicit name in the process's names, or 0 */
	uint32_t pool;                  /* number of the pool that handed out the part, or 0 */
	uint32_t pool_name;             /* number of the pool's name in the process's names, or 0 */
	uint32_t stack;                 /* number in the process's stacks, or 0 */
	uint32_t holders;               /* number in memphis_blocks.holders, or 0 */
	uint32_t thread;                /* index of the allocating thread in the process, plus 1; or 0 */
	uint32_t shared;                /* 1 for shared memory */
	uint32_t left, right, priority; /* links and priority in the tree */
};

struct memphis_live_blocks {
	struct memphis_live_block *nodes; /* nodes[0] is the null node */
	size_t count, room;
	uint32_t root, unused; /* unused: list of free nodes, linked by `left` */
};

/* Inserts a copy of `block`, which must not be empty or overlap another block. Returns 0 or -ENOMEM. */
int memphis_live_blocks_insert(struct memphis_live_blocks *live, const struct memphis_live_block *block);

/*
 * Returns the first block that ends after `address`, or NULL if there is none. The pointer is valid until the
 * next insertion or removal.
 */
struct memphis_live_block *memphis_live_blocks_at(struct memphis_live_blocks *live, uint64_t address);

/* Removes the block that starts at `start`, if there is one. */
void memphis_live_blocks_remove(struct memphis_live_blocks *live, uint64_t start);

/* Copies `live` to `copy`, which must be empty. Returns 0 or -ENOMEM. */
int memphis_live_blocks_copy(struct memphis_live_blocks *copy, const struct memphis_live_blocks *live);
void memphis_live_blocks_close(struct memphis_live_blocks *live);

#endif
