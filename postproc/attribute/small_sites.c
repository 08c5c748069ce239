// SPDX-License-Identifier: BSD-3-Clause
/* Combines the shares of an extent with those of an instruction, and states how certain the result is. */
#include "attribute/small_sites.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * Weights of what is known in general, in blocks and in samples: an extent is expected to be like all extents until more than one block
 * is known, and an instruction to be like all instructions until more than one sample is known. Small weights, as most extents and
 * instructions have blocks of few sites.
 */
#define EXTENT_WEIGHT      1.0
#define INSTRUCTION_WEIGHT 2.0

#define ROUNDS    200
#define PRECISION 1e-4

int memphis_sites_open(struct memphis_sites *sites, size_t count)
{
	memset(sites, 0, sizeof(*sites));
	sites->count = count;
	sites->bytes = calloc(count + 1, sizeof(double));
	sites->taken = calloc(count + 1, sizeof(double));
	sites->pull = calloc(count + 1, sizeof(double));
	sites->work = calloc(4 * count + 1, sizeof(double));
	return sites->bytes && sites->taken && sites->pull && sites->work ? 0 : -ENOMEM;
}

void memphis_sites_close(struct memphis_sites *sites)
{
	free(sites->bytes);
	free(sites->taken);
	free(sites->pull);
	free(sites->work);
	memset(sites, 0, sizeof(*sites));
}

/* Weight of a part of a mix beside EXTENT_WEIGHT. */
static double weight_of(const struct memphis_mix *mix, unsigned int part)
{
	return mix->blocks * (double)mix->parts[part].share / MEMPHIS_MIX_WHOLE;
}

/* Returns the sum over all sites of factor * share in an extent with this mix. `general`: that sum for the share of all bytes. */
static double sum_of(const struct memphis_mix *mix, const double *factors, double general)
{
	double sum = EXTENT_WEIGHT * general;
	unsigned int i;

	for (i = 0; i < mix->count; i++)
		sum += weight_of(mix, i) * factors[mix->parts[i].site];
	return sum;
}

static double general_of(const struct memphis_sites *sites, const double *factors)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < sites->count; i++)
		sum += sites->bytes[i] * factors[i];
	return sum;
}

/* Sums up the estimates of all samples by site. */
static void add_up(const struct memphis_sites *sites, const struct memphis_site_evidence *evidence,
		   const double *factors, double *sums)
{
	double general = general_of(sites, factors), share, everywhere = 0;
	const struct memphis_mix *mix;
	unsigned int part;
	size_t i;

	memset(sums, 0, sites->count * sizeof(*sums));
	for (i = 0; i < evidence->outside_count; i++) {
		mix = &sites->mixes[evidence->outside[i].number];
		share = (double)evidence->outside[i].count / sum_of(mix, factors, general);
		everywhere += share;
		for (part = 0; part < mix->count; part++)
			sums[mix->parts[part].site] += share * weight_of(mix, part);
	}
	for (i = 0; i < sites->count; i++)
		sums[i] = factors[i] * (sums[i] + everywhere * EXTENT_WEIGHT * sites->bytes[i]);
}

/*
 * Changes the factors until the estimates add up to the shares that the samples inside recorded blocks suggest. With few of these samples,
 * the shares stay close to the estimates by the present factors.
 */
static void fit(const struct memphis_sites *sites, const struct memphis_site_evidence *evidence,
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
		/* A sample inside stands for the accesses to all blocks of its site, of which a part is recorded. */
		ratio = (double)evidence->inside[i].count / sites->taken[evidence->inside[i].number];
		wanted[evidence->inside[i].number] += ratio;
		weighted += ratio;
		inside += (double)evidence->inside[i].count;
	}
	if (!total || !weighted)
		return;
	add_up(sites, evidence, factors, sums);
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
		add_up(sites, evidence, factors, sums);
	}
}

void memphis_sites_learn(struct memphis_sites *sites, const struct memphis_site_evidence *all)
{
	size_t i;

	for (i = 0; i < sites->count; i++)
		sites->pull[i] = 1;
	fit(sites, all, sites->pull);
}

static struct memphis_site_guess guess(const struct memphis_sites *sites, const struct memphis_mix *mix,
				       const double *factors, double *chances)
{
	struct memphis_site_guess best = {0, 0};
	double sum = 0;
	size_t i;

	for (i = 0; i < sites->count; i++)
		chances[i] = EXTENT_WEIGHT * sites->bytes[i] * factors[i];
	for (i = 0; i < mix->count; i++)
		chances[mix->parts[i].site] += weight_of(mix, (unsigned int)i) * factors[mix->parts[i].site];
	for (i = 0; i < sites->count; i++) {
		sum += chances[i];
		if (chances[i] > best.certainty)
			best = (struct memphis_site_guess){(uint32_t)i, chances[i]};
	}
	/* Sites without any recorded block have about the share of half a block. */
	best.certainty *= ((double)sites->blocks + 0.5) / ((double)sites->blocks + 1) / sum;
	return best;
}

void memphis_sites_guess(struct memphis_sites *sites, const struct memphis_site_evidence *evidence,
			 struct memphis_site_guess *guesses)
{
	double *factors = sites->work + 2 * sites->count, *chances = sites->work + 3 * sites->count;
	size_t i;

	memcpy(factors, sites->pull, sites->count * sizeof(*factors));
	fit(sites, evidence, factors);
	for (i = 0; i < evidence->outside_count; i++)
		guesses[i] = guess(sites, &sites->mixes[evidence->outside[i].number], factors, chances);
}
