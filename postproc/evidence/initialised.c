// SPDX-License-Identifier: BSD-3-Clause
/*
 * Finds the place in the code that initialises a variable: the place of the first sampled stores, provided that it stops storing after it
 * has covered the variable.
 */
#include "evidence/initialised.h"

/* Minimum share of parts whose initialising stores must have been sampled; otherwise, no place is reported. */
#define PLACES_SHARE 0.25

static bool same_place(const struct memphis_profile *profile, uint32_t a, uint32_t b)
{
	const struct memphis_profile_frame *x = memphis_program_frame(profile, a),
					   *y = memphis_program_frame(profile, b);

	return x->path == y->path && x->line == y->line && x->function == y->function;
}

/* Returns the time of the last sampled store by any instruction at the same place in the code as this instruction. */
static uint64_t last_store(const struct memphis_suspect *suspect, uint32_t instruction)
{
	const struct memphis_heatmap *heatmap = suspect->heatmap;
	uint64_t last_ns = 0;
	size_t i;

	for (i = 0; i < heatmap->store_count; i++)
		if (heatmap->stores[i].last_ns > last_ns &&
		    same_place(suspect->profile, heatmap->stores[i].instruction, instruction))
			last_ns = heatmap->stores[i].last_ns;
	return last_ns;
}

/* Returns the part with the earliest first store. */
static const struct memphis_part *find_first_part(const struct memphis_placement *placement)
{
	const struct memphis_part *part, *first = NULL;

	for (part = placement->parts; part < placement->parts + placement->part_count; part++)
		if (part->initialised != MEMPHIS_NONE &&
		    (!first || part->first_store->first_store_ns < first->first_store->first_store_ns))
			first = part;
	return first;
}

/*
 * Judges whether the place that stored first has initialised the variable, which is the case if it stops after it has stored to all parts.
 * If the first sampled store to a part is from another place and later than that time, the initialising stores to the part were not
 * sampled.
 */
static enum memphis_initialised judge_place(const struct memphis_suspect *suspect, uint32_t place)
{
	const struct memphis_placement *placement = &suspect->placement;
	const uint64_t last_ns = last_store(suspect, place), to_ns = suspect->heatmap->to_ns;
	uint64_t first_ns, everywhere_ns = 0;
	const struct memphis_part *part;
	size_t seen = 0, here = 0, elsewhere = 0;

	for (part = placement->parts; part < placement->parts + placement->part_count; part++) {
		seen += part->count != 0;
		if (part->initialised == MEMPHIS_NONE)
			continue;
		first_ns = part->first_store->first_store_ns;
		if (same_place(suspect->profile, part->initialised, place)) {
			here++;
			everywhere_ns = first_ns > everywhere_ns ? first_ns : everywhere_ns;
		} else {
			elsewhere += first_ns <= last_ns;
		}
	}
	if ((double)here < PLACES_SHARE * (double)seen)
		return MEMPHIS_INITIALISED_NOT_SAMPLED;
	if (last_ns > everywhere_ns + (to_ns - everywhere_ns) / 2)
		return MEMPHIS_INITIALISED_PERHAPS;
	return (double)here < MEMPHIS_PART_AGREE * (double)(here + elsewhere) ? MEMPHIS_INITIALISED_SEVERAL
									      : MEMPHIS_INITIALISED_AT;
}

void memphis_find_initialised(const struct memphis_suspect *suspect, struct memphis_finding *finding)
{
	const struct memphis_part *first = find_first_part(&suspect->placement);

	finding->initialised = MEMPHIS_INITIALISED_NOT_SAMPLED;
	if (!suspect->stores)
		finding->initialised = MEMPHIS_INITIALISED_NO_STORES;
	else if (first)
		finding->initialised = judge_place(suspect, first->initialised);
	if (finding->initialised >= MEMPHIS_INITIALISED_PERHAPS)
		finding->initialised_at = first->initialised;
	if (finding->initialised == MEMPHIS_INITIALISED_PERHAPS)
		finding->touched_by = MEMPHIS_NONE;
}
