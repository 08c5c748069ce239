/* SPDX-License-Identifier: BSD-3-Clause */
/* The minimum sizes from which allocations are tracked. control/tracking.c sets them, and every allocation reads them. */
#ifndef MEMPHIS_ALLOC_MIN_H
#define MEMPHIS_ALLOC_MIN_H

#include "base/sys.h"

/*
 * Minimum size in bytes. UINT64_MAX: nothing is tracked. The symbol is hidden, so that the allocation
 * functions access it without the GOT.
 */
extern __u64 memphis_alloc_min __attribute__((visibility("hidden")));
/* Minimum size of the allocator's blocks, in bytes. UINT64_MAX: at most maps are tracked. */
extern __u64 memphis_block_min __attribute__((visibility("hidden")));

/* 1: parts of pools are tracked, whatever their size. The program itself reports parts, so this needs no interposed function. */
extern int memphis_parts_tracked __attribute__((visibility("hidden")));

static inline int memphis_tracking(void)
{
	return memphis_alloc_min != UINT64_MAX;
}

/* Stops tracking permanently. */
void memphis_alloc_stop(void);

#endif
