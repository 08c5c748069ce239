/* SPDX-License-Identifier: BSD-3-Clause */
/* From which size on allocations are tracked. Decided by control/tracking.c, read at every allocation. */
#ifndef MEMPHIS_ALLOC_MIN_H
#define MEMPHIS_ALLOC_MIN_H

#include "base/sys.h"

/* Bytes. UINT64_MAX: nothing is tracked. Hidden, so that the allocation functions need no look-up of the addresses. */
extern __u64 memphis_alloc_min __attribute__((visibility("hidden")));
/* The same for blocks of the allocator; UINT64_MAX also where only maps can be tracked. */
extern __u64 memphis_block_min __attribute__((visibility("hidden")));

static inline int memphis_tracking(void)
{
	return memphis_alloc_min != UINT64_MAX;
}

/* Stop tracking for good. */
void memphis_alloc_stop(void);

#endif
