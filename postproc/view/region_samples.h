/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts the samples of each region of a profile, without (exclusive) and with (inclusive) the samples of its nested regions. */
#ifndef MEMPHIS_REGION_SAMPLES_H
#define MEMPHIS_REGION_SAMPLES_H

#include "view/rows.h"

/* A sample counts for its innermost region (exclusive), and for all enclosing regions (inclusive). */
struct memphis_region_row {
	/* index of an earlier row; MEMPHIS_REGION_OUTSIDE at the top level */
	uint32_t parent;
	uint32_t depth; /* number of enclosing regions */
	/* NULL for MEMPHIS_REGION_OUTSIDE and MEMPHIS_REGION_UNKNOWN */
	const char *name;
	uint64_t written, written_inclusive; /* number of samples in the files */
	/* number of samples in the table, which are the selected ones */
	uint64_t selected, selected_inclusive;
	/* rows of the table for this region, without nested regions */
	const struct memphis_node_row *nodes;
	size_t node_count;
};

struct memphis_regions {
	struct memphis_region_row *list; /* indexed by the profile's row of the region */
	size_t count;
	uint32_t *shown; /* rows with samples, in pre-order; siblings with the most samples come first */
	size_t shown_count;
	uint32_t *nodes; /* accessing nodes of all rows, ascending */
	size_t node_count;
};

/*
 * Adds up the samples of the table over the tree of regions. The table must be grouped by region. Returns 0 or
 * -ENOMEM. The caller must close the regions in both cases.
 */
int memphis_regions_sum(struct memphis_regions *regions, const struct memphis_rows *rows);

/*
 * Returns the ancestor of `row` at depth `depth`, or `row` itself if this is its own depth. `depth` must be from 0 to
 * row->depth.
 */
const struct memphis_region_row *memphis_region_around(const struct memphis_regions *regions,
						       const struct memphis_region_row *row, uint32_t depth);

void memphis_regions_close(struct memphis_regions *regions);

#endif
