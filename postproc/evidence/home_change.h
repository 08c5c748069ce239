/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The time at which the pages of a part moved: samples before it have one home node, later samples have others. The new homes may be several nodes, because
 * a part may overlap the memory of several users, to whose nodes the pages move. The best time is the one that most samples fit.
 */
#ifndef MEMPHIS_HOME_CHANGE_H
#define MEMPHIS_HOME_CHANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct memphis_home_change {
	uint64_t before, stay,
		follow; /* samples before; those among them on the first node; later samples on the second node */
	size_t from, to; /* indexes of these nodes */
};

/* Keeps this time if more samples fit it. `early`: samples before it by home node; `all`: all samples by home node. */
void memphis_home_change_try(struct memphis_home_change *change, const uint64_t *early, const uint64_t *all,
			     size_t nodes);

/* Returns whether the pages moved: nine in ten samples fit, and the probability of such an order by chance is at most 5 %. */
bool memphis_home_change_is_certain(const struct memphis_home_change *change, const uint64_t *all,
				    size_t nodes);

#endif
