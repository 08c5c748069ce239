/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the part of an array in which most selected samples of a node are. */
#ifndef MEMPHIS_HOT_PARTS_H
#define MEMPHIS_HOT_PARTS_H

#include "heatmap/second_pass.h"
#include "profile/heatmap.h"

/* Fills heatmap->parts from the records of its variable. Returns 0 or -ENOMEM. */
int memphis_heatmap_parts(struct memphis_second_pass *pass, struct memphis_heatmap *heatmap,
			  struct memphis_heatmap_record *const *records, size_t count);

#endif
