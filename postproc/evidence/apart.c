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

/* steps of integrals over the share of accesses that the main user of a part makes */
#define STEPS    32
#define MIXTURES 16 /* steps of integrals over the share of parts that have a single user */
/* probability of a wrong judgement about a part with MEMPHIS_PART_SAMPLES samples */
#define SURE       1e-3
#define DEVIATIONS 2.5 /* an excess of this many standard deviations is not due to chance */
#define PREVAILS \
	0.6 /* if a node makes this share of all accesses, all samples of a part may be from it by chance */
/* larger counts of a part, or of the variable, are scaled down to this number of samples */
#define MOST       64.0
#define LEAST      1e-9
#define CERTAIN    1e3 /* limit of the log-odds, from which more samples change nothing */
#define THOUSANDTH 1000

/* The number of samples from each node, in a part or in the whole variable. */
struct use {
	const uint64_t *by_node;
	/* number of samples after scaling, at most MOST; factor that scales the counts */
	double sum, scale;
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

/*
 * The samples of a variable. own[i] and others[i] are the logarithms of the user's share, and of the share of all
 * other nodes, in step i of an integral.
 */
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
 * Returns the probability of the part's samples if node `user` makes at least the share MEMPHIS_PART_AGREE of its
 * accesses. The other nodes share the remaining accesses in the same proportions as in the whole variable.
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

/*
 * Returns the probability of the part's samples if one node uses the part. The prior probability that it is a certain
 * node is this node's share of the whole variable.
 */
static double one_user_probability(const struct variable *variable, const struct use *part)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < variable->nodes; i++)
		if (variable->whole.by_node[i])
			sum += node_share(&variable->whole, i) * user_probability(variable, part, i);
	return sum;
}

/*
 * Returns the probability of the part's samples if several nodes use the part. Takes the mean of two hypotheses: the
 * nodes have the same shares as in the whole variable, or any other shares (Dirichlet distribution with all parameters
 * 2).
 */
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
 * Returns the likelihood ratio of two hypotheses about a part: one node uses it, or several nodes do. If the part has
 * many samples, its main user is known and decides. This does not hold if the same node also makes most accesses to
 * the whole variable.
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

/*
 * One hypothesis about the share of parts that have a single user. It has a likelihood, and predicts how many remote
 * loads go to parts with several users, as mean and variance.
 */
struct guess {
	double likelihood, mean, variance;
};

static void add_part_to_guess(struct guess *guess, double share, double ratio, double remote)
{
	const double one = share * ratio / (share * ratio + 1 - share);

	/* The likelihood is divided by that of the share one half. Otherwise the product over many parts would become 0. */
	guess->likelihood += log((share * ratio + 1 - share) / (ratio / 2 + 0.5));
	guess->mean += remote * (1 - one);
	guess->variance += remote * remote * one * (1 - one);
}

/* Returns the probability that at most half of the remote loads go to parts with several users. */
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

/* Returns whether nodes use pieces of memory that are smaller than the parts, for example single bins or pieces of bins. */
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
			counts[spot->bin * nodes + (size_t)node] += spot->loads;
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
