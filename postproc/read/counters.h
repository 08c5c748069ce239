/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Performance counters that are read from time to time while a process is sampled. The change of a counter
 * between two readings is distributed, in proportion to time, over time steps and over regions (calipers).
 * Only the outermost caliper that is open counts. A region's part is certain if the region covers nearly the
 * whole interval between the readings. Otherwise the part is also added to the sum of parts that are not
 * certain (`shared`).
 */
#ifndef MEMPHIS_COUNTERS_H
#define MEMPHIS_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <memphis/format.h>

#include "base/text.h"
#include "base/ticks.h"

struct memphis_process;
struct memphis_processes;
struct memphis_error;

/* Kinds of metrics, as in the lines of MEMPHIS_CHUNK_COUNTER_METRICS. */
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
#define MEMPHIS_COUNTER_OUTSIDE      0          /* no caliper is open */
#define MEMPHIS_COUNTER_UNKNOWN      UINT32_MAX /* a region that the file does not describe */

/* Sums of a metric for one region. */
struct memphis_counters_cell {
	/* id of the region in the process, MEMPHIS_COUNTER_OUTSIDE or MEMPHIS_COUNTER_UNKNOWN */
	uint32_t region;
	uint64_t covered_ns; /* time between readings attributed to the region */
	double sum;          /* counter: sum of the increments; gauge: sum of value times ns */
	double shared;       /* counter: part of `sum` that is not certain */
	double low, high;    /* gauge: its smallest and its largest value */
};

/* Sums of a metric for one time step. */
struct memphis_counters_bin {
	double sum; /* as in memphis_counters_cell */
	uint64_t covered_ns;
};

struct memphis_counter_metric {
	uint32_t id; /* id in the file; not stored in profiles */
	uint16_t node;
	uint8_t kind; /* enum memphis_counters_kind */
	bool host;    /* host-wide metric: the same for all processes of the host */
	char *source, *unit, *name;
	uint64_t readings, covered_ns;
	/* intervals without data: number, total length, and how many are due to a counter that decreased */
	uint64_t gaps, gap_ns, backwards;
	uint64_t took_ns, took_most_ns; /* duration of all readings together, and of the longest one */
	/* in the order of first use, until memphis_counters_settle() sorts them by region */
	struct memphis_counters_cell *cells;
	size_t cell_count, cell_room;
	/* MEMPHIS_TICKS time steps, beginning with the start of the process; NULL if there is no data yet */
	struct memphis_counters_bin *bins;
	uint64_t last_ns; /* time of the previous reading */
	double last;      /* value of the previous reading */
};

/* The part of the interval between two readings during which one region was open. It may consist of several pieces. */
struct memphis_counters_part {
	uint32_t region;
	uint64_t ns;
	/*
	 * sum over all pieces: length of the piece times the distance from the start of the interval to the
	 * middle of the piece
	 */
	double moment;
	/* start of the first piece and end of the last piece, relative to the interval's start */
	uint64_t first, last;
};

struct memphis_counters {
	struct memphis_counter_metric *metrics;
	size_t metric_count, metric_room;
	uint64_t width_ns; /* width of a time step; doubled as in timelines */

	/* the following fields are used only while values are added */
	struct memphis_counter_mark *marks;
	size_t mark_count, mark_room;
	size_t problem_count; /* number of metrics that were refused or lost */
	uint32_t *by_id;      /* index in `metrics` plus 1, by id; 0 if there is no such metric */
	size_t id_room;
	uint64_t start_ns; /* time when sampling of the process started */
	/* the interval that `parts` describes; kept because many metrics are read at the same times */
	uint64_t from_ns, to_ns;
	struct memphis_counters_part *parts;
	size_t part_count, part_room;
};

/* Each of these functions adds one payload or one value. Returns 0, -ENOMEM, or -EBADMSG if the data is invalid. */
int memphis_counters_add_metrics(struct memphis_counters *counters, struct memphis_span payload);
int memphis_counters_add_marks(struct memphis_counters *counters, const void *payload, size_t count);
int memphis_counters_add_value(struct memphis_counters *counters, const struct memphis_counter_value *value);

/* Frees the data that is used only while values are added, and sorts the cells by region. */
void memphis_counters_settle(struct memphis_counters *counters);
/* Frees the time steps of all metrics. `counters` may be NULL. */
void memphis_counters_drop_ticks(struct memphis_counters *counters);
void memphis_counters_close(struct memphis_counters *counters); /* counters may be NULL */
void memphis_counters_metric_close(struct memphis_counter_metric *metric);

/* Reads the values of all processes from their files. Returns 0, or a negative errno with *error set. */
int memphis_counters_read_all(struct memphis_processes *processes, struct memphis_error *error);

/*
 * Keeps each host-wide metric in only one process of each host: the process that covers the longest time or,
 * among equals, the process with the smallest run id. The result does not depend on the order of processes.
 */
int memphis_counters_keep_one_per_host(struct memphis_processes *processes);

/* Compares the identity of two metrics, possibly of different processes. Returns 0 if they are the same metric. */
int memphis_counters_compare(const struct memphis_counter_metric *a, const struct memphis_counter_metric *b);

#endif
