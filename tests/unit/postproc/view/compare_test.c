// SPDX-License-Identifier: BSD-3-Clause
/* Statistics of the comparison of two runs. If this fails, a difference is reported as noise, or noise as a difference. */
#include "view/compare.h"

#include <stdio.h>

#include "../../tap.h"

static const char *change(uint64_t a, double a_exposure, uint64_t b, double b_exposure)
{
	struct memphis_change change = memphis_change_of(a, a_exposure, b, b_exposure);
	static char room[128];

	snprintf(room, sizeof(room), "%.4f %.4f %.4f %.6f", change.ratio, change.low, change.high, change.p);
	return room;
}

int main(void)
{
	/* Binomial tails: 2 * P(at most 1 of 10, 1/2) = 22 / 1024. */
	is_text(change(9, 1, 1, 1), "0.1111 0.0182 0.6783 0.021484", "the change from 9 to 1 samples");
	is_text(change(5, 1, 5, 1), "1.0000 0.3099 3.2267 1.000000", "the change from 5 to 5 samples");
	is_text(change(10, 1, 0, 1), "0.0000 0.0000 0.3841 0.001953",
		"the change from 10 to 0 samples has p = 2 / 1024");
	is_text(change(0, 1, 10, 1), "inf 2.6032 inf 0.001953", "the change from 0 to 10 samples");
	is_text(change(0, 1, 0, 1), "nan 0.0000 inf 1.000000", "without samples the change is unknown");
	/* Twice the time and twice the samples: the same rate. */
	is_text(change(100, 1, 200, 2), "1.0000 0.7870 1.2706 1.000000", "rates, not counts, are compared");
	is_text(change(100, 0, 200, 2), "nan 0.0000 inf 1.000000",
		"the change is unknown if a side's exposure is unknown");
	/* z = (5500 - 5000 - 0.5) / 50 = 9.99 */
	ok(memphis_change_of(4500, 1, 5500, 1).p < 1e-22 && memphis_change_of(4500, 1, 5500, 1).p > 1e-24,
	   "for many samples the normal distribution is used");
	/* At 1000 samples the normal approximation replaces the exact test; both must agree there. */
	ok(memphis_change_of(470, 1, 530, 1).p - memphis_change_of(470, 1, 531, 1).p < 0.006 &&
		   memphis_change_of(470, 1, 530, 1).p > memphis_change_of(470, 1, 531, 1).p,
	   "exact and approximate probabilities are close where they meet");
	return finish();
}
