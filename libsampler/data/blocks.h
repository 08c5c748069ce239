/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which tracked blocks live, by the address they start at. The drain's own: it learns from the events
 * it writes, which reach it thread by thread; so the latest event by time decides, in whatever order they come.
 */
#ifndef MEMPHIS_BLOCKS_H
#define MEMPHIS_BLOCKS_H

#include "base/sys.h"

struct memphis_block {
	__u64 address; /* 0: free slot */
	__u64 time_ns;
	__u64 is_live; /* 0: released at time_ns */
};

struct memphis_blocks {
	struct memphis_block *slots;
	size_t size, used; /* size: a power of two */
	__u64 low, high;   /* all addresses lie in [low, high] */
	__u64 changes;     /* grows with every block that came */
};

/* An event: the block at `address` came to life or ended. -ENOMEM: not taken in. */
int memphis_blocks_put(struct memphis_blocks *blocks, __u64 address, __u64 time_ns, int is_live);

/* The entry of the block that starts at `address`, or NULL. */
const struct memphis_block *memphis_blocks_find(const struct memphis_blocks *blocks, __u64 address);

void memphis_blocks_free(struct memphis_blocks *blocks);

#endif
