/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Table of tracked blocks by start address, with their state (live or released). Used by the drain only,
 * which enters the events that it writes. Events arrive grouped by thread, not sorted by time; the latest
 * event of an address determines its state.
 */
#ifndef MEMPHIS_BLOCKS_H
#define MEMPHIS_BLOCKS_H

#include "base/sys.h"

struct memphis_tracked_block {
	__u64 address; /* 0: free slot */
	__u64 time_ns; /* of the latest event */
	__u64 is_live; /* 1, or the number of the part's pool: allocated at time_ns; 0: released at time_ns */
};

struct memphis_tracked_blocks {
	struct memphis_tracked_block *slots;
	size_t size, used; /* number of slots, a power of two; number of slots in use */
	__u64 low, high;   /* lowest and highest address entered */
	__u64 changes;     /* number of allocations entered */
};

/*
 * Enters an allocation (is_live 1, or the number of the part's pool) or a release (0) of the block at `address`.
 * Returns 0, or -ENOMEM if it was not entered.
 */
int memphis_blocks_put(struct memphis_tracked_blocks *blocks, __u64 address, __u64 time_ns, __u64 is_live);

/* Returns 1 if the next memphis_blocks_put() may resize the table. */
int memphis_blocks_is_full(const struct memphis_tracked_blocks *blocks);

/*
 * Enters the release of all parts whose pools were reset later. `resets` has an entry for the latest reset of each pool, at the address 16
 * times the pool's number.
 */
void memphis_blocks_reset(struct memphis_tracked_blocks *parts, const struct memphis_tracked_blocks *resets);

/*
 * Returns the entry of the block that starts at `address`, even if the block was released, or NULL if there
 * is no entry. The pointer is valid until the next memphis_blocks_put().
 */
const struct memphis_tracked_block *memphis_blocks_find(const struct memphis_tracked_blocks *blocks,
							__u64 address);

void memphis_blocks_free(struct memphis_tracked_blocks *blocks);

#endif
