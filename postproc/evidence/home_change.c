// SPDX-License-Identifier: BSD-3-Clause
#include "evidence/home_change.h"

#include <math.h>

#define FITS   0.9  /* minimum share of samples that fit the change */
#define CHANCE 0.05 /* maximum probability that the order of the samples is due to chance */
#define EDGE \
	0.125 /* minimum share of samples before and after the change: a move at the very end has no effect */

void memphis_home_change_try(struct memphis_home_change *change, const uint64_t *early, const uint64_t *all,
			     size_t nodes)
{
	struct memphis_home_change at = {0};
	uint64_t most = 0;
	size_t i;

	for (i = 0; i < nodes; i++) {
		at.before += early[i];
		if (early[i] > at.stay) {
			at.stay = early[i];
			at.from = i;
		}
	}
	for (i = 0; i < nodes; i++) {
		if (i == at.from)
			continue;
		at.follow += all[i] - early[i];
		if (all[i] - early[i] > most) {
			most = all[i] - early[i];
			at.to = i;
		}
	}
	if (at.stay && at.follow && at.stay + at.follow > change->stay + change->follow)
		*change = at;
}

/* Returns the logarithm of the binomial coefficient, the number of ways to choose `part` elements from `whole`. */
static double log_choices(uint64_t whole, uint64_t part)
{
	return lgamma((double)whole + 1) - lgamma((double)part + 1) - lgamma((double)(whole - part) + 1);
}

bool memphis_home_change_is_certain(const struct memphis_home_change *change, const uint64_t *all,
				    size_t nodes)
{
	uint64_t sum = 0, since;
	double chance;
	size_t i;

	for (i = 0; i < nodes; i++)
		sum += all[i];
	since = sum - change->before;
	if (!change->stay || (double)(change->stay + change->follow) < FITS * (double)sum ||
	    (double)change->before < EDGE * (double)sum || (double)since < EDGE * (double)sum)
		return false;
	/*
	 * The probability is the number of orders with as many samples that do not fit, for all possible times of a
	 * change, divided by the number of all orders.
	 */
	chance = log((double)sum + 1) + log_choices(change->before, change->stay) +
		 log_choices(since, change->follow) - log_choices(sum, all[change->from]);
	return chance <= log(CHANCE);
}
