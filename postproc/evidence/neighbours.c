// SPDX-License-Identifier: BSD-3-Clause
#include "evidence/neighbours.h"

#include <math.h>

#define DEVIATIONS 2.5 /* an excess of this many standard deviations is not due to chance */
/* minimum ratio of the excess to the excess that there would be if each bin had only one user */
#define PART 0.25

/*
 * Counts pairs of samples that are in the same bin: all pairs, pairs from the same node, and the expected number of
 * pairs from the same node with its variance.
 */
struct pairs {
	double all, same, expected, variance;
};

static double count_pairs(double count)
{
	return count * (count - 1) / 2;
}

/*
 * Adds the pairs in the bins of one part. By chance, every pair of samples of the part is from the same node with the
 * same probability. `counts` has the number of samples by bin and node.
 */
static void add_pairs(struct pairs *pairs, const uint32_t *counts, size_t bins, size_t nodes)
{
	double all = 0, same = 0, triples = 0, sum, in_bins = 0, in_common = 0, by_node, chance;
	size_t bin, i;

	for (i = 0; i < nodes; i++) {
		for (by_node = 0, bin = 0; bin < bins; bin++) {
			by_node += counts[bin * nodes + i];
			pairs->same += count_pairs(counts[bin * nodes + i]);
		}
		all += by_node;
		same += count_pairs(by_node);
		triples += by_node * by_node * by_node;
	}
	for (bin = 0; bin < bins; bin++) {
		for (sum = 0, i = 0; i < nodes; i++)
			sum += counts[bin * nodes + i];
		in_bins += count_pairs(sum);
		in_common += sum * (sum - 1) * (sum - 2);
	}
	if (all < 2)
		return;
	chance = same / count_pairs(all);
	pairs->all += in_bins;
	pairs->expected += in_bins * chance;
	/* Two pairs that share a sample are not independent, unless all nodes use the part equally. */
	pairs->variance += in_bins * chance * (1 - chance) +
			   in_common * fmax(triples / (all * all * all) - chance * chance, 0);
}

bool memphis_has_smaller_parts(const uint32_t *counts, size_t parts, size_t bins, size_t nodes)
{
	struct pairs pairs = {0};
	size_t i;

	for (i = 0; i < parts; i++)
		add_pairs(&pairs, counts + i * bins * nodes, bins, nodes);
	return pairs.same - pairs.expected > DEVIATIONS * sqrt(pairs.variance) &&
	       pairs.same - pairs.expected > PART * (pairs.all - pairs.expected);
}
