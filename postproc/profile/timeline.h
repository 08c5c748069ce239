/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counts the samples of a process over time: by accessing node and home node, also of each thread, and its loads that
 * waited, by source. A timeline has at most MEMPHIS_TICKS ticks. When a longer run would need more, the width of the
 * ticks is doubled. All widths are powers of two, so that timelines of different threads can be added.
 */
#ifndef MEMPHIS_TIMELINE_H
#define MEMPHIS_TIMELINE_H

#include <stddef.h>
#include <stdint.h>

#include "base/ticks.h"

struct memphis_series {
	uint16_t node, home;
	/* ticks[i] is the number of samples from i * width_ns to (i + 1) * width_ns after the start of the process. */
	uint64_t ticks[MEMPHIS_TICKS];
};

/* A step is this many ticks. Threads and waiting are counted in steps, because a process may have many threads. */
#define MEMPHIS_STEP_TICKS 8
#define MEMPHIS_STEPS      (MEMPHIS_TICKS / MEMPHIS_STEP_TICKS)

/* The samples of one thread by step. */
struct memphis_thread_series {
	uint32_t thread; /* index in the process */
	uint16_t node, home;
	uint32_t steps[MEMPHIS_STEPS];
};

/* The loads from one node that waited for one source, selected or not (totals.h), and their latencies, by step. */
struct memphis_wait_series {
	uint16_t node, source; /* source: enum memphis_wait_source */
	uint64_t counts[MEMPHIS_STEPS], cycles[MEMPHIS_STEPS];
};

struct memphis_timeline {
	uint64_t width_ns;           /* of a tick: a power of two; 0 if the timeline is empty */
	struct memphis_series *list; /* sorted by node, then by home */
	size_t count, room;
	/* sorted by thread, node and home after memphis_timeline_merge() */
	struct memphis_thread_series *threads;
	size_t thread_count, thread_room;
	struct memphis_wait_series *waits; /* sorted by node and source */
	size_t wait_count, wait_room;
};

/* These functions add `count` samples at `time_ns` after the start of the process. All functions return 0 or -ENOMEM. */
int memphis_timeline_add(struct memphis_timeline *timeline, uint64_t time_ns, uint16_t node, uint16_t home,
			 uint64_t count);
/* The samples of a thread should be added without those of other threads between them, which would cost memory. */
int memphis_timeline_add_thread(struct memphis_timeline *timeline, uint64_t time_ns, uint32_t thread,
				uint16_t node, uint16_t home, uint64_t count);
int memphis_timeline_add_wait(struct memphis_timeline *timeline, uint64_t time_ns, uint16_t node,
			      uint16_t source, uint64_t count, uint64_t cycles);
int memphis_timeline_merge(struct memphis_timeline *timeline, const struct memphis_timeline *from);
void memphis_timeline_close(struct memphis_timeline *timeline);

#endif
