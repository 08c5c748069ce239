/* SPDX-License-Identifier: BSD-3-Clause */
/* How many samples each region of a profile has: its own, and with the regions inside it. */
#ifndef MEMPHIS_REGIONS_H
#define MEMPHIS_REGIONS_H

#include "view/rows.h"

/* A sample belongs to the region of the innermost caliper (exclusive), and to those around it (inclusive). */
struct memphis_region_row {
	const char *name;                      /* NULL for MEMPHIS_REGION_OUTSIDE and _UNKNOWN */
	uint32_t parent;                       /* a row before this one; MEMPHIS_REGION_OUTSIDE: at the top */
	uint32_t depth;                        /* regions around it */
	uint64_t written, written_inclusive;   /* samples in the files */
	uint64_t selected, selected_inclusive; /* those of them that count */
	const struct memphis_node_row *nodes;  /* exclusive */
	size_t node_count;
};

struct memphis_regions {
	struct memphis_region_row *list; /* as in the profile */
	size_t count;
	uint32_t *shown; /* those with samples, as a tree, most samples first */
	size_t shown_count;
	uint32_t *nodes; /* of all rows, in rising order */
	size_t node_count;
};

/* Deals the table out, which was grouped by region, and sums up. 0 or -ENOMEM. Close them in either case. */
int memphis_regions_sum(struct memphis_regions *regions, const struct memphis_rows *rows);

/* `depth` 0 to row->depth: the region of that level around `row`, at last `row` itself. */
const struct memphis_region_row *memphis_region_around(const struct memphis_regions *regions,
						       const struct memphis_region_row *row, uint32_t depth);

void memphis_regions_close(struct memphis_regions *regions);

#endif
