/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Log of region changes with their times, for samples taken by perf. The kernel module reads the current
 * region from a control page and stores it in the sample. perf stores only the time in the sample, so the
 * drain uses this log to look up the region at that time. The log is a lock-free queue whose only reader is
 * the drain. The log of a thread has one writer. The log of the session has many.
 */
#ifndef MEMPHIS_REGION_LOG_H
#define MEMPHIS_REGION_LOG_H

#include <stdatomic.h>

#include "base/sys.h"

#define MEMPHIS_REGION_LOG_ENTRIES 32768u /* a power of two */

struct memphis_region_log {
	_Atomic __u64 head;     /* number of entries reserved by writers */
	_Atomic __u64 tail;     /* number of entries released by the reader */
	_Atomic __u64 left_out; /* changes dropped because the log was full */
	struct {
		_Atomic __u64 time_ns; /* CLOCK_MONOTONIC; 0: the entry is not complete yet */
		__u32 region;          /* region from that time on; 0: none */
	} entries[MEMPHIS_REGION_LOG_ENTRIES];
};

/* Position of the reader in a log, and the region that was current before the entry at this position. */
struct memphis_region_cursor {
	__u64 at;
	__u32 region;
};

/* Returns an empty log, or NULL if memory is exhausted. */
struct memphis_region_log *memphis_region_log_new(void);
void memphis_region_log_free(struct memphis_region_log *log);

/* Records that `region` starts now. If the log is full, drops the change and counts it in `left_out`. Async-signal-safe. */
void memphis_region_log_add(struct memphis_region_log *log, __u32 region);

/*
 * Called by the reader. Returns the region at `time_ns` and advances the cursor. `time_ns` must not decrease
 * from call to call.
 */
__u32 memphis_region_log_at(const struct memphis_region_log *log, struct memphis_region_cursor *cursor,
			    __u64 time_ns);

/* Called by the reader. Releases all entries before position `at`. */
void memphis_region_log_release(struct memphis_region_log *log, __u64 at);

#endif
