/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Queues of metrics, of their values and of caliper marks. The companion that reads counters writes the
 * metrics and values. Threads of the program write the marks, one at a time. The drain is the only reader.
 * Entries that find no room are dropped and counted.
 */
#ifndef MEMPHIS_COUNTER_VALUES_H
#define MEMPHIS_COUNTER_VALUES_H

#include <stdatomic.h>

#include <memphis/format.h>

#include "counters/source.h"
#include "base/text.h"

#define MEMPHIS_COUNTER_METRICS_MAX  4096
#define MEMPHIS_COUNTER_PROBLEMS_MAX 256
#define MEMPHIS_COUNTER_VALUES_MAX   8192 /* VALUES_MAX and MARKS_MAX are powers of two */
#define MEMPHIS_COUNTER_MARKS_MAX    4096
#define MEMPHIS_COUNTER_NAME_MAX     256
#define MEMPHIS_COUNTER_LOST_TOLD    16 /* maximum number of "lost" lines per source */

/* A counter, and the state that is needed to turn its raw values into a sum. */
struct memphis_counters_metric {
	const struct memphis_counters_source *source;
	char name[MEMPHIS_COUNTER_NAME_MAX];
	char unit[32];
	int node;
	bool process, gauge;
	__u64 reading; /* number of the last reading that contained the metric; 0: none */
	double raw;    /* raw value of that reading */
	double sum;    /* increase since the first reading */
};

/* A counter or source that can't be read. It becomes a line of COUNTER_METRICS. */
struct memphis_counters_problem {
	const char *source, *kind; /* kind: "refused" or "lost" */
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
	/* Used by the reader only: numbers of entries that are already written. */
	__u32 metrics_taken, problems_told;
};

/* State of one source of counters, which is read repeatedly. */
struct memphis_counters_reading {
	struct memphis_counters_sink sink; /* must be the first member, because callbacks cast it to this
					    * struct */
	struct memphis_counters_values *values;
	const struct memphis_counters_source *source;
	__u64 number;  /* number of the current reading, from 1 */
	__u32 next;    /* index of the metric that is expected next */
	__u32 staged;  /* number of values stored after the head of the queue but not published yet */
	__u32 refused; /* metrics refused so far */
	__u32 told;    /* "lost" lines written so far */
	bool lost;     /* the last reading failed */
};

void memphis_counters_reading_init(struct memphis_counters_reading *reading,
				   struct memphis_counters_values *values,
				   const struct memphis_counters_source *source);
/*
 * Begin and end one reading of a source. Times are CLOCK_MONOTONIC. The values are published at the end of
 * the reading. `why` is the result of the source's read(). If it is memphis_counters_late, the reading stays
 * open, and a later call ends it.
 */
void memphis_counters_reading_begin(struct memphis_counters_reading *reading, __u64 time_ns);
void memphis_counters_reading_end(struct memphis_counters_reading *reading, __u64 time_ns, const char *why);

/* Adds a caliper mark. Only one thread at a time may call it. */
void memphis_counters_mark_add(struct memphis_counters_values *values, __u64 time_ns, __u32 region);

/*
 * Appends new metrics and problems to `text` as lines of COUNTER_METRICS. Must be called before the values of
 * these metrics are taken.
 */
void memphis_counters_metrics_take(struct memphis_counters_values *values, struct memphis_text_buffer *text);

/* Move up to `count` entries before position `head` to `out`. Return their number. */
__u32 memphis_counters_values_take(struct memphis_counters_values *values, __u64 head,
				   struct memphis_counter_value *out, __u32 count);
__u32 memphis_counters_marks_take(struct memphis_counters_values *values, __u64 head,
				  struct memphis_counter_mark *out, __u32 count);

#endif
