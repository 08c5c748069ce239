/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The blocks of a process with their lifetimes, and the lookup of the block that contained an address at a time. The blocks are built by
 * build_blocks.h.
 */
#ifndef MEMPHIS_BLOCKS_H
#define MEMPHIS_BLOCKS_H

#include "base/intervals.h"
#include "read/process.h"

enum memphis_block_table {
	MEMPHIS_BLOCKS_HEAP = 0, /* malloc() and similar functions */
	MEMPHIS_BLOCKS_MAP,      /* mmap() */
	MEMPHIS_BLOCKS_NAMED,    /* explicitly named memory outside both kinds of blocks */
	MEMPHIS_BLOCKS_PART,     /* parts that pools hand out, and in the next tables parts inside of these */
	MEMPHIS_BLOCKS_PART_LAST = MEMPHIS_BLOCKS_PART + 2,
	MEMPHIS_BLOCK_TABLES
};
#define MEMPHIS_PART_LEVELS (MEMPHIS_BLOCK_TABLES - MEMPHIS_BLOCKS_PART)

/*
 * A group: the blocks that are treated as one variable. They have the same explicit name, pool name, call
 * stack, holders and table. Either all are shared memory, or all are private. Either all are small blocks, or
 * none is.
 */
struct memphis_block_group {
	uint32_t name;    /* number in the process's names, or 0 */
	uint32_t pool;    /* number of the name of the parts' pool in these names, or 0 */
	uint32_t stack;   /* number in the process's stacks, or 0 */
	uint32_t holders; /* number in memphis_blocks.holders, or 0 */
	enum memphis_block_table table;
	uint32_t shared;                     /* 1 for shared memory */
	uint32_t small;                      /* 1 for small blocks, of which a random sample is recorded */
	uint64_t first_address, first_bytes; /* the block of the group that was allocated first */
	uint64_t first_ns;                   /* time of its allocation */
};

struct memphis_lifetime {
	uint64_t from_ns, to_ns;
	/* index of the allocating thread in the process that allocated + 1, or 0 if unknown */
	uint32_t thread;
};

/* All blocks of one group that have the same start and end. */
struct memphis_block {
	uint64_t start, end;
	uint32_t group;
	uint32_t lifetime_count;
	size_t lifetime; /* index of the first lifetime in memphis_blocks.lifetimes; sorted by time */
};

/* A recorded small block, and the mean distance at which it was taken (see include/memphis/format.h). */
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
	/* The sets of holders: addresses of pointers to the block, as sorted uint64_t values. Set 0 is empty. */
	struct memphis_strings holders;
	/* Sorted addresses of pointers that may hold something else than a part (memphis_shared_slots_find()). */
	uint64_t *shared_slots;
	size_t shared_slot_count, shared_slot_room;
	/* For each stack, the holders of its blocks if all its blocks with holders have the same ones; otherwise 0. */
	uint32_t *stack_holders;
	/* All small blocks; attribute/small_blocks.h builds its index from them. */
	struct memphis_small_block *small;
	size_t small_count, small_room;
	/* Number of blocks that were ended because a new block overlaps them. Their release was not recorded. */
	uint64_t overlapped;
};

void memphis_blocks_close(struct memphis_blocks *blocks);

struct memphis_block_answer {
	/* NULL if no block contained the address; see `before` and `after` */
	const struct memphis_block *block;
	uint64_t from_ns,
		to_ns;   /* the time in which the answer is valid; the lifetime of the block, if any */
	uint32_t thread; /* of this lifetime, see struct memphis_lifetime */
	/* An earlier block contained the address; a later block will contain it. */
	bool before, after;
};

void memphis_blocks_find(const struct memphis_blocks *blocks, enum memphis_block_table table,
			 uint64_t address, uint64_t time_ns, struct memphis_block_answer *answer);

/*
 * Returns the last block that contained the address and ended before this time, or NULL. What ends at the very time is the same block, under another
 * name or of another size.
 */
const struct memphis_block *memphis_blocks_earlier(const struct memphis_blocks *blocks,
						   enum memphis_block_table table, uint64_t address,
						   uint64_t time_ns);

/*
 * Pointers that held the address of a part of a pool without proving what the part is called. A pool's own pointer holds the start of its
 * block, where the first part begins, too; and a pool's pointer to the part that it handed out last holds parts of every line. Such a
 * pointer names a block or part only if the source line that allocates it assigns to the pointer.
 */

/* Fills in blocks->shared_slots from the holders of all groups. Returns 0 or -ENOMEM. */
int memphis_shared_slots_find(struct memphis_blocks *blocks);

bool memphis_shared_slots_has(const struct memphis_blocks *blocks, uint64_t slot);

#endif
