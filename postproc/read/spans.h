/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The time spans of a thread's calipers, for exports over time, and for the regions of samples that perf took.
 * They are read from the thread's file when they are needed. Profiles do not contain them, because their number
 * grows with the length of the run.
 */
#ifndef MEMPHIS_READ_SPANS_H
#define MEMPHIS_READ_SPANS_H

#include "read/decode.h"
#include "read/process.h"

struct memphis_caliper_span {
	uint64_t begin_ns, end_ns; /* CLOCK_MONOTONIC */
	uint32_t region;           /* index in the process's `regions` */
	uint16_t depth;            /* 1: outermost */
	bool open; /* the file has no end of the span; end_ns is then the last known time of the thread */
};

/*
 * Spans sorted by begin, outer spans first. Of two spans with different depths, one contains the other, or
 * they do not overlap.
 */
struct memphis_caliper_spans {
	struct memphis_caliper_span *list;
	size_t count, room;
};

/*
 * Reads the spans of the thread. There are none if the process was read from a profile. Leaves out spans of
 * regions that the files do not describe. Returns 0, or a negative errno with a message in *error. The caller
 * must close the spans in both cases.
 */
int memphis_spans_read(struct memphis_caliper_spans *spans, const struct memphis_process *process,
		       const struct memphis_thread *thread, struct memphis_error *error);
void memphis_spans_close(struct memphis_caliper_spans *spans);

/*
 * Reads the spans of the thread as changes of its region, into its log. Returns 0, or a negative errno with a
 * message in *error.
 */
int memphis_region_changes_read(const struct memphis_process *process, const struct memphis_thread *thread,
				struct memphis_error *error);

/* Sets the regions of `count` samples by their times, if the log has changes of the region. */
void memphis_regions_place(const struct memphis_thread_log *log, struct memphis_columns *columns,
			   unsigned int count);

#endif
