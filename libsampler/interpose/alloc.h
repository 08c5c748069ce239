/* SPDX-License-Identifier: BSD-3-Clause */
/* Tracking of the program's allocations. */
#ifndef MEMPHIS_ALLOC_H
#define MEMPHIS_ALLOC_H

#include "base/sys.h"

/* Blocks from this size on are tracked; UINT64_MAX: none is. Read at every allocation. */
extern __u64 memphis_alloc_min;

static inline int memphis_tracking(void)
{
	return memphis_alloc_min != UINT64_MAX;
}

/* Decide, once there is one, whether and from which size on to track, from the environment. Safe below malloc(). */
void memphis_alloc_setup(void);

/* The settings changed. */
void memphis_alloc_update(void);

/* Stop for good. */
void memphis_alloc_stop(void);

#endif
