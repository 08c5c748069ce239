/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The blocks of a process with their lifetimes: finds the block that an address belonged to at a time. build_blocks.h builds them.
 */
#ifndef MEMPHIS_BLOCKS_H
#define MEMPHIS_BLOCKS_H

#include "base/intervals.h"
#include "read/process.h"

enum memphis_block_table {
	MEMPHIS_BLOCKS_HEAP = 0, /* malloc() and the like */
	MEMPHIS_BLOCKS_MAP,      /* mmap() */
	MEMPHIS_BLOCKS_NAMED,    /* explicitly named memory outside both */
	MEMPHIS_BLOCK_TABLES
};

/* Blocks that are one variable: same explicit name, call stack, holders and table, and either all shared memory or none. */
struct memphis_group {
	uint32_t name;    /* in the process's names, or 0 */
	uint32_t stack;   /* in the process's stacks, or 0 */
	uint32_t holders; /* in memphis_blocks.holders, or 0 */
	enum memphis_block_table table;
	uint32_t shared;                     /* 1: shared memory */
	uint64_t first_address, first_bytes; /* of its earliest block ... */
	uint64_t first_ns;                   /* ... and when that was allocated */
};

struct memphis_lifetime {
	uint64_t from_ns, to_ns;
};

/* All blocks of one group with the same start and end. */
struct memphis_block {
	uint64_t start, end;
	uint32_t group;
	uint32_t lifetime_count;
	size_t lifetime; /* index of the first one in memphis_blocks.lifetimes; in order of time */
};

struct memphis_blocks {
	struct memphis_group *groups;
	size_t group_count, group_room;
	struct memphis_block *list;
	size_t count, room;
	struct memphis_lifetime *lifetimes;
	size_t lifetime_count, lifetime_room;
	struct memphis_intervals index[MEMPHIS_BLOCK_TABLES];
	/* Sets of addresses of pointers to the block: sorted uint64_t; number 0: none. */
	struct memphis_strings holders;
	/* By stack: the holders of its blocks, if all blocks with holders agree; else 0. */
	uint32_t *stack_holders;
	/* Number of blocks that ended because a new one overlaps them: their release was not recorded. */
	uint64_t overlapped;
};

void memphis_blocks_close(struct memphis_blocks *blocks);

struct memphis_block_answer {
	const struct memphis_block *block; /* NULL: none; then see before, after */
	uint64_t from_ns,
		to_ns;      /* for how long the answer holds; the lifetime of the block if there is one */
	bool before, after; /* a block was here earlier; will be here later */
};

void memphis_blocks_find(const struct memphis_blocks *blocks, enum memphis_block_table table,
			 uint64_t address, uint64_t time_ns, struct memphis_block_answer *answer);

#endif
