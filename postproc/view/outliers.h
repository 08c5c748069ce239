/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of processes (the ranks of a parallel program). It marks outliers. */
#ifndef MEMPHIS_OUTLIERS_H
#define MEMPHIS_OUTLIERS_H

#include "base/statistics.h"
#include "profile/profile.h"
#include "view/rows.h"

/*
 * A process is an outlier (base/statistics.h) if its estimated number of accesses differs too much from the median.
 * The spread is at least the square root of the median, which is the statistical noise of counting.
 */

struct memphis_process_row {
	uint32_t process; /* index in the profile */
	uint64_t rank;    /* UINT64_MAX: the process has no rank */
	/* number of selected samples; number of these whose page has another home node */
	uint64_t count, away;
	/* estimated number of accesses, and of cache lines that they moved (view/rows.h) */
	uint64_t accesses, lines;
	/* estimated cycles that the selected loads waited for data from beyond the L2; 0 if latencies are unknown */
	double waited;
	/* deviation from the median, divided by the spread; 0 if there are too few processes */
	double deviation;
	bool outlier;
};

struct memphis_process_table {
	/* Sorted by waited cycles if this was requested, then by deviation with the largest first, then by rank. */
	struct memphis_process_row *list;
	size_t count, outliers;
	/* median and spread of the numbers of samples, which are weighted by the periods */
	double median, spread;
};

/* Lists the selected processes. Returns 0 or -ENOMEM. The caller must close the table in both cases. */
int memphis_process_table_make(struct memphis_process_table *table, const struct memphis_profile *profile,
			       const struct memphis_selection *selection, enum memphis_sort sort);
void memphis_process_table_close(struct memphis_process_table *table);

#endif
