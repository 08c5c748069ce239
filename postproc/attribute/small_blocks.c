// SPDX-License-Identifier: BSD-3-Clause
/* Builds, for each extent, the sequence of its mixes over time from the begins and ends of its small blocks. */
#include "attribute/small_blocks.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <memphis/format.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"

/* Combines the shares of an extent with the shares of an instruction, and computes how certain the result is. */

/* unit of shares: their sum, if the extent has no more than MEMPHIS_MIX_PARTS sites */
#define MEMPHIS_MIX_WHOLE 64

/* maximum of memphis_mix.blocks; more blocks count as this number, which keeps the number of different mixes small */
#define MEMPHIS_MIX_BLOCKS 32

/*
 * Weights of prior knowledge, in blocks and in samples. An extent is expected to contain the same shares as all
 * extents together, as if EXTENT_WEIGHT blocks with these shares were known. Likewise, an instruction is
 * expected to have the shares that its extents suggest, as if INSTRUCTION_WEIGHT samples showed them. The
 * weights are small because most extents and instructions have blocks of only few sites.
 */
#define EXTENT_WEIGHT      1.0
#define INSTRUCTION_WEIGHT 2.0

/* Sites with a smaller chance are not compared with other sites, because the comparison takes time. */
#define CHANCE_MIN 0.01

#define ROUNDS    200
#define PRECISION 1e-4

/* Allocates the sites. The caller fills in `bytes` and `taken`. Returns 0 or -ENOMEM. The sites must be closed in both cases. */
static int open_sites(struct memphis_sites *sites, size_t count)
{
	memset(sites, 0, sizeof(*sites));
	sites->count = count;
	sites->bytes = calloc(count + 1, sizeof(double));
	sites->taken = calloc(count + 1, sizeof(double));
	sites->pull = calloc(count + 1, sizeof(double));
	sites->work = calloc(4 * count + 1, sizeof(double));
	return sites->bytes && sites->taken && sites->pull && sites->work ? 0 : -ENOMEM;
}

static void close_sites(struct memphis_sites *sites)
{
	free(sites->bytes);
	free(sites->taken);
	free(sites->pull);
	free(sites->work);
	memset(sites, 0, sizeof(*sites));
}

/* Returns the weight of a part of a mix. The prior knowledge has the weight EXTENT_WEIGHT. */
static double part_weight(const struct memphis_mix *mix, unsigned int part)
{
	return mix->blocks * (double)mix->parts[part].share / MEMPHIS_MIX_WHOLE;
}

/*
 * Returns the sum of factor * share over all sites in an extent with this mix. `general` is the same sum for
 * the shares of all bytes.
 */
static double mix_sum(const struct memphis_mix *mix, const double *factors, double general)
{
	double sum = EXTENT_WEIGHT * general;
	unsigned int i;

	for (i = 0; i < mix->count; i++)
		sum += part_weight(mix, i) * factors[mix->parts[i].site];
	return sum;
}

static double general_sum(const struct memphis_sites *sites, const double *factors)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < sites->count; i++)
		sum += sites->bytes[i] * factors[i];
	return sum;
}

/* Sums up the estimated number of samples of each site. */
static void sum_estimates(const struct memphis_sites *sites, const struct memphis_site_evidence *evidence,
			  const double *factors, double *sums)
{
	double general = general_sum(sites, factors), share, everywhere = 0;
	const struct memphis_mix *mix;
	unsigned int part;
	size_t i;

	memset(sums, 0, sites->count * sizeof(*sums));
	for (i = 0; i < evidence->outside_count; i++) {
		mix = &sites->mixes[evidence->outside[i].number];
		share = (double)evidence->outside[i].count / mix_sum(mix, factors, general);
		everywhere += share;
		for (part = 0; part < mix->count; part++)
			sums[mix->parts[part].site] += share * part_weight(mix, part);
	}
	for (i = 0; i < sites->count; i++)
		sums[i] = factors[i] * (sums[i] + everywhere * EXTENT_WEIGHT * sites->bytes[i]);
}

/*
 * Changes the factors until the estimates add up to the shares that the samples inside recorded blocks
 * suggest. If there are few of these samples, the shares stay close to the estimates by the present factors.
 */
static void fit_factors(const struct memphis_sites *sites, const struct memphis_site_evidence *evidence,
			double *factors)
{
	double *sums = sites->work, *wanted = sums + sites->count;
	double total = 0, inside = 0, weighted = 0, change = 1, ratio;
	unsigned int round;
	size_t i;

	for (i = 0; i < evidence->outside_count; i++)
		total += (double)evidence->outside[i].count;
	memset(wanted, 0, sites->count * sizeof(*wanted));
	for (i = 0; i < evidence->inside_count; i++) {
		/*
		 * Only a part of the site's bytes is in recorded blocks, so a sample inside them represents 1
		 * / taken samples of the site.
		 */
		ratio = (double)evidence->inside[i].count / sites->taken[evidence->inside[i].number];
		wanted[evidence->inside[i].number] += ratio;
		weighted += ratio;
		inside += (double)evidence->inside[i].count;
	}
	if (!total || !weighted)
		return;
	sum_estimates(sites, evidence, factors, sums);
	for (i = 0; i < sites->count; i++)
		wanted[i] = (wanted[i] * inside / weighted + INSTRUCTION_WEIGHT * sums[i] / total) * total /
			    (inside + INSTRUCTION_WEIGHT);
	for (round = 0; round < ROUNDS && change > PRECISION; round++) {
		change = 0;
		for (i = 0; i < sites->count; i++) {
			ratio = sums[i] > 0 ? wanted[i] / sums[i] : 1;
			factors[i] *= ratio;
			if (wanted[i] > PRECISION * total && fabs(ratio - 1) > change)
				change = fabs(ratio - 1);
		}
		sum_estimates(sites, evidence, factors, sums);
	}
}

void memphis_sites_fit_process(struct memphis_sites *sites, const struct memphis_site_evidence *all)
{
	size_t i;

	for (i = 0; i < sites->count; i++)
		sites->pull[i] = 1;
	fit_factors(sites, all, sites->pull);
}

/* Returns the sum of the chances of `site` and of all sites that reports show as the same variable. */
static double sum_equivalent_chances(const struct memphis_sites *sites, const double *chances, double least,
				     uint32_t site)
{
	double sum = chances[site];
	uint32_t i;

	for (i = 0; sites->is_same && i < sites->count; i++)
		if (i != site && chances[i] >= least && sites->is_same(sites->context, site, i))
			sum += chances[i];
	return sum;
}

static struct memphis_site_guess guess_site(const struct memphis_sites *sites, const struct memphis_mix *mix,
					    const double *factors, double *chances)
{
	struct memphis_site_guess best = {0, 0};
	double sum = 0, least, chance;
	size_t i;

	for (i = 0; i < sites->count; i++)
		chances[i] = EXTENT_WEIGHT * sites->bytes[i] * factors[i];
	for (i = 0; i < mix->count; i++)
		chances[mix->parts[i].site] +=
			part_weight(mix, (unsigned int)i) * factors[mix->parts[i].site];
	for (i = 0; i < sites->count; i++)
		sum += chances[i];
	least = CHANCE_MIN * sum;
	for (i = 0; i < sites->count; i++) {
		chance = chances[i] < least ? chances[i]
					    : sum_equivalent_chances(sites, chances, least, (uint32_t)i);
		if (chance > best.certainty * (1 + DBL_EPSILON) ||
		    (chance >= best.certainty * (1 - DBL_EPSILON) && chances[i] > chances[best.site]))
			best = (struct memphis_site_guess){(uint32_t)i, chance};
	}
	/* No block of the true site may have been recorded. All such sites together are assumed to have half a block. */
	best.certainty *= ((double)sites->blocks + 0.5) / ((double)sites->blocks + 1) / sum;
	return best;
}

void memphis_sites_guess(struct memphis_sites *sites, const struct memphis_site_evidence *evidence,
			 struct memphis_site_guess *guesses)
{
	double *factors = sites->work + 2 * sites->count, *chances = sites->work + 3 * sites->count;
	size_t i;

	memcpy(factors, sites->pull, sites->count * sizeof(*factors));
	fit_factors(sites, evidence, factors);
	for (i = 0; i < evidence->outside_count; i++)
		guesses[i] = guess_site(sites, &sites->mixes[evidence->outside[i].number], factors, chances);
}

/* The begin (`sign` is 1) or the end (`sign` is -1) of a block. */
struct change {
	uint64_t extent, time_ns;
	double bytes; /* number of allocated bytes that the recorded block represents */
	uint32_t site;
	int sign;
};

/* The blocks of an extent at one time, summed up by site. */
struct state {
	struct part {
		uint32_t site;
		double bytes;
		long blocks;
	} * parts;
	size_t count, room;
	double bytes, squares; /* sum over the blocks of their bytes, and sum of the squares of their bytes */
};

/* Returns the probability that a block of this size is recorded. */
static double recording_probability(const struct memphis_small_block *block)
{
	return -expm1(-(double)(block->end - block->start) / (double)block->mean_bytes);
}

static int compare_changes(const void *a, const void *b)
{
	const struct change *x = a, *y = b;

	return memphis_order(x->extent, y->extent) ?:
	       memphis_order(x->time_ns, y->time_ns) ?:
	       memphis_order(x->site, y->site) ?:
	       x->sign - y->sign;
}

static int compare_shares(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	return memphis_order(y->bytes, x->bytes) ?: memphis_order(x->site, y->site);
}

static int compare_parts(const void *a, const void *b)
{
	const struct memphis_mix_part *x = a, *y = b;

	return memphis_order(x->site, y->site);
}

static int apply_change(struct state *state, const struct change *change)
{
	struct part *part;
	size_t i;

	for (i = 0; i < state->count && state->parts[i].site != change->site; i++)
		;
	if (i == state->count) {
		if (!memphis_append(state->parts, state->count, state->room))
			return -ENOMEM;
		state->parts[i].site = change->site;
	}
	part = &state->parts[i];
	part->blocks += change->sign;
	part->bytes += change->sign * change->bytes;
	state->bytes += change->sign * change->bytes;
	state->squares += change->sign * change->bytes * change->bytes;
	if (part->blocks)
		return 0;
	state->bytes -= part->bytes; /* remove the remaining rounding error */
	*part = state->parts[--state->count];
	if (!state->count)
		state->bytes = state->squares = 0;
	return 0;
}

/* Sets *number to the number of the mix for this state, which is added if it is new. Returns 0 or -ENOMEM. */
static int find_mix(struct memphis_small_blocks *small, struct state *state, uint32_t *number)
{
	struct memphis_mix mix, *added;
	double blocks;
	uint32_t share;
	size_t i;

	*number = MEMPHIS_NO_MIX;
	if (!state->count)
		return 0;
	memset(&mix, 0, sizeof(mix));
	/*
	 * The effective number of blocks: blocks that represent different numbers of bytes count as a smaller
	 * number of equal blocks.
	 */
	blocks = state->squares > 0 ? state->bytes * state->bytes / state->squares : 1;
	mix.blocks = blocks < 1.5                  ? 1
		     : blocks > MEMPHIS_MIX_BLOCKS ? MEMPHIS_MIX_BLOCKS
						   : (uint32_t)lround(blocks);
	qsort(state->parts, state->count, sizeof(*state->parts), compare_shares);
	for (i = 0; i < state->count && mix.count < MEMPHIS_MIX_PARTS; i++) {
		share = (uint32_t)lround(state->parts[i].bytes / state->bytes * MEMPHIS_MIX_WHOLE);
		if (share)
			mix.parts[mix.count++] = (struct memphis_mix_part){state->parts[i].site, share};
	}
	qsort(mix.parts, mix.count, sizeof(*mix.parts), compare_parts);
	*number = memphis_strings_add(&small->mix_numbers, &mix, sizeof(mix));
	if (*number == MEMPHIS_NO_STRING)
		return -ENOMEM;
	if (--*number < small->mix_count)
		return 0;
	added = memphis_append(small->mixes, small->mix_count, small->mix_room);
	if (!added)
		return -ENOMEM;
	*added = mix;
	return 0;
}

static int add_step(struct memphis_small_blocks *small, const struct change *change, uint32_t mix)
{
	struct memphis_small_extent *extent =
		small->extent_count ? &small->extents[small->extent_count - 1] : NULL;
	struct memphis_small_step *step;

	if (!extent || extent->number != change->extent) {
		extent = memphis_append(small->extents, small->extent_count, small->extent_room);
		if (!extent)
			return -ENOMEM;
		extent->number = change->extent;
		extent->step = small->step_count;
	} else if (small->steps[small->step_count - 1].mix == mix) {
		return 0;
	}
	step = memphis_append(small->steps, small->step_count, small->step_room);
	if (!step)
		return -ENOMEM;
	step->time_ns = change->time_ns;
	step->mix = mix;
	extent->count++;
	return 0;
}

static int add_changes(struct memphis_small_blocks *small, const struct change *changes, size_t count)
{
	struct state state = {0};
	uint32_t mix;
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < count; i++) {
		rc = apply_change(&state, &changes[i]);
		if (rc || (i + 1 < count && changes[i + 1].extent == changes[i].extent &&
			   changes[i + 1].time_ns == changes[i].time_ns))
			continue;
		rc = find_mix(small, &state, &mix);
		if (!rc)
			rc = add_step(small, &changes[i], mix);
		if (i + 1 < count && changes[i + 1].extent != changes[i].extent)
			state.count = 0, state.bytes = state.squares = 0;
	}
	free(state.parts);
	return rc;
}

/* Numbers the groups of small blocks as sites, and computes their shares of the bytes. */
static int add_sites(struct memphis_small_blocks *small, const struct memphis_blocks *blocks)
{
	const struct memphis_small_block *block;
	uint32_t count = 0, site;
	double probability, all = 0;
	size_t i;
	int rc;

	small->site_of_group = malloc((blocks->group_count + 1) * sizeof(*small->site_of_group));
	small->group_of_site = malloc((blocks->group_count + 1) * sizeof(*small->group_of_site));
	if (!small->site_of_group || !small->group_of_site)
		return -ENOMEM;
	for (i = 0; i < blocks->group_count; i++) {
		if (blocks->groups[i].small)
			small->group_of_site[count] = (uint32_t)i;
		small->site_of_group[i] = blocks->groups[i].small ? count++ : UINT32_MAX;
	}
	rc = open_sites(&small->sites, count);
	if (rc)
		return rc;
	for (i = 0; i < blocks->small_count; i++) {
		block = &blocks->small[i];
		site = small->site_of_group[block->group];
		probability = recording_probability(block);
		small->sites.taken[site] += (double)(block->end - block->start);
		small->sites.bytes[site] += (double)(block->end - block->start) / probability;
	}
	for (i = 0; i < count; i++) {
		small->sites.taken[i] /= small->sites.bytes[i];
		all += small->sites.bytes[i];
	}
	for (i = 0; i < count; i++)
		small->sites.bytes[i] /= all;
	small->sites.blocks = blocks->small_count;
	return 0;
}

int memphis_small_blocks_open(struct memphis_small_blocks *small, struct memphis_blocks *blocks,
			      uint64_t until_ns)
{
	const struct memphis_small_block *block;
	struct change *changes, *change;
	size_t i, count = 0;
	int rc;

	memset(small, 0, sizeof(*small));
	small->until_ns = until_ns;
	rc = add_sites(small, blocks);
	changes = rc ? NULL : malloc((2 * blocks->small_count + 1) * sizeof(*changes));
	if (!changes)
		return -ENOMEM;
	for (i = 0; i < blocks->small_count; i++) {
		block = &blocks->small[i];
		change = &changes[count++];
		*change = (struct change){.extent = block->start / MEMPHIS_SMALL_EXTENT_BYTES,
					  .time_ns = block->from_ns,
					  .bytes = (double)(block->end - block->start) /
						   recording_probability(block),
					  .site = small->site_of_group[block->group],
					  .sign = 1};
		changes[count] = *change;
		changes[count].time_ns = block->to_ns;
		changes[count++].sign = -1;
	}
	qsort(changes, count, sizeof(*changes), compare_changes);
	rc = add_changes(small, changes, count);
	free(changes);
	free(blocks->small);
	blocks->small = NULL;
	blocks->small_count = blocks->small_room = 0;
	small->sites.mixes = small->mixes;
	return rc;
}

void memphis_small_blocks_close(struct memphis_small_blocks *small)
{
	memphis_strings_close(&small->mix_numbers);
	close_sites(&small->sites);
	free(small->extents);
	free(small->steps);
	free(small->mixes);
	free(small->site_of_group);
	free(small->group_of_site);
	memset(small, 0, sizeof(*small));
}

uint32_t memphis_small_blocks_mix(const struct memphis_small_blocks *small, uint64_t address,
				  uint64_t time_ns)
{
	const uint64_t number = address / MEMPHIS_SMALL_EXTENT_BYTES;
	const size_t at = memphis_bisect(i, small->extent_count, small->extents[i].number < number);
	const struct memphis_small_step *steps;
	size_t before;

	if (at == small->extent_count || small->extents[at].number != number || time_ns >= small->until_ns)
		return MEMPHIS_NO_MIX;
	steps = small->steps + small->extents[at].step;
	before = memphis_bisect(i, small->extents[at].count, steps[i].time_ns <= time_ns);
	return before ? steps[before - 1].mix : MEMPHIS_NO_MIX;
}
