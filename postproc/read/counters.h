/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What happened around the samples of a process: counters and gauges that were read now and then, given to the regions of its
 * outermost calipers and to steps of time. What came between two readings belongs to whatever was open meanwhile, in proportion of time:
 * where that was one region nearly all of the time it is certain, else it is shared.
 */
#ifndef MEMPHIS_COUNTER_H
#define MEMPHIS_COUNTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <memphis/format.h>

#include "base/text.h"
#include "base/ticks.h"

struct memphis_process;
struct memphis_processes;
struct memphis_error;

/* As in MEMPHIS_CHUNK_COUNTER_METRICS. */
enum memphis_counters_kind {
	MEMPHIS_COUNTER_COUNTER = 0,
	MEMPHIS_COUNTER_GAUGE,
	MEMPHIS_COUNTER_REFUSED,
	MEMPHIS_COUNTER_LOST,
	MEMPHIS_COUNTER_KINDS
};

extern const char *const memphis_counters_kinds[MEMPHIS_COUNTER_KINDS];

#define MEMPHIS_COUNTER_METRICS_MAX  4096
#define MEMPHIS_COUNTER_PROBLEMS_MAX 1000
#define MEMPHIS_COUNTER_OUTSIDE      0          /* of every caliper */
#define MEMPHIS_COUNTER_UNKNOWN      UINT32_MAX /* a region that the file says nothing of */

/* What a metric did in a region. */
struct memphis_counters_cell {
	uint32_t region;     /* id in the process, or one of the two above */
	uint64_t covered_ns; /* between readings */
	double sum;          /* counter: what came; gauge: value times ns */
	double shared;       /* counter: of that, what is not certain */
	double low, high;    /* gauge */
};

/* One step of time. */
struct memphis_counters_bin {
	double sum; /* as in cells */
	uint64_t covered_ns;
};

struct memphis_counter_metric {
	uint32_t id; /* in the file; not kept in profiles */
	uint16_t node;
	uint8_t kind; /* enum memphis_counters_kind */
	bool host;    /* the same for all processes of the machine */
	char *source, *unit, *name;
	uint64_t readings, covered_ns;
	uint64_t gaps, gap_ns,
		backwards; /* intervals of which nothing is known, as long; of them: counters that fell */
	uint64_t took_ns, took_most_ns;      /* all readings, longest */
	struct memphis_counters_cell *cells; /* in the order in which they were met; by region once settled */
	size_t cell_count, cell_room;
	struct memphis_counters_bin *bins; /* MEMPHIS_TICKS after the process's start; NULL: nothing yet */
	uint64_t last_ns;                  /* of the reading before ... */
	double last;                       /* ... and its value */
};

/* What an interval has of one region. */
struct memphis_counters_part {
	uint32_t region;
	uint64_t ns;
	double moment; /* its pieces' lengths times how far their middles are from the interval's beginning */
	uint64_t first, last; /* from its beginning to its end */
};

struct memphis_counters {
	struct memphis_counter_metric *metrics;
	size_t metric_count, metric_room;
	uint64_t width_ns; /* of bins: as of timelines */

	/* as long as values are added */
	struct memphis_counter_mark *marks;
	size_t mark_count, mark_room;
	size_t problem_count; /* of metrics */
	uint32_t *by_id;      /* number in metrics + 1; 0: none */
	size_t id_room;
	uint64_t start_ns;       /* of the process */
	uint64_t from_ns, to_ns; /* whose parts these are: many metrics are read at the same time */
	struct memphis_counters_part *parts;
	size_t part_count, part_room;
};

/* Each adds a payload, or one value. 0, -ENOMEM, or -EBADMSG where it makes no sense. */
int memphis_counters_add_metrics(struct memphis_counters *counters, struct memphis_span payload);
int memphis_counters_add_marks(struct memphis_counters *counters, const void *payload, size_t count);
int memphis_counters_add_value(struct memphis_counters *counters, const struct memphis_counter_value *value);

/* Frees what only adding needs, and sorts cells by region. */
void memphis_counters_settle(struct memphis_counters *counters);
void memphis_counters_close(struct memphis_counters *counters); /* NULL: nothing */
void memphis_counters_metric_close(struct memphis_counter_metric *metric);

/* Reads the values of all processes from their files. 0 or a negative errno with *error. */
int memphis_counterss_read(struct memphis_processes *processes, struct memphis_error *error);

/*
 * Of what is the same for all processes of a host, only one process's is kept: that which covers the longest time, and of those
 * that do, the one of the smaller run id. So it does not matter in which order processes came together.
 */
int memphis_counterss_keep(struct memphis_processes *processes);

/* By what they are of: 0 for the same metric, in whichever process. */
int memphis_counters_compare(const struct memphis_counter_metric *a, const struct memphis_counter_metric *b);

#endif
