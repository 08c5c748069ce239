/* SPDX-License-Identifier: BSD-3-Clause */
/* How sure a share of samples is. */
#ifndef MEMPHIS_SHARE_H
#define MEMPHIS_SHARE_H

#include <stdint.h>

struct memphis_share {
	double share, low, high; /* 0 to 1; low to high is the 95 % confidence interval */
};

/*
 * The share of `part` in `whole`, as counts of independent samples, with the score interval of Wilson (Journal of the American
 * Statistical Association 22, 1927), which stays inside 0 to 1 and holds for small counts, too. 0, 0, 1 of nothing.
 */
struct memphis_share memphis_share_of(uint64_t part, uint64_t whole);

#endif
