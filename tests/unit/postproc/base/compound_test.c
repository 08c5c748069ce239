// SPDX-License-Identifier: BSD-3-Clause
/* Intervals of sums over sampled terms. If this fails, reports overstate how certain estimated waiting is. */
#include "base/statistics.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>

#include "../../tap.h"

#define RUNS 1000

static const char *interval(double sum, double squares, double largest)
{
	const struct memphis_estimate estimate = memphis_compound_estimate(sum, squares, largest);
	static char room[96];

	snprintf(room, sizeof(room), "%.4g %.4g %.4g", estimate.value, estimate.low, estimate.high);
	return room;
}

static uint64_t state;

/* xorshift64*: Vigna, ACM Transactions on Mathematical Software 42 (2016). */
static double uniform(void)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return (double)((state * 0x2545f4914f6cdd1dull) >> 11) * 0x1p-53;
}

static unsigned int poisson(double mean)
{
	double left = -log(uniform());
	unsigned int count = 0;

	for (; left < mean; left -= log(uniform()))
		count++;
	return count;
}

/* A latency of memory: two peaks, and one in 50 loads that takes four times as long. */
static double latency(void)
{
	const double base = uniform() < 0.5 ? 100 : 310;

	return base * (1 + uniform() / 8) * (uniform() < 0.02 ? 4 : 1);
}

/* The mean of latency(): 205 * (1 + 1/16) * (0.98 + 0.02 * 4). */
#define LATENCY 230.8812500

/* Returns in how many of RUNS samples with this mean number of loads the interval contains the true sum. */
static unsigned int covered(double mean, uint64_t seed)
{
	const double weight = 1000;
	struct memphis_estimate estimate;
	unsigned int good = 0, run, n;
	double sum, squares, term;

	state = seed;
	for (run = 0; run < RUNS; run++) {
		sum = squares = 0;
		for (n = poisson(mean); n; n--) {
			term = weight * latency();
			sum += term;
			squares += term * term;
		}
		estimate = memphis_compound_estimate(sum, squares, weight * 310 * 4 * 1.125);
		good += estimate.low <= mean * weight * LATENCY && mean * weight * LATENCY <= estimate.high;
	}
	return good;
}

int main(void)
{
	static const double means[] = {0.5, 3, 10, 100, 1000};
	unsigned int i, good;

	/* Quantiles of chi-square / 2: Abramowitz and Stegun, table 26.8, for 2, 20 and 100 degrees of freedom. */
	is_text(interval(0, 0, 1), "0 0 3.689",
		"no term: the upper limit is -log(0.025) terms of the largest size");
	is_text(interval(1, 1, 1), "1 0.02532 5.572",
		"one term of size 1: the exact interval of Poisson's distribution");
	is_text(interval(10, 10, 1), "10 4.795 18.39", "ten terms of size 1: the same");
	is_text(interval(30000, 9e7, 3000), "3e+04 1.439e+04 5.517e+04",
		"ten terms of size 3000: the same, scaled");
	is_text(interval(1e7, 1e7, 1), "1e+07 9.994e+06 1.001e+07", "many terms: the normal distribution");
	is_text(interval(0, 0, 0), "0 0 0", "nothing that could be sampled: no interval");
	/* 100 and 300: squares 1e5, shape 1.6, scale 250; upper: 1000 and 4.6e5, shape 2.1739, scale 460. */
	is_text(interval(400, 1e5, 600), "400 32.76 2700",
		"terms of 100 and 300, and one of 600 that was not sampled");
	ok(fabs(memphis_gamma_quantile(50, 0.025) - 74.2219 / 2) < 1e-4,
	   "the quantile of 100 degrees of freedom");
	ok(fabs(memphis_gamma_quantile(99999, 0.975) / memphis_gamma_quantile(100001, 0.975) - 1) < 3e-5,
	   "quantiles of large shapes continue those of smaller ones");
	/* exp(-3) * sum of 3^k / k! from 9 on, and 1 - exp(-0.5) */
	ok(fabs(memphis_poisson_p(9, 3) - 0.0038029921) < 1e-9 &&
		   fabs(memphis_poisson_p(1, 0.5) - 0.3934693403) < 1e-9 && memphis_poisson_p(0, 3) == 1 &&
		   memphis_poisson_p(1, 0) == 0,
	   "probabilities of Poisson variables");
	ok(fabs(memphis_poisson_p(99999, 99700) / memphis_poisson_p(100000, 99701) - 1) < 1e-3,
	   "probabilities of large counts continue those of smaller ones");
	/*
	 * Each is a binomial variable of 1000 runs with a probability of at least 0.95: below 929 with a probability of 0.1 % if it is 0.95. The
	 * seeds are fixed, so that the test always has the same result.
	 */
	for (i = 0; i < sizeof(means) / sizeof(*means); i++) {
		good = covered(means[i], 0x9e3779b97f4a7c15 + i);
		ok(good >= 929, "the interval of %g loads holds in %u of %d runs, at least 929", means[i],
		   good, RUNS);
	}
	/* Without being useless: for many loads it is no wider than needed. */
	ok(covered(1000, 42) <= 971, "the interval of 1000 loads is not much too wide");
	return finish();
}
