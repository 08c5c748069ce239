/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums the records of one variable into its heatmap. */
#ifndef MEMPHIS_SUMS_H
#define MEMPHIS_SUMS_H

#include "heatmap/second_pass.h"
#include "profile/heatmap.h"

/*
 * Fills in the ranges, and the cache lines that were modified in another cache. These do not depend on the selection of records, and are
 * needed by the sums below. Returns 0 or -ENOMEM, as do the functions below. Like memphis_heatmap_sum_selected(), it uses nothing but the
 * heatmap and the records, so that those of several variables may be made at the same time.
 */
int memphis_heatmap_places(struct memphis_heatmap *heatmap, struct memphis_heatmap_record *const *records,
			   size_t count);

/* Fills in the rest that does not depend on the selection: stores, loads and fields. Changes the order of the records. */
int memphis_heatmap_sum(struct memphis_second_pass *pass, struct memphis_heatmap *heatmap,
			struct memphis_heatmap_record **records, size_t count);

/* Replaces the members that depend on record->selected: spots, uses and regions. The first stores of uses are indices of records. */
int memphis_heatmap_sum_selected(struct memphis_heatmap *heatmap,
				 struct memphis_heatmap_record *const *records, size_t count);

/* Replaces the first stores of uses, while the records are in the same order, by the rows of their instructions. */
int memphis_heatmap_first_stores(struct memphis_second_pass *pass, struct memphis_heatmap *heatmap,
				 struct memphis_heatmap_record *const *records);

/* Releases the spare memory of the arrays. */
void memphis_heatmap_trim(struct memphis_heatmap *heatmap);

#endif
