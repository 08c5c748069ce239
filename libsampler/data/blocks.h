/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Table of tracked blocks with their state (live or released), indexed by start address. Used by the drain
 * only, which enters the events that it writes. Events arrive grouped by thread and are not sorted by time.
 * The event with the latest time determines the state of an address.
 */
#ifndef MEMPHIS_BLOCKS_H
#define MEMPHIS_BLOCKS_H

#include "base/sys.h"

struct memphis_tracked_block {
	__u64 address; /* 0: free slot */
	__u64 time_ns; /* of the latest event */
	__u64 is_live; /* live: 1 or, for a part, the number of its pool (allocated at time_ns); 0:
		        * released at time_ns */
};

struct memphis_tracked_blocks {
	struct memphis_tracked_block *slots;
	size_t size, used; /* number of slots, a power of two; number of slots in use */
	__u64 low, high;   /* lowest and highest address entered */
	__u64 changes;     /* number of allocations entered */
};

/*
 * Enters an event of the block at `address`. `is_live`: for an allocation, 1 or the number of the part's
 * pool; for a release, 0. Returns 0, or -ENOMEM if there is no room for the event.
 */
int memphis_blocks_put(struct memphis_tracked_blocks *blocks, __u64 address, __u64 time_ns, __u64 is_live);

/* Returns 1 if the next memphis_blocks_put() may resize the table. */
int memphis_blocks_is_full(const struct memphis_tracked_blocks *blocks);

/*
 * Marks all parts as released whose pools were reset after the allocation of the part. `resets` has an entry
 * for the latest reset of each pool. The address of this entry is 16 times the number of the pool.
 */
void memphis_blocks_reset(struct memphis_tracked_blocks *parts, const struct memphis_tracked_blocks *resets);

/*
 * Returns the entry of the block that starts at `address`, or NULL if there is none. The block may have been
 * released. The pointer is valid until the next memphis_blocks_put().
 */
const struct memphis_tracked_block *memphis_blocks_find(const struct memphis_tracked_blocks *blocks,
							__u64 address);

void memphis_blocks_free(struct memphis_tracked_blocks *blocks);

#endif
