// SPDX-License-Identifier: BSD-3-Clause
/* Shares of samples with Wilson score intervals. */
#include "base/share.h"

#include <math.h>

#define Z 1.959963984540054 /* quantile of the normal distribution that leaves 2.5 % in each tail */

struct memphis_share memphis_share_of(uint64_t part, uint64_t whole)
{
	double n = (double)whole, p, centre, reach;

	if (!whole)
		return (struct memphis_share){0, 0, 1};
	p = (double)part / n;
	centre = (p + Z * Z / (2 * n)) / (1 + Z * Z / n);
	reach = Z / (1 + Z * Z / n) * sqrt(p * (1 - p) / n + Z * Z / (4 * n * n));
	return (struct memphis_share){p, part ? fmax(0, centre - reach) : 0,
				      part < whole ? fmin(1, centre + reach) : 1};
}
