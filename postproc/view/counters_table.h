/* SPDX-License-Identifier: BSD-3-Clause */
/* Counters recorded alongside the samples, summed over processes by region and metric; all outputs of counters use this table. */
#ifndef MEMPHIS_COUNTERS_TABLE_H
#define MEMPHIS_COUNTERS_TABLE_H

#include "profile/selection.h"
#include "read/process.h"

struct memphis_counters_sum {
	double sum, shared; /* as in struct memphis_counters_cell */
	double low, high;
	uint64_t covered_ns; /* sum over processes */
	uint64_t longest_ns; /* largest covered time of any process */
};

enum memphis_counters_place {
	MEMPHIS_COUNTER_IN_REGION,
	MEMPHIS_COUNTER_IN_NONE,
	MEMPHIS_COUNTER_IN_UNKNOWN
};

struct memphis_counters_region {
	enum memphis_counters_place place;
	char *name;          /* name of a caliper: "outermost > ... > this one"; else NULL */
	uint64_t longest_ns; /* the largest longest_ns of any metric */
};

struct memphis_counters_row {
	const struct memphis_counter_metric *metric; /* from the first process with this metric */
	size_t processes;
	/* by region; the region was never read if covered_ns and sum are 0 */
	struct memphis_counters_sum all, *sums;
	/* MEMPHIS_TICKS time steps, counted from the start of each process */
	struct memphis_counters_bin *bins;
	/* sums over the processes; gap_ns: the largest value of any process */
	uint64_t readings, gaps, gap_ns;
	uint64_t backwards, took_most_ns;
};

struct memphis_counters_table {
	struct memphis_counters_region *regions; /* longest first; outside and unknown last */
	size_t region_count, region_room;
	struct memphis_counters_row *rows; /* by source, name, node */
	size_t row_count, row_room;
	const struct memphis_counter_metric **problems; /* without duplicates */
	size_t problem_count, problem_room;
	uint64_t width_ns; /* width of a time step in `bins` */
	struct memphis_counters_sum *sums;
	struct memphis_counters_bin *bins;
};

/* Sums the selected processes; counters of hosts are always included. Returns 0 or -ENOMEM. */
int memphis_counters_table_make(struct memphis_counters_table *table,
				const struct memphis_processes *processes,
				const struct memphis_selection *selection);
void memphis_counters_table_close(struct memphis_counters_table *table);

/* Appends the names of the region and of those around it: "outermost > ... > this one". */
void memphis_counters_put_path(struct memphis_text *text, const struct memphis_process *process,
			       const struct memphis_region *region);

/* Return the sum per second of longest_ns, and the time-weighted mean of a gauge; NaN if no time was covered. */
double memphis_counters_rate(const struct memphis_counters_sum *sum);
double memphis_counters_mean(const struct memphis_counters_sum *sum);

/* Returns whether a counter is nonzero, or a gauge is not always 0. */
bool memphis_counters_moves(const struct memphis_counters_row *row, const struct memphis_counters_sum *sum);

/* ---- values of counters and names of their regions as text ---- */

#define MEMPHIS_COUNTER_VALUE_BYTES 400

/* Prints three significant digits with a scaled unit: 1.23 MB, 45.0 ms, 12.0 k pages; "-" for NaN and infinity. Returns `buffer`. */
const char *memphis_counters_print(char buffer[MEMPHIS_COUNTER_VALUE_BYTES], double value, const char *unit);

extern const char *const memphis_counters_places[]; /* by place: "caliper", "outside", "unknown" */
const char *memphis_counters_region_name(const struct memphis_counters_region *region);

#endif
