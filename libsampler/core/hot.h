/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether sampling is on, and whether this process is a forked child that the library has not noticed yet. */
#ifndef MEMPHIS_HOT_H
#define MEMPHIS_HOT_H

#include <stdatomic.h>

#include "base/sys.h"

/*
 * A page that the kernel clears in every child, however it was forked (MADV_WIPEONFORK), so that a child never takes its
 * parent's session for its own. Read at every caliper.
 */
struct memphis_hot {
	_Atomic int sampling; /* 1 while sampling is on */
	_Atomic int kept;     /* 1 in a process that has set it itself; 0 in the child of a fork */
	char rest[4088];
};
extern struct memphis_hot memphis_hot;
extern int memphis_hot_is_wiped; /* 1: the kernel supports MADV_WIPEONFORK */

/*
 * Whether this is the child of a fork without the fork handlers (_Fork(), clone(2)) which the library has not noticed yet:
 * locks may be held by threads that the child does not have. getpid() can't show this, since in another PID namespace the
 * child may have its parent's number.
 */
static inline bool memphis_is_copy(void)
{
	return memphis_hot_is_wiped && !atomic_load_explicit(&memphis_hot.kept, memory_order_relaxed);
}

#endif
