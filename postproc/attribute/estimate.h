/* SPDX-License-Identifier: BSD-3-Clause */
/* Estimates the sites of samples in small blocks that are not recorded, after all samples were counted. */
#ifndef MEMPHIS_ESTIMATE_H
#define MEMPHIS_ESTIMATE_H

#include "attribute/join.h"

/*
 * An estimate is reported from this certainty on. Below it, the samples have no variable.
 */
#define MEMPHIS_CERTAIN_ENOUGH 0.75

/* Returns true if reports show the blocks of both groups of a process as one variable. */
typedef bool memphis_is_same_variable(void *context, size_t process, uint32_t group, uint32_t other);

/*
 * Replaces the owners of kind MEMPHIS_OWNER_NEAR in the counts, those of the join or others: by MEMPHIS_OWNER_ESTIMATE, the group of the site that is
 * most likely, and the expected number of wrong samples; or by MEMPHIS_OWNER_MAP, with the reason why there is no variable. The counts keep their
 * indices. Returns 0 or -ENOMEM.
 */
int memphis_estimate(struct memphis_join *join, struct memphis_counts *counts,
		     memphis_is_same_variable *is_same, void *context);

#endif
