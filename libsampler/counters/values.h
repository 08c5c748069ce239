/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What was read around the samples, on its way from the thread that reads to the drain that writes: metrics, their values,
 * and the marks of calipers. Each has one writer and one reader, which never wait for each other; what finds no room is counted.
 */
#ifndef MEMPHIS_CONTEXT_VALUES_H
#define MEMPHIS_CONTEXT_VALUES_H

#include <stdatomic.h>

#include <memphis/format.h>

#include "counters/source.h"
#include "base/text.h"

#define MEMPHIS_CONTEXT_METRICS_MAX  4096
#define MEMPHIS_CONTEXT_PROBLEMS_MAX 256
#define MEMPHIS_CONTEXT_VALUES_MAX   8192 /* powers of two */
#define MEMPHIS_CONTEXT_MARKS_MAX    4096
#define MEMPHIS_CONTEXT_NAME_MAX     256
#define MEMPHIS_CONTEXT_LOST_TOLD    16 /* so often at most is told that a source answers no more */

struct memphis_context_metric {
	const struct memphis_context_source *source;
	char name[MEMPHIS_CONTEXT_NAME_MAX];
	char unit[32];
	int node;
	bool process, gauge;
	__u64 reading; /* number of the source's reading that had it last */
	double raw, sum;
};

/* A line that tells of what can't be read. */
struct memphis_context_problem {
	const char *source, *kind;
	char text[MEMPHIS_CONTEXT_NAME_MAX + 256];
};

struct memphis_context_values {
	struct memphis_context_metric metrics[MEMPHIS_CONTEXT_METRICS_MAX];
	struct memphis_context_problem problems[MEMPHIS_CONTEXT_PROBLEMS_MAX];
	struct memphis_context_value values[MEMPHIS_CONTEXT_VALUES_MAX];
	struct memphis_context_mark marks[MEMPHIS_CONTEXT_MARKS_MAX];
	_Atomic __u32 metrics_there, problems_there;
	_Atomic __u64 values_head, values_tail, marks_head, marks_tail;
	_Atomic __u64 values_left_out, marks_left_out, metrics_refused, metrics_left_out;
	/* The reader's. */
	__u32 metrics_told, problems_told;
};

/* One source being read. */
struct memphis_context_reading {
	struct memphis_context_sink sink; /* first */
	struct memphis_context_values *values;
	const struct memphis_context_source *source;
	__u64 number;  /* of this reading, from 1 */
	__u32 next;    /* index of the metric that is likely to come next */
	__u32 staged;  /* values behind the head */
	__u32 refused; /* of this source, so far */
	__u32 told;    /* times that it was told to be lost */
	bool lost;     /* the last reading has failed */
};

void memphis_context_reading_init(struct memphis_context_reading *reading,
				  struct memphis_context_values *values,
				  const struct memphis_context_source *source);
/* Around one reading. `why`: what the source says. */
void memphis_context_reading_begin(struct memphis_context_reading *reading, __u64 time_ns);
void memphis_context_reading_end(struct memphis_context_reading *reading, __u64 time_ns, const char *why);

/* One writer at a time. */
void memphis_context_mark_add(struct memphis_context_values *values, __u64 time_ns, __u32 region);

/* Metrics and problems that were not told yet, as lines of CONTEXT_METRICS; before the values that use them are taken. */
void memphis_context_metrics_take(struct memphis_context_values *values, struct memphis_text *text);

/* Those up to `head` into `out`, at most `count`; returns how many. */
__u32 memphis_context_values_take(struct memphis_context_values *values, __u64 head,
				  struct memphis_context_value *out, __u32 count);
__u32 memphis_context_marks_take(struct memphis_context_values *values, __u64 head,
				 struct memphis_context_mark *out, __u32 count);

#endif
