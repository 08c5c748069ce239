/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums the records of one variable into its heatmap. */
#ifndef MEMPHIS_SUMS_H
#define MEMPHIS_SUMS_H

#include "heatmap/second_pass.h"
#include "profile/heatmap.h"

/* Fills in the members that do not depend on the selection of records: ranges, stores, cache lines, loads and fields. Returns 0 or -ENOMEM. */
int memphis_heatmap_sum(struct memphis_second_pass *pass, struct memphis_heatmap *heatmap,
			struct memphis_heatmap_record **records, size_t count);

/*
 * Replaces the members that depend on record->selected: spots, uses and regions. memphis_heatmap_sum() must be called first. Returns 0 or
 * -ENOMEM.
 */
int memphis_heatmap_sum_selected(struct memphis_second_pass *pass, struct memphis_heatmap *heatmap,
				 struct memphis_heatmap_record **records, size_t count);

/* Releases the spare memory of the arrays. */
void memphis_heatmap_trim(struct memphis_heatmap *heatmap);

#endif
