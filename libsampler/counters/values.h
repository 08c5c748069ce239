/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What was read around the samples, on its way from the thread that reads to the drain that writes: metrics, their values,
 * and the marks of calipers. Each has one writer and one reader, which never wait for each other; what finds no room is counted.
 */
#ifndef MEMPHIS_COUNTER_VALUES_H
#define MEMPHIS_COUNTER_VALUES_H

#include <stdatomic.h>

#include <memphis/format.h>

#include "counters/source.h"
#include "base/text.h"

#define MEMPHIS_COUNTER_METRICS_MAX  4096
#define MEMPHIS_COUNTER_PROBLEMS_MAX 256
#define MEMPHIS_COUNTER_VALUES_MAX   8192 /* powers of two */
#define MEMPHIS_COUNTER_MARKS_MAX    4096
#define MEMPHIS_COUNTER_NAME_MAX     256
#define MEMPHIS_COUNTER_LOST_TOLD    16 /* so often at most is told that a source answers no more */

struct memphis_counters_metric {
	const struct memphis_counters_source *source;
	char name[MEMPHIS_COUNTER_NAME_MAX];
	char unit[32];
	int node;
	bool process, gauge;
	__u64 reading; /* number of the source's reading that had it last */
	double raw, sum;
};

/* A line that tells of what can't be read. */
struct memphis_counters_problem {
	const char *source, *kind;
	char text[MEMPHIS_COUNTER_NAME_MAX + 256];
};

struct memphis_counters_values {
	struct memphis_counters_metric metrics[MEMPHIS_COUNTER_METRICS_MAX];
	struct memphis_counters_problem problems[MEMPHIS_COUNTER_PROBLEMS_MAX];
	struct memphis_counter_value values[MEMPHIS_COUNTER_VALUES_MAX];
	struct memphis_counter_mark marks[MEMPHIS_COUNTER_MARKS_MAX];
	_Atomic __u32 metrics_there, problems_there;
	_Atomic __u64 values_head, values_tail, marks_head, marks_tail;
	_Atomic __u64 values_left_out, marks_left_out, metrics_refused, metrics_left_out;
	/* The reader's. */
	__u32 metrics_told, problems_told;
};

/* One source being read. */
struct memphis_counters_reading {
	struct memphis_counters_sink sink; /* first */
	struct memphis_counters_values *values;
	const struct memphis_counters_source *source;
	__u64 number;  /* of this reading, from 1 */
	__u32 next;    /* index of the metric that is likely to come next */
	__u32 staged;  /* values behind the head */
	__u32 refused; /* of this source, so far */
	__u32 told;    /* times that it was told to be lost */
	bool lost;     /* the last reading has failed */
};

void memphis_counters_reading_init(struct memphis_counters_reading *reading,
				   struct memphis_counters_values *values,
				   const struct memphis_counters_source *source);
/* Around one reading. `why`: what the source says. */
void memphis_counters_reading_begin(struct memphis_counters_reading *reading, __u64 time_ns);
void memphis_counters_reading_end(struct memphis_counters_reading *reading, __u64 time_ns, const char *why);

/* One writer at a time. */
void memphis_counters_mark_add(struct memphis_counters_values *values, __u64 time_ns, __u32 region);

/* Metrics and problems that were not told yet, as lines of COUNTER_METRICS; before the values that use them are taken. */
void memphis_counters_metrics_take(struct memphis_counters_values *values, struct memphis_text *text);

/* Those up to `head` into `out`, at most `count`; returns how many. */
__u32 memphis_counters_values_take(struct memphis_counters_values *values, __u64 head,
				   struct memphis_counter_value *out, __u32 count);
__u32 memphis_counters_marks_take(struct memphis_counters_values *values, __u64 head,
				  struct memphis_counter_mark *out, __u32 count);

#endif
