/* SPDX-License-Identifier: BSD-3-Clause */
/* Shares of samples with confidence intervals. */
#ifndef MEMPHIS_SHARE_H
#define MEMPHIS_SHARE_H

#include <stdint.h>

struct memphis_share {
	double share, low, high; /* fractions from 0 to 1; [low, high] is the 95 % confidence interval */
};

/*
 * Returns the share `part` / `whole`, both counts of independent samples, with its Wilson score interval
 * (Journal of the American Statistical Association 22, 1927). This interval stays within [0, 1] and is valid
 * even for small counts. If `whole` is 0, the share is 0 and the interval is [0, 1].
 */
struct memphis_share memphis_share_of(uint64_t part, uint64_t whole);

#endif
