/* SPDX-License-Identifier: BSD-3-Clause */
/* Process-wide flags: sampling is on; this process is a forked child that the library has not noticed yet. */
#ifndef MEMPHIS_HOT_H
#define MEMPHIS_HOT_H

#include <stdatomic.h>

#include "base/sys.h"

/*
 * A page that the kernel clears in every child (MADV_WIPEONFORK), however the child was forked, so that a
 * child never mistakes its parent's session for its own. Read at every caliper.
 */
struct memphis_hot {
	_Atomic int sampling; /* 1 while sampling is on */
	_Atomic int kept;     /* set by each initialised process; 0: child of a fork */
	char rest[4088];
};
extern struct memphis_hot memphis_hot;
extern int memphis_hot_is_wiped; /* 1: the kernel supports MADV_WIPEONFORK */

/*
 * Returns true in a child that was forked without running the fork handlers (_Fork(), clone(2)), until the
 * library notices the fork. Locks may then be held by threads that the child does not have. Comparing
 * getpid() would not work: in another PID namespace, the child may have the same PID as its parent.
 */
static inline bool memphis_is_copy(void)
{
	return memphis_hot_is_wiped && !atomic_load_explicit(&memphis_hot.kept, memory_order_relaxed);
}

#endif
