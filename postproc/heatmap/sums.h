/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums the records of one variable into its heatmap. */
#ifndef MEMPHIS_SUMS_H
#define MEMPHIS_SUMS_H

#include "heatmap/second_pass.h"
#include "profile/heatmap.h"

/* Fills in what does not depend on which records are selected: ranges, stores, cache lines, fields. 0 or -ENOMEM. */
int memphis_heatmap_sum(struct memphis_second_pass *pass, struct memphis_heatmap *heatmap,
			struct memphis_heatmap_record **records, size_t count);

/* Fills in, anew each time, what depends on record->selected: spots, uses, regions. Call memphis_heatmap_sum() first. 0 or -ENOMEM. */
int memphis_heatmap_sum_selected(struct memphis_second_pass *pass, struct memphis_heatmap *heatmap,
				 struct memphis_heatmap_record **records, size_t count);

/* Releases the spare memory of the arrays. */
void memphis_heatmap_trim(struct memphis_heatmap *heatmap);

#endif
