// SPDX-License-Identifier: BSD-3-Clause
#include "evidence/apart.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include "evidence/neighbours.h"

#define READ_ONLY \
	0.02 /* share of stores in a variable that is only read: rare stores, or the end of its initialisation */
#define WRITTEN 0.1 /* share of stores in a variable that is also written */

#define STEPS      32   /* steps of integrals over the share of a part's main user */
#define MIXTURES   16   /* steps of integrals over the share of parts with a single user */
#define SURE       1e-3 /* probability that a part with MEMPHIS_PART_SAMPLES samples is misjudged */
#define DEVIATIONS 2.5  /* standard deviations from which an excess is not by chance */
#define PREVAILS \
	0.6 /* if a node has this share of all accesses, MEMPHIS_PART_SAMPLES samples of a part may be from it by chance */
#define MOST       64.0 /* maximum number of samples of a part, or of the variable, that are taken into account */
#define LEAST      1e-9
#define CERTAIN    1e3 /* log-odds that no further samples change */
#define THOUSANDTH 1000

/* Samples of a part, or of the whole variable, by accessing node. */
struct use {
	const uint64_t *by_node;
	double sum, scale; /* the scale reduces the counts to at most MOST */
};

static struct use make_use(const uint64_t *by_node, size_t nodes)
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

static double node_count(const struct use *use, size_t node)
{
	return use->scale * (double)use->by_node[node];
}

static double node_share(const struct use *use, size_t node)
{
	return node_count(use, node) / use->sum;
}

/* The samples of a variable, and the logarithms of the shares at the steps of integrals. */
struct variable {
	const struct memphis_placement *placement;
	size_t nodes;
	struct use whole;
	double own[STEPS], others[STEPS];
};

static void init_variable(struct variable *variable, const struct memphis_placement *placement)
{
	double share;
	size_t i;

	variable->placement = placement;
	variable->nodes = placement->node_count;
	variable->whole = make_use(placement->users, placement->node_count);
	for (i = 0; i < STEPS; i++) {
		share = MEMPHIS_PART_AGREE + (1 - MEMPHIS_PART_AGREE) * ((double)i + 0.5) / STEPS;
		variable->own[i] = log(share);
		variable->others[i] = log(1 - share);
	}
}

/*
 * Returns the probability of the samples if this node makes at least the share MEMPHIS_PART_AGREE of the accesses. The others share the rest as in the
 * whole variable.
 */
static double user_probability(const struct variable *variable, const struct use *part, size_t user)
{
	const double rest = 1 - node_share(&variable->whole, user), own = node_count(part, user),
		     others = part->sum - own;
	double sum = 0, split = 0;
	size_t i;

	for (i = 0; i < variable->nodes; i++)
		if (i != user && part->by_node[i])
			split += node_count(part, i) * log(node_share(&variable->whole, i) / rest);
	for (i = 0; i < STEPS; i++)
		sum += exp(own * variable->own[i] + others * variable->others[i]);
	return exp(split) * sum / STEPS;
}

/* Returns the probability of the samples if one node uses the part. The prior probability of each node is its share in the whole variable. */
static double one_user_probability(const struct variable *variable, const struct use *part)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < variable->nodes; i++)
		if (variable->whole.by_node[i])
			sum += node_share(&variable->whole, i) * user_probability(variable, part, i);
	return sum;
}

/* Returns the probability of the samples if several nodes use the part: like the whole variable, or in any other mixture (Dirichlet, each parameter 2). */
static double several_users_probability(const struct variable *variable, const struct use *part)
{
	const double nodes = (double)variable->nodes;
	double same = 0, other = lgamma(2 * nodes) - lgamma(2 * nodes + part->sum);
	size_t i;

	for (i = 0; i < variable->nodes; i++) {
		if (!part->by_node[i])
			continue; /* the logarithm of gamma(2) is 0 */
		same += node_count(part, i) * log(node_share(&variable->whole, i));
		other += lgamma(2 + node_count(part, i));
	}
	return (exp(same) + exp(other)) / 2;
}

/*
 * Returns the likelihood ratio of the samples: one node uses the part, or several do. With many samples the main user of the part is known, and decides,
 * unless it is also the main user of the whole variable.
 */
static double likelihood_ratio(const struct variable *variable, size_t number)
{
	const struct use part =
		make_use(variable->placement->users_of_parts + number * variable->nodes, variable->nodes);
	const int user = variable->placement->parts[number].user;

	if (part.sum >= MEMPHIS_PART_SAMPLES && user == MEMPHIS_SEVERAL)
		return SURE;
	if (part.sum >= MEMPHIS_PART_SAMPLES && node_share(&variable->whole, (size_t)user) < PREVAILS)
		return 1 / SURE;
	return part.sum > 0
		       ? one_user_probability(variable, &part) / several_users_probability(variable, &part)
		       : 1;
}

/* A hypothesis about the share of parts with a single user: its likelihood, and the number of remote loads that then go to parts with several users. */
struct guess {
	double likelihood, mean, variance;
};

static void add_part_to_guess(struct guess *guess, double share, double ratio, double remote)
{
	const double one = share * ratio / (share * ratio + 1 - share);

	/* The likelihood is relative to the share one half, so that the product of many parts is not 0. */
	guess->likelihood += log((share * ratio + 1 - share) / (ratio / 2 + 0.5));
	guess->mean += remote * (1 - one);
	guess->variance += remote * remote * one * (1 - one);
}

/* Returns the probability that at most half of the remote loads are to parts with several users. */
static double apart_probability(const struct memphis_placement *placement, struct guess *guesses)
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

	init_variable(&variable, placement);
	for (i = 0; i < placement->part_count; i++) {
		ratio = likelihood_ratio(&variable, i);
		for (j = 0; j < MIXTURES; j++)
			add_part_to_guess(&guesses[j], ((double)j + 0.5) / MIXTURES, ratio,
					  (double)placement->parts[i].remote);
	}
	apart = apart_probability(placement, guesses);
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
