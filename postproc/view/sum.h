/* SPDX-License-Identifier: BSD-3-Clause */
/* What is summed over the samples of a row. */
#ifndef MEMPHIS_SUM_H
#define MEMPHIS_SUM_H

#include "view/waiting.h"

/* The sums of the samples of a row. */
struct memphis_sum {
	struct memphis_measure measure;
	uint64_t lines;        /* estimated: cache lines that the accesses moved from outside the own L3 */
	uint64_t stores, hitm; /* stores among the samples; hits of modified lines */
	struct memphis_waits waits;
};

/* Returns the sums of one cell, which the selection must include. */
struct memphis_sum memphis_sum_of(const struct memphis_waiting *waiting, const struct memphis_cell *cell);
void memphis_sum_add(struct memphis_sum *sum, const struct memphis_sum *more);

/* Returns the probability that a sample of the row has the right variable; 1 if the variable is not estimated. */
static inline double memphis_certainty(const struct memphis_sum *sum)
{
	return sum->measure.count ? 1 - (double)sum->measure.doubt_ppm / 1e6 / (double)sum->measure.count : 1;
}

#endif
