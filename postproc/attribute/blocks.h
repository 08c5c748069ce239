/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The allocated blocks of a process: all threads' events replayed in order of time, then the question
 * which block an address belonged to at a time.
 */
#ifndef MEMPHIS_BLOCKS_H
#define MEMPHIS_BLOCKS_H

#include "base/intervals.h"
#include "read/process.h"

enum memphis_block_table {
	MEMPHIS_BLOCKS_HEAP = 0, /* malloc and kin */
	MEMPHIS_BLOCKS_MAP,      /* mmap */
	MEMPHIS_BLOCKS_NAMED,    /* explicitly named memory that is in neither */
	MEMPHIS_BLOCK_TABLES
};

/* Blocks that are one variable: same explicit name, call stack and holding slots, and all shared memory or none. */
struct memphis_group {
	uint32_t name;    /* in the process's names, or 0 */
	uint32_t stack;   /* in the process's stacks, or 0 */
	uint32_t holders; /* in memphis_blocks.holders, or 0 */
	enum memphis_block_table table;
	uint32_t shared;                     /* 1: maps of shared memory */
	uint64_t first_address, first_bytes; /* of its earliest block, and when that came */
	uint64_t first_ns;
};

struct memphis_lifetime {
	uint64_t from_ns, to_ns;
};

/* All blocks of one group that stood at the same place. */
struct memphis_block {
	uint64_t start, end;
	uint32_t group;
	uint32_t lifetime_count;
	size_t lifetime; /* index of the first; in order of time */
};

struct memphis_blocks {
	struct memphis_group *groups;
	size_t group_count, group_room;
	struct memphis_block *list;
	size_t count, room;
	struct memphis_lifetime *lifetimes;
	size_t lifetime_count, lifetime_room;
	struct memphis_intervals index[MEMPHIS_BLOCK_TABLES];
	struct memphis_strings holders; /* sets: sorted u64 slots; 0 = none */
	uint32_t *
		stack_holders; /* by stack: the holders of all its blocks that were seen held, if they agree; else 0 */
	uint64_t overlapped; /* blocks ended by an overlapping one: their release is not in the files */
};

void memphis_blocks_close(struct memphis_blocks *blocks);

struct memphis_block_answer {
	const struct memphis_block *block; /* NULL: none; then: */
	uint64_t from_ns, to_ns;           /* while this holds; of the block if there is one */
	bool before, after;                /* a block stood here earlier; will stand here later */
};

void memphis_blocks_find(const struct memphis_blocks *blocks, enum memphis_block_table table,
			 uint64_t address, uint64_t time_ns, struct memphis_block_answer *answer);

#endif
