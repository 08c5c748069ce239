/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The memory blocks of a process with their lifetimes. Finds the block that contained an address at a given
 * time. The code in build_blocks.h builds the blocks.
 */
#ifndef MEMPHIS_BLOCKS_H
#define MEMPHIS_BLOCKS_H

#include "base/intervals.h"
#include "read/process.h"

enum memphis_block_table {
	MEMPHIS_BLOCKS_HEAP = 0, /* malloc() and similar functions */
	MEMPHIS_BLOCKS_MAP,      /* mmap() */
	MEMPHIS_BLOCKS_NAMED,    /* memory that was named explicitly and is in neither kind of block */
	/* parts that pools hand out; the next tables contain parts that lie inside such parts */
	MEMPHIS_BLOCKS_PART,
	MEMPHIS_BLOCKS_PART_LAST = MEMPHIS_BLOCKS_PART + 2,
	MEMPHIS_BLOCK_TABLES
};
#define MEMPHIS_PART_LEVELS (MEMPHIS_BLOCK_TABLES - MEMPHIS_BLOCKS_PART)

/*
 * A group: the blocks that reports treat as one variable. They have the same explicit name, pool name, call
 * stack, holders and table. Either all of them are shared memory, or none is. Either all of them are small
 * blocks, or none is.
 */
struct memphis_block_group {
	uint32_t name; /* number in the process's names, or 0 */
	/* number of the name of the pool that handed out the part, in the process's names; or 0 */
	uint32_t pool;
	uint32_t stack;   /* number in the process's stacks, or 0 */
	uint32_t holders; /* number in memphis_blocks.holders, or 0 */
	enum memphis_block_table table;
	uint32_t shared; /* 1 for shared memory */
	/* 1 for small blocks, of which only a random sample is recorded */
	uint32_t small;
	/* address and size of the block of the group that was allocated first */
	uint64_t first_address, first_bytes;
	uint64_t first_ns; /* time of its allocation */
};

struct memphis_lifetime {
	uint64_t from_ns, to_ns;
	/* index of the allocating thread in its process, plus 1; 0 if unknown */
	uint32_t thread;
};

/* All blocks of one group that have the same start and end address. Each of them is one lifetime. */
struct memphis_block {
	uint64_t start, end;
	uint32_t group;
	uint32_t lifetime_count;
	/* index of the first lifetime in memphis_blocks.lifetimes; the lifetimes are sorted by time */
	size_t lifetime;
};

/*
 * A recorded small block. Small blocks are recorded at random, once per `mean_bytes` allocated bytes on
 * average (see include/memphis/format.h).
 */
struct memphis_small_block {
	uint64_t start, end, from_ns, to_ns, mean_bytes;
	uint32_t group;
};

struct memphis_blocks {
	struct memphis_block_group *groups;
	size_t group_count, group_room;
	struct memphis_block *list;
	size_t count, room;
	struct memphis_lifetime *lifetimes;
	size_t lifetime_count, lifetime_room;
	struct memphis_intervals index[MEMPHIS_BLOCK_TABLES];
	/*
	 * The sets of holders. A holder is the address of a pointer that held the address of the block. Each
	 * set is an array of sorted uint64_t values. Set 0 is empty.
	 */
	struct memphis_strings holders;
	/* Sorted addresses of pointers that do not prove what a pool's part is called: see memphis_shared_slots_find(). */
	uint64_t *shared_slots;
	size_t shared_slot_count, shared_slot_room;
	/*
	 * Indexed by stack. If all blocks from this call stack whose holders are known have the same holders,
	 * the number of this set; otherwise 0.
	 */
	uint32_t *stack_holders;
	/* All small blocks; attribute/small_blocks.h builds its index from them. */
	struct memphis_small_block *small;
	size_t small_count, small_room;
	/* Number of blocks that were ended because a new block overlapped them. Their release had not been recorded. */
	uint64_t overlapped;
};

void memphis_blocks_close(struct memphis_blocks *blocks);

struct memphis_block_answer {
	/* NULL if no block contained the address; see `before` and `after` */
	const struct memphis_block *block;
	/* time range in which the answer is valid: the lifetime of the block, if there is one */
	uint64_t from_ns, to_ns;
	uint32_t thread; /* allocating thread of this lifetime, as in struct memphis_lifetime */
	/* If `block` is NULL: an earlier block contained the address; a later block contains it. */
	bool before, after;
};

void memphis_blocks_find(const struct memphis_blocks *blocks, enum memphis_block_table table,
			 uint64_t address, uint64_t time_ns, struct memphis_block_answer *answer);

/*
 * Returns the last block that contained the address and ended before `time_ns`, or NULL. Skips lifetimes that
 * end exactly at `time_ns`: there, the same block continues under another name or with another size.
 */
const struct memphis_block *memphis_blocks_earlier(const struct memphis_blocks *blocks,
						   enum memphis_block_table table, uint64_t address,
						   uint64_t time_ns);

/*
 * Shared slots: pointers that held the address of a pool's part, but do not prove what the part is called.
 * There are two cases. The pool's pointer to its own block also holds the address of the first part, which
 * begins at the same address. The pool's pointer to the part that it handed out last holds parts from every
 * source line. Such a pointer names a block or part only if the source line that allocates the block assigns
 * to the pointer.
 */

/* Finds the shared slots among the holders of all groups, and stores them in blocks->shared_slots. Returns 0 or -ENOMEM. */
int memphis_shared_slots_find(struct memphis_blocks *blocks);

bool memphis_shared_slots_has(const struct memphis_blocks *blocks, uint64_t slot);

#endif
