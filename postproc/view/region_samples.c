// SPDX-License-Identifier: BSD-3-Clause
/* Counts the samples of each region of a profile. */
#include "view/region_samples.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/preorder.h"

static int assign_nodes(struct memphis_regions *regions, const struct memphis_rows *rows)
{
	const struct memphis_node_row *node;
	struct memphis_region_row *row;
	size_t i, at;

	regions->nodes = calloc(rows->node_count + 1, sizeof(*regions->nodes));
	if (!regions->nodes)
		return -ENOMEM;
	for (i = 0; i < rows->node_count; i++) {
		node = &rows->nodes[i];
		row = &regions->list[node->group];
		if (!row->node_count++)
			row->nodes = node;
		row->selected += node->total;
		for (at = 0; at < regions->node_count && regions->nodes[at] < node->node; at++)
			;
		if (at < regions->node_count && regions->nodes[at] == node->node)
			continue;
		memmove(&regions->nodes[at + 1], &regions->nodes[at],
			(regions->node_count - at) * sizeof(*regions->nodes));
		regions->nodes[at] = node->node;
		regions->node_count++;
	}
	return 0;
}

/*
 * Compares in pre-order, in which a region comes before its nested regions. Siblings with more samples come first, and
 * rows without a region come last.
 */
static int compare_regions(const void *a, const void *b, void *context)
{
	uint32_t first = *(const uint32_t *)a, second = *(const uint32_t *)b;
	const int rc = memphis_preorder(context, sizeof(struct memphis_region_row), &first, &second);
	const struct memphis_region_row *list = context, *x = &list[first], *y = &list[second];

	if (rc || x == y)
		return rc;
	if (!x->name != !y->name)
		return x->name ? -1 : 1;
	if (x->selected_inclusive != y->selected_inclusive)
		return x->selected_inclusive > y->selected_inclusive ? -1 : 1;
	if (x->written_inclusive != y->written_inclusive)
		return x->written_inclusive > y->written_inclusive ? -1 : 1;
	return x->name ? strcmp(x->name, y->name) : x < y ? -1 : 1;
}

int memphis_regions_sum(struct memphis_regions *regions, const struct memphis_rows *rows)
{
	const struct memphis_profile *profile = rows->profile;
	struct memphis_region_row *row;
	size_t i;

	memset(regions, 0, sizeof(*regions));
	regions->count = profile->region_count;
	regions->list = calloc(regions->count + 1, sizeof(*regions->list));
	regions->shown = calloc(regions->count + 1, sizeof(*regions->shown));
	if (!regions->list || !regions->shown)
		return -ENOMEM;
	for (i = 0; i < regions->count; i++) {
		row = &regions->list[i];
		row->name = memphis_profile_text(profile, profile->regions[i].name);
		row->parent = profile->regions[i].parent;
		row->depth = profile->regions[i].depth;
		row->written = profile->regions[i].written;
	}
	if (assign_nodes(regions, rows))
		return -ENOMEM;
	/*
	 * Parents come before their children in the list. The loop runs backwards, so that each row is complete when
	 * it is added to its parent.
	 */
	for (i = regions->count; i > 0; i--) {
		row = &regions->list[i - 1];
		row->written_inclusive += row->written;
		row->selected_inclusive += row->selected;
		if (!row->depth)
			continue;
		regions->list[row->parent].written_inclusive += row->written_inclusive;
		regions->list[row->parent].selected_inclusive += row->selected_inclusive;
	}
	for (i = 0; i < regions->count; i++)
		if (regions->list[i].written_inclusive)
			regions->shown[regions->shown_count++] = (uint32_t)i;
	qsort_r(regions->shown, regions->shown_count, sizeof(*regions->shown), compare_regions,
		regions->list);
	return 0;
}

const struct memphis_region_row *memphis_region_around(const struct memphis_regions *regions,
						       const struct memphis_region_row *row, uint32_t depth)
{
	while (row->depth > depth)
		row = &regions->list[row->parent];
	return row;
}

void memphis_regions_close(struct memphis_regions *regions)
{
	free(regions->list);
	free(regions->shown);
	free(regions->nodes);
	memset(regions, 0, sizeof(*regions));
}
