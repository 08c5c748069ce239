// SPDX-License-Identifier: BSD-3-Clause
/*
 * Counts the selected samples of a variable by source line, time step and accessing node. The result shows which lines
 * accessed it when.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/order.h"
#include "heatmap/second_pass.h"

static int compare_moments(const void *a, const void *b)
{
	const struct memphis_heatmap_moment *x = a, *y = b;

	return memphis_order(x->instruction, y->instruction) ?:
	       memphis_order(x->tick, y->tick) ?:
	       memphis_order(x->node, y->node);
}

/* Merges the moments of the same instruction, time step and node. */
static void merge_moments(struct memphis_heatmap *heatmap)
{
	struct memphis_heatmap_moment *list = heatmap->moments;
	size_t kept = 0, i;

	memphis_sort(list, heatmap->moment_count, compare_moments);
	for (i = 0; i < heatmap->moment_count; i++) {
		if (kept && !compare_moments(&list[kept - 1], &list[i]))
			list[kept - 1].selected += list[i].selected;
		else
			list[kept++] = list[i];
	}
	heatmap->moment_count = kept;
}

/*
 * Appends a moment for each selected sample. Its `instruction` is, for now, the number of the sample's place in the
 * program. The slot of each place gets the instruction of the place with the lowest address, plus 1.
 */
static int add_records(struct memphis_second_pass *pass, struct memphis_heatmap *heatmap,
		       struct memphis_heatmap_record *const *records, size_t count)
{
	const struct memphis_instruction *rows = pass->join->profile->instructions;
	struct memphis_heatmap_moment *moment;
	uint32_t place, *first;
	size_t i;

	for (i = 0; i < count; i++) {
		if (!records[i]->selected)
			continue;
		place = memphis_second_pass_place(pass, records[i]);
		moment = memphis_append(heatmap->moments, heatmap->moment_count, heatmap->moment_room);
		if (place == MEMPHIS_NONE || !moment)
			return -ENOMEM;
		*moment = (struct memphis_heatmap_moment){
			.instruction = place,
			.tick = (uint32_t)((records[i]->since_ns >> heatmap->tick_shift) -
					   (heatmap->from_ns >> heatmap->tick_shift)),
			.node = records[i]->node,
			.selected = 1};
		first = &pass->places.slots[place];
		if (!*first || rows[records[i]->instruction].pc < rows[*first - 1].pc)
			*first = records[i]->instruction + 1;
	}
	return 0;
}

int memphis_heatmap_fill_moments(struct memphis_second_pass *pass, struct memphis_heatmap *heatmap,
				 struct memphis_heatmap_record *const *records, size_t count)
{
	uint32_t *slots;
	size_t i;
	int rc = add_records(pass, heatmap, records, count);

	slots = pass->places.slots;
	for (i = 0; !rc && i < heatmap->moment_count; i++)
		heatmap->moments[i].instruction = slots[heatmap->moments[i].instruction] - 1;
	for (i = 0; i < count; i++)
		if (records[i]->selected && records[i]->place != MEMPHIS_NONE)
			slots[records[i]->place] = 0;
	merge_moments(heatmap);
	return rc;
}
