/* SPDX-License-Identifier: BSD-3-Clause */
/* Tracking of the program's allocations: decides whether blocks are tracked, and from which size on. */
#ifndef MEMPHIS_ALLOC_H
#define MEMPHIS_ALLOC_H

#include "base/sys.h"

/* Minimum size of tracked maps and blocks in bytes; UINT64_MAX: nothing is tracked. Read at every allocation. */
extern __u64 memphis_alloc_min;

/* Whether anything is tracked. */
static inline int memphis_tracking(void)
{
	return memphis_alloc_min != UINT64_MAX;
}

/*
 * Loads the settings from the environment, and starts tracking if they allow it. Does nothing before there is an environment, and
 * after the first success. Safe below malloc().
 */
void memphis_alloc_setup(void);

/* Applies changed settings. */
void memphis_alloc_update(void);

/* Stops tracking. */
void memphis_alloc_stop(void);

#endif
