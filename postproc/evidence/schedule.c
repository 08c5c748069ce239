// SPDX-License-Identifier: BSD-3-Clause
#include "evidence/schedule.h"

#define MOST 0.667 /* minimum share of the remote loads that odd loops make */
/*
 * Share of loads from DRAM that are remote: at least MANY in an odd loop, and at most FEW in all other places
 * together. MANY is more than loops with neighbour exchange have.
 */
#define MANY 0.25
#define FEW  0.1

/* The number of loads from DRAM at one or more places in the program. */
struct loads {
	uint64_t remote, local;
	uint16_t node; /* node of the first thread that was counted, or MEMPHIS_NODE_UNKNOWN */
	bool on_several;
};

/* Returns the node from which the thread made its first sample of the variable. */
static uint16_t first_node(const struct memphis_placement *placement, uint32_t thread)
{
	size_t i;

	for (i = 0; i < placement->thread_count; i++)
		if (placement->threads[i].thread == thread)
			return placement->nodes[placement->threads[i].first_node];
	return MEMPHIS_NODE_UNKNOWN;
}

static void add_row(const struct memphis_suspect *suspect, struct loads *loads,
		    const struct memphis_heatmap_place *row)
{
	const uint32_t remote = row->phase ? 0 : row->remote;
	uint16_t node;

	if (!remote && !row->local)
		return;
	loads->remote += remote;
	loads->local += row->local;
	node = first_node(&suspect->placement, row->thread);
	if (loads->node == MEMPHIS_NODE_UNKNOWN)
		loads->node = node;
	loads->on_several |= node != loads->node;
}

/* Adds up the rows of the place that begins at row `first`. Returns the index of the next place. */
static size_t sum_place(const struct memphis_suspect *suspect, size_t first, struct loads *place)
{
	const struct memphis_heatmap *heatmap = suspect->heatmap;
	size_t end = first;

	*place = (struct loads){.node = MEMPHIS_NODE_UNKNOWN};
	while (end < heatmap->place_count &&
	       heatmap->places[end].instruction == heatmap->places[first].instruction)
		add_row(suspect, place, &heatmap->places[end++]);
	return end;
}

static void add_loads(struct loads *sum, const struct loads *place)
{
	if (place->node == MEMPHIS_NODE_UNKNOWN)
		return;
	if (sum->node == MEMPHIS_NODE_UNKNOWN)
		sum->node = place->node;
	sum->on_several |= place->on_several || place->node != sum->node;
	sum->remote += place->remote;
	sum->local += place->local;
}

static bool is_odd_place(const struct loads *place)
{
	return place->on_several && place->remote >= MEMPHIS_FINDING_WEAK &&
	       memphis_share_of(place->remote, place->remote + place->local).low >= MANY;
}

bool memphis_is_odd_schedule(const struct memphis_suspect *suspect, struct memphis_finding *finding)
{
	const struct memphis_heatmap *heatmap = suspect->heatmap;
	struct loads odd = {.node = MEMPHIS_NODE_UNKNOWN}, others = odd, place;
	uint64_t most_remote = 0, most_local = 0;
	size_t first, end;

	for (first = 0; first < heatmap->place_count; first = end) {
		end = sum_place(suspect, first, &place);
		add_loads(is_odd_place(&place) ? &odd : &others, &place);
		if (is_odd_place(&place)) {
			most_remote = place.remote > most_remote ? place.remote : most_remote;
		} else if (place.local > most_local) {
			most_local = place.local;
			finding->usual = heatmap->places[first].instruction;
		}
	}
	finding->samples = most_remote;
	return most_remote && others.on_several && others.local >= MEMPHIS_FINDING_SAMPLES &&
	       memphis_share_of(odd.remote, odd.remote + others.remote).low >= MOST &&
	       memphis_share_of(others.remote, others.remote + others.local).high <= FEW;
}
