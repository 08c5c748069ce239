/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The counters that were recorded together with the samples, added up over processes, by region and metric. All
 * outputs of counters use this table.
 */
#ifndef MEMPHIS_COUNTERS_TABLE_H
#define MEMPHIS_COUNTERS_TABLE_H

#include "profile/selection.h"
#include "read/process.h"

struct memphis_counters_sum {
	double sum, shared; /* as in struct memphis_counters_cell */
	double low, high;
	uint64_t covered_ns; /* sum over processes */
	uint64_t longest_ns; /* longest covered time of any process */
};

enum memphis_counters_place {
	MEMPHIS_COUNTER_IN_REGION,
	MEMPHIS_COUNTER_IN_NONE,
	MEMPHIS_COUNTER_IN_UNKNOWN
};

struct memphis_counters_region {
	enum memphis_counters_place place;
	/* path of a region: "outermost > ... > this one"; NULL: outside all regions, or unknown */
	char *name;
	uint64_t longest_ns; /* the maximum of longest_ns over all metrics */
};

struct memphis_counters_row {
	const struct memphis_counter_metric *metric; /* the metric of the first process that has it */
	size_t processes;
	/* `sums` has one element per region. If both covered_ns and sum are 0, the metric was never read in this region. */
	struct memphis_counters_sum all, *sums;
	/* MEMPHIS_TICKS time steps. Time is relative to the start of each process. */
	struct memphis_counters_bin *bins;
	/* Sums over the processes; gap_ns is the maximum. */
	uint64_t readings, gaps, gap_ns;
	uint64_t backwards, took_most_ns;
};

struct memphis_counters_table {
	/* longest region first; the rows for outside all regions, and for unknown regions, last */
	struct memphis_counters_region *regions;
	size_t region_count, region_room;
	struct memphis_counters_row *rows; /* sorted by source, name and node */
	size_t row_count, row_room;
	/* metrics that were refused or lost (enum memphis_counters_kind), without duplicates */
	const struct memphis_counter_metric **problems;
	size_t problem_count, problem_room;
	uint64_t width_ns; /* width of a time step in `bins` */
	struct memphis_counters_sum *sums;
	struct memphis_counters_bin *bins;
};

/* Adds up the counters of the selected processes. Always includes counters of hosts. Returns 0 or -ENOMEM. */
int memphis_counters_table_make(struct memphis_counters_table *table,
				const struct memphis_processes *processes,
				const struct memphis_selection *selection);
void memphis_counters_table_close(struct memphis_counters_table *table);

/* Appends the names of the enclosing regions and of the region: "outermost > ... > this one". */
void memphis_counters_put_path(struct memphis_text *text, const struct memphis_process *process,
			       const struct memphis_region *region);

/* Return the sum per second of longest_ns, and the time-weighted mean of a gauge. Both return NaN if no time was covered. */
double memphis_counters_rate(const struct memphis_counters_sum *sum);
double memphis_counters_mean(const struct memphis_counters_sum *sum);

/* Returns whether a counter has a sum other than 0, or a gauge a value other than 0. */
bool memphis_counters_moves(const struct memphis_counters_row *row, const struct memphis_counters_sum *sum);

/* ---- values of counters and names of their regions as text ---- */

#define MEMPHIS_COUNTER_VALUE_BYTES 400

/*
 * Prints three significant digits with a scaled unit, for example 1.23 MB, 45.0 ms or 12.0 k pages. Prints "-" for NaN
 * and infinity. Returns `buffer`.
 */
const char *memphis_counters_print(char buffer[MEMPHIS_COUNTER_VALUE_BYTES], double value, const char *unit);

/* by enum memphis_counters_place: "caliper", "outside", "unknown" */
extern const char *const memphis_counters_places[];
const char *memphis_counters_region_name(const struct memphis_counters_region *region);

#endif
