/* SPDX-License-Identifier: BSD-3-Clause */
/* What was read around the samples of all processes together: regions and metrics, as outputs show them. */
#ifndef MEMPHIS_COUNTER_TABLE_H
#define MEMPHIS_COUNTER_TABLE_H

#include "read/process.h"
#include "profile/selection.h"

struct memphis_counters_sum {
	double sum, shared; /* as in struct memphis_counters_cell */
	double low, high;
	uint64_t covered_ns; /* of all processes */
	uint64_t longest_ns; /* of the one that was there longest */
};

enum memphis_counters_place {
	MEMPHIS_COUNTER_IN_REGION,
	MEMPHIS_COUNTER_IN_NONE,
	MEMPHIS_COUNTER_IN_UNKNOWN
};

struct memphis_counters_region {
	enum memphis_counters_place place;
	const char *name;    /* of outermost calipers, else NULL */
	uint64_t longest_ns; /* of any metric */
};

struct memphis_counters_row {
	const struct memphis_counter_metric *metric; /* of the first process that has it */
	size_t processes;
	struct memphis_counters_sum all,
		*sums;                     /* one for each region; covered_ns 0 and sum 0: never read there */
	struct memphis_counters_bin *bins; /* MEMPHIS_TICKS, each process from its own beginning */
	uint64_t readings, gaps, gap_ns;   /* all; gap_ns: most */
	uint64_t backwards, took_most_ns;
};

struct memphis_counters_table {
	struct memphis_counters_region *regions; /* longest first; outside and unknown last */
	size_t region_count, region_room;
	struct memphis_counters_row *rows; /* by source, name, node */
	size_t row_count, row_room;
	const struct memphis_counter_metric **problems; /* each once */
	size_t problem_count, problem_room;
	uint64_t width_ns; /* of bins */
	struct memphis_counters_sum *sums;
	struct memphis_counters_bin *bins;
};

/* Of all processes, or of those selected; counters of hosts are in it in any case. 0 or -ENOMEM. */
int memphis_counters_table_make(struct memphis_counters_table *table,
				const struct memphis_processes *processes,
				const struct memphis_selection *selection);
void memphis_counters_table_close(struct memphis_counters_table *table);

/* Per second of the process that was there longest, and the mean of a gauge. NaN where no time was covered. */
double memphis_counters_rate(const struct memphis_counters_sum *sum);
double memphis_counters_mean(const struct memphis_counters_sum *sum);

/* Is there anything but zeros? */
bool memphis_counters_moves(const struct memphis_counters_row *row, const struct memphis_counters_sum *sum);

#endif
