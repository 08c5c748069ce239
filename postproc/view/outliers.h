/* SPDX-License-Identifier: BSD-3-Clause */
/* Processes (ranks of a parallel program) side by side, and those that differ from the others. */
#ifndef MEMPHIS_OUTLIERS_H
#define MEMPHIS_OUTLIERS_H

#include "profile/profile.h"

/*
 * A process is an outlier if its estimated number of accesses is further from the median of all than OUTLIER_SCALES times their spread: the median
 * absolute deviation, times 1.4826, which is the standard deviation where values are normally distributed (Iglewicz and
 * Hoaglin, How to Detect and Handle Outliers, 1993: 3.5), but not below what counting as many samples as the median leaves to
 * chance (its square root). Of fewer than OUTLIER_PROCESSES nothing is said.
 */
#define MEMPHIS_OUTLIER_SCALES    3.5
#define MEMPHIS_OUTLIER_PROCESSES 4

struct memphis_process_row {
	uint32_t process;     /* in the profile */
	uint64_t rank;        /* UINT64_MAX: none */
	uint64_t count, away; /* selected samples; those whose page another node owns */
	uint64_t accesses,
		lines;    /* that they stand for, and cache lines that came with them: see view/rows.h */
	double deviation; /* from the median, in spreads; 0 of too few processes */
	bool outlier;
};

struct memphis_process_table {
	struct memphis_process_row *list; /* by deviation, largest first; then in the order of the profile */
	size_t count, outliers;
	double median, spread; /* of the samples, each weighed by its period */
};

/* 0 or -ENOMEM. Close it in either case. Processes that the selection does not take are left out. */
int memphis_process_table_make(struct memphis_process_table *table, const struct memphis_profile *profile,
			       const struct memphis_selection *selection);
void memphis_process_table_close(struct memphis_process_table *table);

#endif
