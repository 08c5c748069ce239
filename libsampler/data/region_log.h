/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * When a region began. The module stamps a sample with the region that it finds in a control page; perf knows of no such
 * page, but of times: so each change is noted with its own, and looked up when the sample comes by. Many writers (of the
 * session's log; a thread's has one), one reader: the drain.
 */
#ifndef MEMPHIS_REGION_LOG_H
#define MEMPHIS_REGION_LOG_H

#include <stdatomic.h>

#include "base/sys.h"

#define MEMPHIS_REGION_LOG_ENTRIES 32768u /* a power of two */

struct memphis_region_log {
	_Atomic __u64 head;     /* writers'; entries given out */
	_Atomic __u64 tail;     /* the reader's; entries that it is done with */
	_Atomic __u64 left_out; /* changes for which there was no room */
	struct {
		_Atomic __u64 time_ns; /* 0: not complete yet */
		__u32 region;
	} entries[MEMPHIS_REGION_LOG_ENTRIES];
};

/* A place in a log, and the region up to it. */
struct memphis_region_cursor {
	__u64 at;
	__u32 region;
};

/* NULL without memory. */
struct memphis_region_log *memphis_region_log_new(void);
void memphis_region_log_free(struct memphis_region_log *log);

/* From now on it is this region. Any thread, also in a signal handler. */
void memphis_region_log_add(struct memphis_region_log *log, __u32 region);

/* The reader: the region at that time; times must not fall from call to call. */
__u32 memphis_region_log_at(const struct memphis_region_log *log, struct memphis_region_cursor *cursor,
			    __u64 time_ns);

/* The reader: entries before `at` are not needed any more. */
void memphis_region_log_release(struct memphis_region_log *log, __u64 at);

#endif
