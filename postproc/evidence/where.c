// SPDX-License-Identifier: BSD-3-Clause
#include "evidence/where.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"

/* The finding lists a region if it has at least this share of the pattern's samples. */
#define REGION_SHARE 0.1

struct region_sum {
	uint32_t region;
	uint64_t count;
};

static uint64_t matching_count(const struct memphis_where *where, const struct memphis_heatmap_place *row)
{
	if (where->thread != MEMPHIS_NONE && row->thread != where->thread)
		return 0;
	if (where->modified)
		return row->modified;
	return row->phase == where->phase ? row->remote : 0;
}

/* Compares places by path and line, so that the result does not depend on the order of rows. */
static int compare_places(const struct memphis_profile *profile, uint32_t a, uint32_t b)
{
	const struct memphis_profile_frame *x = memphis_program_frame(profile, a),
					   *y = memphis_program_frame(profile, b);
	const char *path = memphis_profile_text(profile, x->path),
		   *other = memphis_profile_text(profile, y->path);

	return strcmp(path ? path : "", other ? other : "") ?: memphis_order(x->line, y->line);
}

/* Sets finding->instruction to that of the place with the most accesses. Prefers places with a known source line. */
static void set_main_instruction(const struct memphis_suspect *suspect, const struct memphis_where *where,
				 struct memphis_finding *finding)
{
	const struct memphis_heatmap_place *row = suspect->heatmap->places,
					   *end = row + suspect->heatmap->place_count, *first;
	const struct memphis_profile *profile = suspect->profile;
	uint64_t most = 0, count;
	bool line, best_line = false;

	while (row < end) {
		first = row;
		for (count = 0; row < end && row->instruction == first->instruction; row++)
			count += matching_count(where, row);
		line = memphis_program_frame(profile, first->instruction)->line != 0;
		if (!count || (best_line && !line))
			continue;
		if ((line && !best_line) || count > most ||
		    (count == most &&
		     compare_places(profile, first->instruction, finding->instruction) < 0)) {
			most = count;
			best_line = line;
			finding->instruction = first->instruction;
		}
	}
}

static int compare_regions(const void *a, const void *b)
{
	const struct region_sum *x = a, *y = b;

	return memphis_order(x->region, y->region);
}

static void keep_region(struct memphis_finding *finding, const struct region_sum *region, uint64_t sum)
{
	const double share = (double)region->count / (double)sum;
	struct memphis_finding_region *kept = finding->regions;
	size_t at;

	for (at = finding->region_count; at && kept[at - 1].share < share; at--)
		if (at < MEMPHIS_FINDING_REGIONS)
			kept[at] = kept[at - 1];
	if (at == MEMPHIS_FINDING_REGIONS)
		return;
	kept[at] = (struct memphis_finding_region){region->region, share};
	finding->region_count += finding->region_count < MEMPHIS_FINDING_REGIONS;
}

int memphis_finding_place(const struct memphis_suspect *suspect, const struct memphis_where *where,
			  struct memphis_finding *finding)
{
	const struct memphis_heatmap *heatmap = suspect->heatmap;
	struct region_sum *regions = calloc(heatmap->place_count + 1, sizeof(*regions));
	uint64_t sum = 0, count;
	size_t made = 0, i, j;

	if (!regions)
		return -ENOMEM;
	set_main_instruction(suspect, where, finding);
	for (i = 0; i < heatmap->place_count; i++) {
		count = matching_count(where, &heatmap->places[i]);
		if (!count)
			continue;
		regions[made++] = (struct region_sum){heatmap->places[i].region, count};
		sum += count;
	}
	memphis_sort(regions, made, compare_regions);
	for (i = 0; i < made; i = j) {
		for (j = i + 1; j < made && regions[j].region == regions[i].region; j++)
			regions[i].count += regions[j].count;
		if (regions[i].region > MEMPHIS_REGION_UNKNOWN &&
		    (double)regions[i].count >= REGION_SHARE * (double)sum)
			keep_region(finding, &regions[i], sum);
	}
	free(regions);
	return 0;
}
