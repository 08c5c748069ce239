/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Spans of the calipers of a thread, for exports over time. They are read from the thread's file when they are needed, and are part of no
 * profile: their number grows with the run.
 */
#ifndef MEMPHIS_READ_SPANS_H
#define MEMPHIS_READ_SPANS_H

#include "read/process.h"

struct memphis_caliper_span {
	uint64_t begin_ns, end_ns; /* CLOCK_MONOTONIC */
	uint32_t region;           /* index in the process's `regions` */
	uint16_t depth;            /* 1: outermost */
	bool open; /* the caliper had not ended when the file did; end_ns is the last time that is known */
};

/* Sorted by begin, outer spans first. Two spans of different depths either lie in one another or do not overlap. */
struct memphis_caliper_spans {
	struct memphis_caliper_span *list;
	size_t count, room;
};

/*
 * Reads the spans of the thread; there are none if the process was read from a profile. Spans of regions that the files do not describe
 * are left out. Returns 0, or a negative errno with a message in *error; the caller must close the spans in both cases.
 */
int memphis_spans_read(struct memphis_caliper_spans *spans, const struct memphis_process *process,
		       const struct memphis_thread *thread, struct memphis_error *error);
void memphis_spans_close(struct memphis_caliper_spans *spans);

#endif
