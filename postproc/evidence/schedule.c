// SPDX-License-Identifier: BSD-3-Clause
#include "evidence/schedule.h"

#define MOST 0.667 /* minimum share of the remote loads that odd loops make */
/*
 * Share of loads from DRAM that are remote: at least MANY in an odd loop, and at most FEW in all other places
 * together. MANY is more than loops with neighbour exchange have.
 */
#define MANY 0.25
#define FEW  0.1
/* minimum share of the parts of the variable that are on one node each */
#define OWNED 0.9
/* Nodes own contiguous parts if at most one in this number of parts has another owner than the part before it. */
#define CHANGES_ONE_IN 4

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

/* The loops of a variable: sums of the odd ones and of all others, and the leading one of each kind. */
struct loops {
	struct loads odd, others;
	uint64_t most_remote,
		most_local;    /* number of remote loads of `worst`; number of local loads of `usual` */
	uint32_t worst, usual; /* the profile's rows of an instruction in these loops, or MEMPHIS_NONE */
};

static void sum_loops(const struct memphis_suspect *suspect, struct loops *loops)
{
	const struct memphis_heatmap *heatmap = suspect->heatmap;
	struct loads place;
	size_t first, end;

	*loops = (struct loops){.odd.node = MEMPHIS_NODE_UNKNOWN,
				.others.node = MEMPHIS_NODE_UNKNOWN,
				.worst = MEMPHIS_NONE,
				.usual = MEMPHIS_NONE};
	for (first = 0; first < heatmap->place_count; first = end) {
		end = sum_place(suspect, first, &place);
		add_loads(is_odd_place(&place) ? &loops->odd : &loops->others, &place);
		if (is_odd_place(&place) && place.remote > loops->most_remote) {
			loops->most_remote = place.remote;
			loops->worst = heatmap->places[first].instruction;
		} else if (!is_odd_place(&place) && place.local > loops->most_local) {
			loops->most_local = place.local;
			loops->usual = heatmap->places[first].instruction;
		}
	}
}

static bool has_most_remote_loads(const struct loops *loops)
{
	return loops->most_remote &&
	       memphis_share_of(loops->odd.remote, loops->odd.remote + loops->others.remote).low >= MOST;
}

bool memphis_is_odd_schedule(const struct memphis_suspect *suspect, struct memphis_finding *finding)
{
	struct loops loops;

	sum_loops(suspect, &loops);
	finding->samples = loops.most_remote;
	finding->usual = loops.usual;
	return has_most_remote_loads(&loops) && loops.others.on_several &&
	       loops.others.local >= MEMPHIS_FINDING_SAMPLES &&
	       memphis_share_of(loops.others.remote, loops.others.remote + loops.others.local).high <= FEW;
}

/* Returns whether the line computes its addresses from other data, or at random. No schedule makes its loads local. */
static bool is_at_any_address(const struct memphis_suspect *suspect, uint32_t instruction)
{
	const struct memphis_profile_frame *line = memphis_program_frame(suspect->profile, instruction),
					   *frame;
	const struct memphis_heatmap_load *load = suspect->heatmap->loads;

	for (; load < suspect->heatmap->loads + suspect->heatmap->load_count; load++) {
		frame = memphis_program_frame(suspect->profile, load->instruction);
		if (frame->path == line->path && frame->line == line->line &&
		    load->order != MEMPHIS_ORDER_COUNTED)
			return true;
	}
	return false;
}

/* What is known about the parts of a variable that have samples. */
struct division {
	size_t parts, owned, changes;
	size_t stored, started; /* parts with sampled stores; parts whose owner made the first one of them */
	uint64_t remote,
		shared_remote; /* number of remote loads; number of these in parts that several nodes use */
	int first_owner;
	bool on_several;
	const struct memphis_part *start; /* the part whose first store was the earliest */
};

static void add_part(struct division *division, const struct memphis_part *part, int *last_owner)
{
	division->parts++;
	division->remote += part->remote;
	division->shared_remote += part->user == MEMPHIS_SEVERAL ? part->remote : 0;
	division->stored += part->first_store != NULL;
	if (part->owner == MEMPHIS_SEVERAL)
		return;
	division->owned++;
	if (division->owned == 1)
		division->first_owner = part->owner;
	division->on_several |= part->owner != division->first_owner;
	division->changes += division->owned > 1 && part->owner != *last_owner;
	*last_owner = part->owner;
	if (part->initialised == MEMPHIS_NONE)
		return;
	division->started++;
	if (!division->start ||
	    part->first_store->first_store_ns < division->start->first_store->first_store_ns)
		division->start = part;
}

/* Returns whether the threads of several nodes have initialised parts of the variable, as far as stores show. */
static bool was_divided(const struct division *division)
{
	return 2 * division->started >= division->parts &&
	       memphis_share_of(division->started, division->stored).low >= MOST;
}

/* Returns whether each node has contiguous parts of the variable. Interleaved pages, and pages at random, are not so. */
static bool is_contiguous(const struct division *division)
{
	return division->parts >= MEMPHIS_PARTS_MIN && CHANGES_ONE_IN * division->changes <= division->parts;
}

bool memphis_is_other_schedule(const struct memphis_suspect *suspect, struct memphis_finding *finding)
{
	const struct memphis_placement *placement = &suspect->placement;
	struct division division = {.start = NULL};
	int last_owner = MEMPHIS_SEVERAL;
	struct loops loops;
	size_t i;

	for (i = 0; i < placement->part_count; i++)
		if (placement->parts[i].count)
			add_part(&division, &placement->parts[i], &last_owner);
	if (!division.on_several || (double)division.owned < OWNED * (double)division.parts ||
	    (double)division.shared_remote < MOST * (double)division.remote ||
	    !(was_divided(&division) || is_contiguous(&division)))
		return false;
	sum_loops(suspect, &loops);
	if (!has_most_remote_loads(&loops) || is_at_any_address(suspect, loops.worst))
		return false;
	finding->samples = loops.most_remote;
	finding->usual = was_divided(&division) ? division.start->initialised : MEMPHIS_NONE;
	return true;
}
