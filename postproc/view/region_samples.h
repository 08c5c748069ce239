/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples of each region of a profile, without (exclusive) and with the regions inside it (inclusive). */
#ifndef MEMPHIS_REGION_SAMPLES_H
#define MEMPHIS_REGION_SAMPLES_H

#include "view/rows.h"

/* A sample counts for the region of the innermost caliper (exclusive), and for all enclosing regions (inclusive). */
struct memphis_region_row {
	uint32_t parent;                       /* an earlier row; MEMPHIS_REGION_OUTSIDE: at the top level */
	uint32_t depth;                        /* number of enclosing regions */
	const char *name;                      /* NULL for MEMPHIS_REGION_OUTSIDE and _UNKNOWN */
	uint64_t written, written_inclusive;   /* samples in the files */
	uint64_t selected, selected_inclusive; /* samples in the table */
	const struct memphis_node_row *nodes;  /* rows of the table, exclusive */
	size_t node_count;
};

struct memphis_regions {
	struct memphis_region_row *list; /* by row of the profile */
	size_t count;
	uint32_t *shown; /* rows with samples, in pre-order, siblings with most samples first */
	size_t shown_count;
	uint32_t *nodes; /* accessing nodes of all rows, ascending */
	size_t node_count;
};

/* Sums the table, which must be grouped by region, over the tree of regions. Returns 0 or -ENOMEM; close the regions in either case. */
int memphis_regions_sum(struct memphis_regions *regions, const struct memphis_rows *rows);

/* Returns the ancestor of `row` at `depth`, from 0 to row->depth; at row->depth, `row` itself. */
const struct memphis_region_row *memphis_region_around(const struct memphis_regions *regions,
						       const struct memphis_region_row *row, uint32_t depth);

void memphis_regions_close(struct memphis_regions *regions);

#endif
