// SPDX-License-Identifier: BSD-3-Clause
#include "evidence/ping_pong.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profile/finding.h"

#define HAS_HOME \
	0.9 /* probability that a sample has the home node of its phase: less than 1, because pages move one by one */
#define FITS \
	0.75 /* minimum share of fitting samples in a phase, and of fitting phases in the samples of the part */
#define PAGE  4096
#define TICKS MEMPHIS_HEATMAP_TICKS

/* Samples with the same home node, and the range of their addresses. */
struct home_samples {
	uint64_t count, low, high;
};

/* A period in which the pages of a part have one home node. */
struct phase {
	size_t home;
	uint64_t count; /* all samples in this period, whatever their home node */
	struct home_samples fitting;
};

struct search {
	const struct memphis_ping_pong *parts;
	size_t nodes;
	struct home_samples *steps; /* by time step and home */
	uint64_t ticks[TICKS];      /* number of samples by time step */
	/* By time step and home: home of the previous step in the most probable sequence of phases. */
	uint16_t *from;
	/*
	 * By home: log-probability of the most probable sequence that ends with this home. `score` is for the current
	 * time step, `before` for the previous one.
	 */
	double *score, *before;
};

static void merge_range(struct home_samples *sum, const struct home_samples *other)
{
	if (!other->count)
		return;
	if (!sum->count || other->low < sum->low)
		sum->low = other->low;
	if (!sum->count || other->high > sum->high)
		sum->high = other->high;
	sum->count += other->count;
}

static void add_spot(struct search *search, const struct memphis_heatmap_spot *spot)
{
	const struct memphis_heatmap *heatmap = search->parts->heatmap;
	const uint64_t bin = ((heatmap->low >> heatmap->bin_shift) + spot->bin) << heatmap->bin_shift;
	const struct home_samples samples = {.count = spot->count,
					     .low = bin + memphis_heatmap_offset(heatmap, spot->lowest),
					     .high = bin + memphis_heatmap_offset(heatmap, spot->highest)};
	size_t home = 0;

	while (home < search->nodes && search->parts->nodes[home] != spot->home)
		home++;
	if (home == search->nodes || spot->tick >= TICKS)
		return;
	merge_range(&search->steps[spot->tick * search->nodes + home], &samples);
	search->ticks[spot->tick] += spot->count;
}

/* Returns the log-probability of the samples' homes if the homes do not depend on time. */
static double mixture_log_probability(const struct search *search)
{
	uint64_t sum = 0, of_home;
	double log_mixture = 0;
	size_t home, tick;

	for (tick = 0; tick < TICKS; tick++)
		sum += search->ticks[tick];
	for (home = 0; home < search->nodes; home++) {
		for (of_home = 0, tick = 0; tick < TICKS; tick++)
			of_home += search->steps[tick * search->nodes + home].count;
		if (of_home)
			log_mixture += (double)of_home * log((double)of_home / (double)sum);
	}
	return log_mixture;
}

static size_t best_home(const double *score, size_t nodes)
{
	size_t best = 0, i;

	for (i = 1; i < nodes; i++)
		if (score[i] > score[best])
			best = i;
	return best;
}

/*
 * Finds the most probable sequence of phases by dynamic programming. Each time step can start a new phase with another
 * home. A change of the home costs the logarithm of the number of these choices. Returns the log-probability of the
 * sequence. The sequence can then be read backwards from search->from.
 */
static double find_phases(struct search *search)
{
	const double hit = log(HAS_HOME), miss = log((1 - HAS_HOME) / (double)(search->nodes - 1)),
		     change = -log((double)TICKS * (double)(search->nodes - 1));
	size_t tick, home, best;
	uint64_t here;
	double stay;

	memset(search->score, 0, search->nodes * sizeof(*search->score));
	for (tick = 0; tick < TICKS; tick++) {
		memcpy(search->before, search->score, search->nodes * sizeof(*search->score));
		best = best_home(search->before, search->nodes);
		for (home = 0; home < search->nodes; home++) {
			stay = search->before[home];
			here = search->steps[tick * search->nodes + home].count;
			search->from[tick * search->nodes + home] =
				(uint16_t)(search->before[best] + change > stay ? best : home);
			search->score[home] = fmax(stay, search->before[best] + change) + (double)here * hit +
					      (double)(search->ticks[tick] - here) * miss;
		}
	}
	return search->score[best_home(search->score, search->nodes)];
}

/* Lists the phases in order of time. Returns their number. */
static size_t list_phases(const struct search *search, struct phase phases[TICKS])
{
	size_t homes[TICKS], count = 0, tick = TICKS, home = best_home(search->score, search->nodes);

	while (tick--) {
		homes[tick] = home;
		home = search->from[tick * search->nodes + home];
	}
	for (tick = 0; tick < TICKS; tick++) {
		if (!search->ticks[tick])
			continue;
		if (!count || phases[count - 1].home != homes[tick])
			phases[count++] = (struct phase){.home = homes[tick]};
		phases[count - 1].count += search->ticks[tick];
		merge_range(&phases[count - 1].fitting, &search->steps[tick * search->nodes + homes[tick]]);
	}
	return count;
}

/* Returns whether the two ranges have at least half of the pages of the smaller one in common. */
static bool ranges_overlap(const struct home_samples *a, const struct home_samples *b)
{
	const uint64_t a_low = a->low / PAGE, a_high = a->high / PAGE + 1, b_low = b->low / PAGE,
		       b_high = b->high / PAGE + 1, low = a_low > b_low ? a_low : b_low,
		       high = a_high < b_high ? a_high : b_high,
		       least = a_high - a_low < b_high - b_low ? a_high - a_low : b_high - b_low;

	return high > low && 2 * (high - low) >= least;
}

/*
 * Returns the number of moves between the phases, or 0 if the pages never came back to a node. Ignores phases whose
 * samples have mixed homes.
 */
static uint32_t count_moves(const struct phase *phases, size_t count)
{
	const struct phase *phase, *last = NULL, *other;
	uint64_t all = 0, fitting = 0;
	uint32_t moves = 0;
	bool back = false;

	for (phase = phases; phase < phases + count; phase++) {
		all += phase->count;
		if ((double)phase->fitting.count < FITS * (double)phase->count)
			continue;
		fitting += phase->fitting.count;
		if (last && last->home != phase->home) {
			if (!ranges_overlap(&last->fitting, &phase->fitting))
				return 0;
			for (other = phases; other < last; other++)
				back |= other->home == phase->home;
			moves++;
		}
		last = phase;
	}
	return back && (double)fitting >= FITS * (double)all ? moves : 0;
}

/* Returns the number of moves of a part. The spots must be those of the part, sorted by time. */
static uint32_t count_part_moves(struct search *search, const struct memphis_heatmap_spot *const *spots,
				 size_t count)
{
	struct phase phases[TICKS];
	size_t i;

	memset(search->steps, 0, TICKS * search->nodes * sizeof(*search->steps));
	memset(search->ticks, 0, sizeof(search->ticks));
	for (i = 0; i < count; i++)
		add_spot(search, spots[i]);
	if (find_phases(search) - mixture_log_probability(search) < MEMPHIS_FINDING_ODDS / 1000.0)
		return 0;
	return count_moves(phases, list_phases(search, phases));
}

/*
 * Sorts the spots by part. Spots of the same part stay sorted by time. Sets ends[part] to the index after the last
 * spot of each part.
 */
static const struct memphis_heatmap_spot **sort_spots(const struct memphis_ping_pong *parts, size_t *ends,
						      size_t part_count)
{
	const struct memphis_heatmap *heatmap = parts->heatmap;
	const struct memphis_heatmap_spot **sorted = calloc(heatmap->spot_count + 1, sizeof(*sorted));
	size_t part, at = 0, i;

	/* ends[part] is first the number of spots of the part, then the index of its first spot. */
	for (i = 0; i < heatmap->spot_count; i++)
		ends[heatmap->spots[i].bin >> parts->shift]++;
	for (part = 0; part < part_count; part++) {
		at += ends[part];
		ends[part] = at - ends[part];
	}
	for (i = 0; sorted && i < heatmap->spot_count; i++)
		sorted[ends[heatmap->spots[i].bin >> parts->shift]++] = &heatmap->spots[i];
	return sorted;
}

/* Returns whether the spots have more than one home node. */
static bool has_several_homes(const struct memphis_heatmap_spot *const *spots, size_t count)
{
	size_t i;

	for (i = 1; i < count; i++)
		if (spots[i]->home != spots[0]->home)
			return true;
	return false;
}

int memphis_ping_pong_find(const struct memphis_ping_pong *parts, uint32_t *moves, size_t part_count)
{
	const size_t nodes = parts->node_count;
	struct search search = {.parts = parts,
				.nodes = nodes,
				.steps = calloc(TICKS * nodes + 1, sizeof(*search.steps)),
				.from = calloc(TICKS * nodes + 1, sizeof(*search.from)),
				.score = calloc(nodes + 1, sizeof(*search.score)),
				.before = calloc(nodes + 1, sizeof(*search.before))};
	size_t *ends = calloc(part_count + 1, sizeof(*ends)), first = 0, part;
	const struct memphis_heatmap_spot **spots = ends ? sort_spots(parts, ends, part_count) : NULL;
	const bool made = spots && search.steps && search.from && search.score && search.before;

	for (part = 0; made && part < part_count; first = ends[part++])
		moves[part] = nodes > 1 && has_several_homes(spots + first, ends[part] - first)
				      ? count_part_moves(&search, spots + first, ends[part] - first)
				      : 0;
	free(search.steps);
	free(search.from);
	free(search.score);
	free(search.before);
	free(spots);
	free(ends);
	return made ? 0 : -ENOMEM;
}
