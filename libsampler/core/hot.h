/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether sampling is on, and whether this process is a child that the library has not taken note of yet. */
#ifndef MEMPHIS_HOT_H
#define MEMPHIS_HOT_H

#include <stdatomic.h>

#include "base/sys.h"

/*
 * 1 while sampling is on. On a page that the kernel wipes in every child however it was forked, so that a child
 * never believes that its parent's session is its own. Read at every caliper.
 */
struct memphis_hot {
	_Atomic int sampling;
	_Atomic int kept; /* 1: this is no child's copy of the memory */
	char rest[4088];
};
extern struct memphis_hot memphis_hot;
extern int memphis_hot_is_wiped; /* 1: the kernel clears it in children (MADV_WIPEONFORK) */

/*
 * In the child of a fork that was made past the fork handlers, and has not been seen to yet: locks may be held by threads
 * that it does not have. Numbers of processes don't tell, for its own in another namespace may be that of its parent.
 */
static inline bool memphis_is_copy(void)
{
	return memphis_hot_is_wiped && !atomic_load_explicit(&memphis_hot.kept, memory_order_relaxed);
}

#endif
