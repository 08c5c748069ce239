/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of processes (ranks of a parallel program), with outliers marked. */
#ifndef MEMPHIS_OUTLIERS_H
#define MEMPHIS_OUTLIERS_H

#include "base/statistics.h"
#include "profile/profile.h"
#include "view/rows.h"

/*
 * A process is an outlier (base/statistics.h) by its estimated number of accesses. The spread is at least the square root of the median, which is the
 * counting noise.
 */

struct memphis_process_row {
	uint32_t process;         /* index in the profile */
	uint64_t rank;            /* UINT64_MAX: none */
	uint64_t count, away;     /* number of selected samples, and of those whose page another node owns */
	uint64_t accesses, lines; /* estimated accesses, and cache lines moved by them: see view/rows.h */
	double waited; /* estimated cycles that its selected loads from beyond the L2 waited; 0 if latencies are not known */
	double deviation; /* from the median, in spreads; 0 with too few processes */
	bool outlier;
};

struct memphis_process_table {
	struct memphis_process_row *
		list; /* by waited cycles if so sorted; then by deviation, largest first; then in the order of the profile */
	size_t count, outliers;
	double median, spread; /* median and spread of the samples, each weighted by its period */
};

/* Lists the selected processes. Returns 0 or -ENOMEM; close the table in either case. */
int memphis_process_table_make(struct memphis_process_table *table, const struct memphis_profile *profile,
			       const struct memphis_selection *selection, enum memphis_sort sort);
void memphis_process_table_close(struct memphis_process_table *table);

#endif
