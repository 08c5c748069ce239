/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which small blocks are taken: the distances are exponential, and the weights make the bytes of each site unbiased. All random
 * numbers are fixed. If this fails, the shares by which samples in small blocks are named are wrong.
 */
#include <math.h>
#include <stdlib.h>

#include "data/byte_sampler.h"
#include "../../tap.h"

#define GAPS 20000
#define MEAN 2048

static struct memphis_byte_sampler sampler;

static void start(__u64 mean, __u64 seed)
{
	memphis_small_mean = mean;
	sampler = (struct memphis_byte_sampler){.state = seed};
}

static __u64 take(__u64 bytes)
{
	return memphis_byte_sampler_pass(&sampler, bytes) ? memphis_byte_sampler_takes(&sampler, bytes) : 0;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* Returns the Kolmogorov-Smirnov statistic of the distances, times sqrt(n). */
static double ks_of_gaps(void)
{
	static double gaps[GAPS];
	double worst = 0, expected;
	unsigned int i;
	__u64 bytes;

	for (i = 0; i < GAPS; i++) {
		for (bytes = 1; !take(1); bytes++)
			;
		gaps[i] = (double)bytes;
	}
	qsort(gaps, GAPS, sizeof(*gaps), compare);
	/* Distances are whole bytes: compare where the empirical distribution has passed all equal ones. */
	for (i = 0; i < GAPS; i++) {
		if (i + 1 < GAPS && gaps[i + 1] == gaps[i])
			continue;
		expected = 1 - exp(-gaps[i] / MEAN);
		worst = fmax(worst, fabs((i + 1.0) / GAPS - expected));
	}
	return worst * sqrt(GAPS);
}

/* Sites that allocate in turns, in ratios that differ, with sizes from 1 byte to far above the mean. */
static const struct {
	__u64 bytes;
	int every;
} sites[] = {{1, 1}, {16, 1}, {48, 2}, {200, 3}, {2048, 7}, {4000, 5}, {20000, 50}};

static void check_sites(void)
{
	const unsigned int count = sizeof(sites) / sizeof(*sites), rounds = 400000;
	double sum[8] = {0}, variance, p, deviation, worst = 0;
	__u64 taken[8] = {0}, total;
	unsigned int i, j;

	for (i = 0; i < rounds; i++)
		for (j = 0; j < count; j++)
			if (!(i % (unsigned int)sites[j].every))
				taken[j] += take(sites[j].bytes) != 0;
	for (j = 0; j < count; j++) {
		p = 1 - exp(-(double)sites[j].bytes / MEAN);
		total = (rounds + (unsigned int)sites[j].every - 1) / (unsigned int)sites[j].every;
		sum[j] = (double)taken[j] / p;
		variance = (double)total * (1 - p) / p;
		deviation = fabs(sum[j] - (double)total) / sqrt(variance + 1e-9);
		worst = fmax(worst, deviation);
	}
	/* The largest of 7 normal deviations exceeds 4 with a probability of 0.0005. */
	ok(worst < 4,
	   "the estimated number of blocks of each of 7 sites is within 4 standard deviations (%.2f)", worst);
}

int main(void)
{
	unsigned int i, taken = 0;
	double ks;

	start(MEAN, 20260101);
	ks = ks_of_gaps();
	/* An exponential distribution exceeds 1.95 with a probability of 0.001. */
	ok(ks < 1.95, "the distances are exponential (Kolmogorov-Smirnov %.2f)", ks);
	start(MEAN, 7);
	check_sites();

	start(0, 1);
	for (i = 0; i < 100000; i++)
		taken += take(4000) != 0;
	is(taken, 0, "with mean 0, no block is taken");
	memphis_small_mean = 1;
	for (i = 0; i < 1000; i++)
		taken += take(4000) != 0;
	ok(taken >= 700, "a thread adopts another mean within a mebibyte (%u of 1000)", taken);
	start(1, 1);
	for (i = taken = 0; i < 1000; i++)
		taken += take(64) != 0;
	is(taken, 1000, "with mean 1, all blocks of 64 bytes are taken");
	for (i = taken = 0; i < 1000; i++)
		taken += take(0) != 0;
	is(taken, 0, "an empty block is never taken");

	start(100, 3);
	while (!take(10))
		;
	memphis_small_double_mean();
	is(memphis_small_mean, 200, "the mean distance is doubled");
	for (i = 0; !(taken = (unsigned int)take(10)); i++)
		;
	is(taken, 100, "the event that was drawn before is of the former mean");
	for (i = 0; !(taken = (unsigned int)take(10)); i++)
		;
	is(taken, 200, "the next event is of the new mean");
	memphis_small_mean = 0;
	memphis_small_double_mean();
	is(memphis_small_mean, 0, "a mean of 0 stays 0");
	return finish();
}
