/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The time at which the pages of a part moved: the samples before it have one home node, those since then other ones. A part may overlap those of several users,
 * to whose nodes its pages move. The best time is that at which most samples fit.
 */
#ifndef MEMPHIS_HOME_CHANGE_H
#define MEMPHIS_HOME_CHANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct memphis_home_change {
	uint64_t before, stay,
		follow; /* samples before; those of them on the first node, and those since then on the second one */
	size_t from, to; /* indexes of these nodes */
};

/* Keeps this time if it fits better: `early` and `all` are samples by home node, before and in all. */
void memphis_home_change_try(struct memphis_home_change *change, const uint64_t *early, const uint64_t *all,
			     size_t nodes);

/* Returns whether the pages moved: nine in ten samples fit, which are in such an order by chance with a probability of 5 % at most. */
bool memphis_home_change_is_certain(const struct memphis_home_change *change, const uint64_t *all,
				    size_t nodes);

#endif
