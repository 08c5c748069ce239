/* SPDX-License-Identifier: BSD-3-Clause */
/* The distribution of the latencies of a variable's loads, by source. */
#ifndef MEMPHIS_LATENCIES_H
#define MEMPHIS_LATENCIES_H

#include "heatmap/record.h"
#include "profile/heatmap.h"

/* Counts the loads that waited beyond the L2, by source and bin. Returns 0 or -ENOMEM. */
int memphis_heatmap_latencies(struct memphis_heatmap *heatmap, struct memphis_heatmap_record *const *records,
			      size_t count);

#endif
