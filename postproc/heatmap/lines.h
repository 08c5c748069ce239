/* SPDX-License-Identifier: BSD-3-Clause */
/* The cache lines of a variable that were found modified in another cache. */
#ifndef MEMPHIS_LINES_H
#define MEMPHIS_LINES_H

#include "heatmap/record.h"
#include "profile/heatmap.h"

/* Fills in heatmap->words. Returns 0 or -ENOMEM. */
int memphis_heatmap_lines(struct memphis_heatmap *heatmap, struct memphis_heatmap_record *const *records,
			  size_t count);

#endif
