/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Estimates to which allocation site the samples in small blocks belong that were not recorded. Runs after
 * all samples have been counted.
 */
#ifndef MEMPHIS_ESTIMATE_H
#define MEMPHIS_ESTIMATE_H

#include "attribute/join.h"

/* Smallest certainty with which an estimate is reported. With less certainty, the samples have no variable. */
#define MEMPHIS_CERTAIN_ENOUGH 0.75

/* Returns true if reports show the blocks of both groups of the process as one variable. */
typedef bool memphis_is_same_variable(void *context, size_t process, uint32_t group, uint32_t other);

/*
 * Replaces the owners of kind MEMPHIS_OWNER_NEAR in `counts`. If the estimate is certain enough, the new
 * owner has the kind MEMPHIS_OWNER_ESTIMATE and the group of the most likely site, and the measure gets the
 * expected number of wrong samples. Otherwise, the new owner has the kind MEMPHIS_OWNER_MAP and the reason
 * why there is no variable. The indices of the counts do not change. Returns 0 or -ENOMEM.
 */
int memphis_estimate(struct memphis_join *join, struct memphis_counts *counts,
		     memphis_is_same_variable *is_same, void *context);

#endif
