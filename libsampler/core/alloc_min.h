/* SPDX-License-Identifier: BSD-3-Clause */
/* The minimum sizes from which allocations are tracked. Set by control/tracking.c, read at every allocation. */
#ifndef MEMPHIS_ALLOC_MIN_H
#define MEMPHIS_ALLOC_MIN_H

#include "base/sys.h"

/* Minimum size in bytes; UINT64_MAX: nothing is tracked. A hidden symbol, which the allocation functions access without the GOT. */
extern __u64 memphis_alloc_min __attribute__((visibility("hidden")));
/* The minimum for blocks of the allocator, in bytes. UINT64_MAX: only maps are tracked, or nothing at all. */
extern __u64 memphis_block_min __attribute__((visibility("hidden")));

/* 1: parts of pools are tracked: parts of any size, which the program reports itself, so that no call has to be interposed. */
extern int memphis_parts_tracked __attribute__((visibility("hidden")));

static inline int memphis_tracking(void)
{
	return memphis_alloc_min != UINT64_MAX;
}

/* Stops tracking permanently. */
void memphis_alloc_stop(void);

#endif
