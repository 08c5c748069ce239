/* SPDX-License-Identifier: BSD-3-Clause */
/* What was read around the samples of all processes together: regions and metrics, as outputs show them. */
#ifndef MEMPHIS_CONTEXT_TABLE_H
#define MEMPHIS_CONTEXT_TABLE_H

#include "read/process.h"
#include "profile/selection.h"

struct memphis_context_sum {
	double sum, shared; /* as in struct memphis_context_cell */
	double low, high;
	uint64_t covered_ns; /* of all processes */
	uint64_t longest_ns; /* of the one that was there longest */
};

enum memphis_context_place { MEMPHIS_CONTEXT_IN_REGION, MEMPHIS_CONTEXT_IN_NONE, MEMPHIS_CONTEXT_IN_UNKNOWN };

struct memphis_context_region {
	enum memphis_context_place place;
	const char *name;    /* of outermost calipers, else NULL */
	uint64_t longest_ns; /* of any metric */
};

struct memphis_context_row {
	const struct memphis_context_metric *metric; /* of the first process that has it */
	size_t processes;
	struct memphis_context_sum all,
		*sums;                    /* one for each region; covered_ns 0 and sum 0: never read there */
	struct memphis_context_bin *bins; /* MEMPHIS_TICKS, each process from its own beginning */
	uint64_t readings, gaps, gap_ns;  /* all; gap_ns: most */
	uint64_t backwards, took_most_ns;
};

struct memphis_context_table {
	struct memphis_context_region *regions; /* longest first; outside and unknown last */
	size_t region_count, region_room;
	struct memphis_context_row *rows; /* by source, name, node */
	size_t row_count, row_room;
	const struct memphis_context_metric **problems; /* each once */
	size_t problem_count, problem_room;
	uint64_t width_ns; /* of bins */
	struct memphis_context_sum *sums;
	struct memphis_context_bin *bins;
};

/* Of all processes, or of those selected; counters of hosts are in it in any case. 0 or -ENOMEM. */
int memphis_context_table_make(struct memphis_context_table *table, const struct memphis_processes *processes,
			       const struct memphis_selection *selection);
void memphis_context_table_close(struct memphis_context_table *table);

/* Per second of the process that was there longest, and the mean of a gauge. NaN where no time was covered. */
double memphis_context_rate(const struct memphis_context_sum *sum);
double memphis_context_mean(const struct memphis_context_sum *sum);

/* Is there anything but zeros? */
bool memphis_context_moves(const struct memphis_context_row *row, const struct memphis_context_sum *sum);

#endif
