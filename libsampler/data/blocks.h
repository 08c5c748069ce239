/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Table of tracked blocks by start address, and whether they are live. Used by the drain only, which enters the events that it
 * writes. Events arrive thread by thread, not in order of time; for each address, the event with the latest time decides.
 */
#ifndef MEMPHIS_BLOCKS_H
#define MEMPHIS_BLOCKS_H

#include "base/sys.h"

struct memphis_block {
	__u64 address; /* 0: free slot */
	__u64 time_ns; /* of the latest event */
	__u64 is_live; /* 1: allocated at time_ns; 0: released at time_ns */
};

struct memphis_blocks {
	struct memphis_block *slots;
	size_t size, used; /* slots; size is a power of two */
	__u64 low, high;   /* bounds of all addresses, inclusive */
	__u64 changes;     /* number of allocations entered */
};

/* Enters an allocation (is_live 1) or release (0) of the block at `address`. Returns 0, or -ENOMEM if it is not entered. */
int memphis_blocks_put(struct memphis_blocks *blocks, __u64 address, __u64 time_ns, int is_live);

/* Returns the entry of the block that starts at `address`, also of a released one, or NULL. Valid until the next put. */
const struct memphis_block *memphis_blocks_find(const struct memphis_blocks *blocks, __u64 address);

void memphis_blocks_free(struct memphis_blocks *blocks);

#endif
