// SPDX-License-Identifier: BSD-3-Clause
/* Finds the range of elements that contains most samples of a row, in the heatmaps of all processes. */
#include "view/hot_part.h"

/*
 * A row has samples of all processes, but a profile has heatmaps of some of them only, and of the samples that it was made for. The part is
 * that of the row if the heatmaps with this part have about as many samples as the row.
 */
const struct memphis_heatmap_part *memphis_hot_part(const struct memphis_rows *rows, uint32_t node,
						    const struct memphis_variable_row *row)
{
	const struct memphis_profile *profile = rows->profile;
	const double count = (double)row->sum.measure.count;
	const struct memphis_heatmap_part *found = NULL, *part;
	const struct memphis_heatmap *heatmap;
	double samples = 0;
	size_t i, j;

	if (rows->view->group != MEMPHIS_GROUP_NONE)
		return NULL;
	for (i = 0; i < profile->heatmap_count; i++) {
		heatmap = &profile->heatmaps[i];
		for (j = 0; heatmap->variable == row->variable && j < heatmap->part_count; j++) {
			part = &heatmap->parts[j];
			if (part->node != node)
				continue;
			if (found && (found->name != part->name || found->elements != part->elements))
				return NULL;
			found = part;
			samples += (double)part->count * (double)heatmap->one_in;
		}
	}
	return found && samples > 0.9 * count && samples < 1.1 * count ? found : NULL;
}
