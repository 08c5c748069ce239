/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counts the samples of a process over time, by accessing node and home node. A timeline has at most MEMPHIS_TICKS
 * steps. When a longer run would need more, the width of the steps is doubled. All widths are powers of two, so that
 * timelines of different threads can be added.
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

struct memphis_timeline {
	uint64_t width_ns;           /* a power of two; 0 if the timeline is empty */
	struct memphis_series *list; /* sorted by node, then by home */
	size_t count, room;
};

/* Adds `count` samples at `time_ns` after the start of the process. Both functions return 0 or -ENOMEM. */
int memphis_timeline_add(struct memphis_timeline *timeline, uint64_t time_ns, uint16_t node, uint16_t home,
			 uint64_t count);
int memphis_timeline_merge(struct memphis_timeline *timeline, const struct memphis_timeline *from);
void memphis_timeline_close(struct memphis_timeline *timeline);

#endif
