// SPDX-License-Identifier: BSD-3-Clause
#include "evidence/apart.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include "evidence/neighbours.h"

#define READ_ONLY \
	0.02 /* share of stores in a variable that is only read: rare ones, or a last one that initialises it */
#define WRITTEN 0.1 /* share of stores in one that is written, too */

#define STEPS    32 /* of integrals over the share of a part's main user */
#define MIXTURES 16 /* of those over the share of the parts that have one user */
#define SURE \
	1e-3 /* the probability that a part with MEMPHIS_PART_SAMPLES samples is not what it seems to be */
#define DEVIATIONS 2.5 /* from which an excess is not one by chance */
#define PREVAILS \
	0.6 /* share of a node in all accesses with which MEMPHIS_PART_SAMPLES ones in one part may be from it by chance */
#define MOST       64.0 /* samples of a part, or of the variable, that are taken into account */
#define LEAST      1e-9
#define CERTAIN    1e3 /* log-odds that no further samples change */
#define THOUSANDTH 1000

/* The use of a part, or of the whole variable, by node. */
struct use {
	const uint64_t *by_node;
	double sum, scale; /* the scale reduces the counts to at most MOST */
};

static struct use use_of(const uint64_t *by_node, size_t nodes)
{
	struct use use = {by_node, 0, 1};
	size_t i;

	for (i = 0; i < nodes; i++)
		use.sum += (double)by_node[i];
	if (use.sum > MOST) {
		use.scale = MOST / use.sum;
		use.sum = MOST;
	}
	return use;
}

static double count_of(const struct use *use, size_t node)
{
	return use->scale * (double)use->by_node[node];
}

static double share_of(const struct use *use, size_t node)
{
	return count_of(use, node) / use->sum;
}

/* The samples of a variable, and the logarithms of the shares over which integrals run. */
struct variable {
	const struct memphis_placement *placement;
	size_t nodes;
	struct use whole;
	double own[STEPS], others[STEPS];
};

static void begin(struct variable *variable, const struct memphis_placement *placement)
{
	double share;
	size_t i;

	variable->placement = placement;
	variable->nodes = placement->node_count;
	variable->whole = use_of(placement->users, placement->node_count);
	for (i = 0; i < STEPS; i++) {
		share = MEMPHIS_PART_AGREE + (1 - MEMPHIS_PART_AGREE) * ((double)i + 0.5) / STEPS;
		variable->own[i] = log(share);
		variable->others[i] = log(1 - share);
	}
}

/* Returns the probability of the samples if this node makes MEMPHIS_PART_AGREE of the accesses or more, and the others the rest, as in the whole variable. */
static double probability_of_user(const struct variable *variable, const struct use *part, size_t user)
{
	const double rest = 1 - share_of(&variable->whole, user), own = count_of(part, user),
		     others = part->sum - own;
	double sum = 0, split = 0;
	size_t i;

	for (i = 0; i < variable->nodes; i++)
		if (i != user && part->by_node[i])
			split += count_of(part, i) * log(share_of(&variable->whole, i) / rest);
	for (i = 0; i < STEPS; i++)
		sum += exp(own * variable->own[i] + others * variable->others[i]);
	return exp(split) * sum / STEPS;
}

/* Returns the probability of the samples if one node uses the part. Each may, the more likely the more it uses of the variable. */
static double probability_of_one(const struct variable *variable, const struct use *part)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < variable->nodes; i++)
		if (variable->whole.by_node[i])
			sum += share_of(&variable->whole, i) * probability_of_user(variable, part, i);
	return sum;
}

/* Returns the probability of the samples if several nodes use the part: as they use the variable, or in any other mixture (Dirichlet, each parameter 2). */
static double probability_of_several(const struct variable *variable, const struct use *part)
{
	const double nodes = (double)variable->nodes;
	double same = 0, other = lgamma(2 * nodes) - lgamma(2 * nodes + part->sum);
	size_t i;

	for (i = 0; i < variable->nodes; i++) {
		if (!part->by_node[i])
			continue; /* the logarithm of gamma(2) is 0 */
		same += count_of(part, i) * log(share_of(&variable->whole, i));
		other += lgamma(2 + count_of(part, i));
	}
	return (exp(same) + exp(other)) / 2;
}

/*
 * Returns how much more likely the samples are if one node uses the part. With many samples, the prevailing user is known, and tells, unless it prevails
 * in the whole variable.
 */
static double likelihood_ratio(const struct variable *variable, size_t number)
{
	const struct use part =
		use_of(variable->placement->users_of_parts + number * variable->nodes, variable->nodes);
	const int user = variable->placement->parts[number].user;

	if (part.sum >= MEMPHIS_PART_SAMPLES && user == MEMPHIS_SEVERAL)
		return SURE;
	if (part.sum >= MEMPHIS_PART_SAMPLES && share_of(&variable->whole, (size_t)user) < PREVAILS)
		return 1 / SURE;
	return part.sum > 0 ? probability_of_one(variable, &part) / probability_of_several(variable, &part)
			    : 1;
}

/* One value that the share of the parts with a single user may have: how likely it is, and how many remote loads then go to parts with several users. */
struct guess {
	double likelihood, mean, variance;
};

static void add_part(struct guess *guess, double share, double ratio, double remote)
{
	const double one = share * ratio / (share * ratio + 1 - share);

	/* Relative to parts of which half have one user, so that the product of many parts is not 0. */
	guess->likelihood += log((share * ratio + 1 - share) / (ratio / 2 + 0.5));
	guess->mean += remote * (1 - one);
	guess->variance += remote * remote * one * (1 - one);
}

/* Returns the probability that at most half of the remote loads are to parts with several users. */
static double probability_of_apart(const struct memphis_placement *placement, struct guess *guesses)
{
	const double half = (double)placement->remote / 2;
	double sum = 0, apart = 0, most = -INFINITY, weight;
	size_t i;

	for (i = 0; i < MIXTURES; i++)
		most = fmax(most, guesses[i].likelihood);
	for (i = 0; i < MIXTURES; i++) {
		weight = exp(guesses[i].likelihood - most);
		sum += weight;
		apart += weight * erfc((guesses[i].mean - half) / sqrt(2 * guesses[i].variance + LEAST)) / 2;
	}
	return fmin(fmax(apart / sum, LEAST), 1 - LEAST);
}

/* Returns whether each node uses pieces of the memory that are smaller than the parts here: single bins, or pieces of bins. */
static bool has_smaller_parts(const struct memphis_placement *placement)
{
	const struct memphis_heatmap *heatmap = placement->heatmap;
	const size_t nodes = placement->node_count, bins = (size_t)1 << placement->part_shift;
	const struct memphis_heatmap_spot *spot;
	uint32_t *counts;
	bool smaller;
	int node;

	if (!placement->part_shift)
		return heatmap->parts_of_bins;
	counts = calloc(placement->part_count * bins * nodes + 1, sizeof(*counts));
	if (!counts)
		return true;
	for (spot = heatmap->spots; spot < heatmap->spots + heatmap->spot_count; spot++) {
		node = memphis_placement_node(placement, spot->node);
		if (node != MEMPHIS_SEVERAL)
			counts[spot->bin * nodes + (size_t)node] += spot->count;
	}
	smaller = memphis_has_smaller_parts(counts, placement->part_count, bins, nodes);
	free(counts);
	return smaller;
}

int64_t memphis_apart_odds(const struct memphis_placement *placement)
{
	struct guess guesses[MIXTURES] = {{0}};
	struct variable variable;
	double ratio, apart;
	size_t i, j;

	begin(&variable, placement);
	for (i = 0; i < placement->part_count; i++) {
		ratio = likelihood_ratio(&variable, i);
		for (j = 0; j < MIXTURES; j++)
			add_part(&guesses[j], ((double)j + 0.5) / MIXTURES, ratio,
				 (double)placement->parts[i].remote);
	}
	apart = probability_of_apart(placement, guesses);
	if (apart < 0.5 && has_smaller_parts(placement))
		return 0;
	return llround(THOUSANDTH * log(apart / (1 - apart)));
}

int64_t memphis_read_odds(const struct memphis_placement *placement)
{
	const double stores = (double)placement->shared_stores,
		     others = (double)(placement->shared - placement->shared_stores);

	const double odds = others * log((1 - READ_ONLY) / (1 - WRITTEN)) - stores * log(WRITTEN / READ_ONLY);

	return llround(THOUSANDTH * fmin(fmax(odds, -CERTAIN), CERTAIN));
}
