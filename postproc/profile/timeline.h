/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Samples of a process over time, by accessing and home node. A timeline has at most MEMPHIS_TICKS steps, however long the process ran:
 * the width of the steps doubles when more would be needed. Widths are powers of two, so that timelines of several threads can be added.
 */
#ifndef MEMPHIS_TIMELINE_H
#define MEMPHIS_TIMELINE_H

#include <stddef.h>
#include <stdint.h>

#include "base/ticks.h"

struct memphis_series {
	uint16_t node, home;
	uint64_t ticks
		[MEMPHIS_TICKS]; /* ticks[i]: samples in [i * width_ns, (i + 1) * width_ns) since the process's start */
};

struct memphis_timeline {
	uint64_t width_ns;           /* a power of two; 0: empty */
	struct memphis_series *list; /* by node, then home */
	size_t count, room;
};

/* Adds `count` samples at `time_ns` after the process's start. 0 or -ENOMEM, likewise below. */
int memphis_timeline_add(struct memphis_timeline *timeline, uint64_t time_ns, uint16_t node, uint16_t home,
			 uint64_t count);
int memphis_timeline_merge(struct memphis_timeline *timeline, const struct memphis_timeline *from);
void memphis_timeline_close(struct memphis_timeline *timeline);

#endif
