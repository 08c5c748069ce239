/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds the time when the pages of a part moved. Samples before this time have one home node, and later samples have
 * other home nodes. There can be several new homes, because a part may overlap the memory of several users, and the
 * pages of each user move to its node. The best time is the one that most samples fit.
 */
#ifndef MEMPHIS_HOME_CHANGE_H
#define MEMPHIS_HOME_CHANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct memphis_home_change {
	/* Number of samples before the change; number of these on node `from`; number of later samples on other nodes. */
	uint64_t before, stay, follow;
	/* indices of the home node before the change, and of the most frequent one after it */
	size_t from, to;
};

/*
 * Keeps this time as the best one if more samples fit it. early[i] is the number of samples before this time with home
 * node i, and all[i] the number of all samples with this home node.
 */
void memphis_home_change_try(struct memphis_home_change *change, const uint64_t *early, const uint64_t *all,
			     size_t nodes);

/*
 * Returns whether the pages really moved. At least 90 % of the samples must fit, and the probability that their order
 * is due to chance must be at most 5 %.
 */
bool memphis_home_change_is_certain(const struct memphis_home_change *change, const uint64_t *all,
				    size_t nodes);

#endif
