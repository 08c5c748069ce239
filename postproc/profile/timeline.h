/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Samples of a process over time, by accessing and home node. However long it ran there are at most MEMPHIS_TICKS steps: they get twice
 * as wide when more would be needed, so that lines of several threads can be added.
 */
#ifndef MEMPHIS_TIMELINE_H
#define MEMPHIS_TIMELINE_H

#include <stddef.h>
#include <stdint.h>

#include "base/ticks.h"

struct memphis_series {
	uint16_t node, home;
	uint64_t ticks[MEMPHIS_TICKS]; /* samples in [i * width_ns, + width_ns) after the process's start */
};

struct memphis_timeline {
	uint64_t width_ns;           /* a power of two; 0 = nothing was added */
	struct memphis_series *list; /* by node, then home */
	size_t count, room;
};

/* `count` samples, `time_ns` after the process's start. 0 or -ENOMEM. */
int memphis_timeline_add(struct memphis_timeline *timeline, uint64_t time_ns, uint16_t node, uint16_t home,
			 uint64_t count);
int memphis_timeline_merge(struct memphis_timeline *timeline, const struct memphis_timeline *from);
void memphis_timeline_close(struct memphis_timeline *timeline);

#endif
