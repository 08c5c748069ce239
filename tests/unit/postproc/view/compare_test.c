// SPDX-License-Identifier: BSD-3-Clause
/* Statistics of the comparison of two runs. If this fails, a difference is reported as noise, or noise as a difference. */
#include "view/compare.h"

#include <math.h>
#include <stdio.h>

#include "../../tap.h"

static const char *change(uint64_t a, double a_exposure, uint64_t b, double b_exposure)
{
	struct memphis_change change = memphis_change_of(a, a_exposure, b, b_exposure);
	static char room[128];

	snprintf(room, sizeof(room), "%.4f %.4f %.4f %.6f", change.ratio, change.low, change.high, change.p);
	return room;
}

static const char *shown(const struct memphis_change *change)
{
	static char room[128];

	snprintf(room, sizeof(room), "%.4f %.4f %.4f %.6f", change->ratio, change->low, change->high,
		 change->p);
	return room;
}

static const char *sides(const struct memphis_compared_samples *first, size_t first_count,
			 const struct memphis_compared_samples *second, size_t second_count)
{
	struct memphis_change change = memphis_change_of_runs(first, first_count, second, second_count);

	return shown(&change);
}

/*
 * The expected numbers come from another computation: quadrature of the density of Student's t, and bisection of the ratio itself. Counts of 100 have the
 * weight 100/100.5, counts of 50 the weight 50/50.5, so that two runs each have 1.985 degrees of freedom.
 */
static void test_sides(void)
{
	const struct memphis_compared_samples first[] = {{90, 1}, {110, 1}}, second[] = {{45, 1}, {55, 1}},
					      even[] = {{100, 1}, {100, 1}}, longer[] = {{90, 2}, {110, 2}};

	/* Pearson's statistic is 2 + 1, the dispersion about 3/2. */
	is_text(sides(first, 2, second, 2), "0.5000 0.2533 0.9412 0.042059",
		"the change between sides of two runs that differ more than chance");
	/* The runs are more alike than chance makes them: the dispersion is 1. */
	is_text(sides(even, 2, even, 2), "1.0000 0.6479 1.5434 1.000000",
		"the dispersion is at least that of sampling");
	is_text(sides(first, 2, longer, 2), "0.5000 0.2700 0.9259 0.040322",
		"rates of runs, not counts, are compared");
	is_text(sides(first, 1, second, 1), "0.5000 0.3503 0.7138 0.000134",
		"of single runs, the change is that of sampling");
}

/* A side without samples does not tell how much runs differ; the other one may. */
static void test_zero_sides(void)
{
	const struct memphis_compared_samples none[] = {{0, 1}, {0, 1}, {0, 1}}, bursts[] = {{40, 1}, {2, 1}},
					      steady[] = {{200, 1}, {200, 1}}, some[] = {{2, 1}, {1, 1}},
					      few[] = {{40, 1}, {40, 1}}, first[] = {{90, 1}, {110, 1}};

	is_text(sides(none, 2, bursts, 2), "inf 0.0000 inf 0.420907",
		"samples of one run among several are noise, even if the other side has none");
	is_text(sides(none, 2, steady, 2), "inf 4.4140 inf 0.027219", "samples of all runs are new");
	is_text(sides(first, 2, none, 2), "0.0000 0.0000 1.2854 0.054555",
		"samples that two runs had are gone");
	is_text(sides(none, 3, steady, 1), "inf 0.0000 inf 1.000000",
		"a single run with samples does not tell how much runs differ");
	is_text(sides(steady, 1, none, 2), "0.0000 0.0000 inf 1.000000", "nor a single run before");
	is_text(sides(some, 2, few, 2), "26.6667 3.3408 4650.5662 0.017004",
		"a side with few samples tells little");
	is_text(sides(none, 2, none, 2), "1.0000 0.0000 inf 1.000000", "sides without samples do not differ");
}

static const char *sums(double first, double first_squares, double second, double second_squares)
{
	struct memphis_change change = memphis_change_of_sums(first, first_squares, second, second_squares);

	return shown(&change);
}

static void test_sums(void)
{
	/* 9 terms of 4, then 1 of 4: as the counts 9 and 1. */
	is_text(sums(36, 9 * 16, 4, 16), "0.1111 0.0182 0.6783 0.021484",
		"sums of equal terms change as counts do");
	/* 5 terms of 4, then 5 of 8: that of 5 and 5, doubled; p is 2 * P(at least 5 of 10, 1/3). */
	is_text(sums(20, 5 * 16, 40, 5 * 64), "2.0000 0.6198 6.4533 0.426256",
		"terms that are twice as large double the sum");
	/* A sum of 20 with 200 as sum of the squares is as 2 terms of 10, whatever it consists of. */
	is_text(sums(20, 200, 20, 200), "1.0000 0.1765 5.6649 1.000000",
		"a few large terms make sums uncertain");
	is_text(sums(0, 0, 40, 160), "inf 2.6032 inf 0.001953", "from 0, growth is infinite");
	is_text(sums(0, 0, 4, 16), "inf 0.2603 inf 1.000000", "a single term is noise");
	is_text(sums(0, 0, 0, 0), "1.0000 0.0000 inf 1.000000", "sums without terms do not differ");
}

static void test_values(void)
{
	const double times[] = {10, 12}, others[] = {22, 22}, some[] = {NAN, 22}, unknown[] = {NAN, NAN},
		     zeros[] = {0, 0};
	struct memphis_change change;

	/* Relative deviations of 1/11 in one side and 0 in the other: the standard error is 1/11. */
	change = memphis_change_of_values(times, 2, others, 2);
	is_text(shown(&change), "2.0000 1.3526 2.9574 0.016770",
		"the change between times of two runs a side");
	ok(!change.noise, "it is no noise");
	change = memphis_change_of_values(times, 2, times + 1, 1);
	ok(change.noise && change.low < 1 && change.high > 1, "a run among those of the other side is noise");
	change = memphis_change_of_values(times, 1, others, 1);
	is_text(shown(&change), "2.2000 nan nan 1.000000", "nothing is known of the noise of single runs");
	change = memphis_change_of_values(times, 2, some, 2);
	ok(change.ratio > 1.99 && change.ratio < 2.01, "a run without the number is left out");
	change = memphis_change_of_values(zeros, 2, zeros, 1);
	is_text(shown(&change), "1.0000 nan nan 1.000000", "zeros do not differ");
	change = memphis_change_of_values(zeros, 1, times, 1);
	is_text(shown(&change), "inf nan nan 1.000000", "from 0, growth is infinite");
	ok(!change.noise, "of single runs it is no noise");
	/* Relative deviations of 1/11: with one degree of freedom, t is 11 / sqrt(2), and p 1 - 2/pi * atan(t). */
	change = memphis_change_of_values(zeros, 2, times, 2);
	is_text(shown(&change), "inf nan nan 0.081400",
		"the zeros of several runs are judged by the other side");
	ok(change.noise, "two of them are too few");
	change = memphis_change_of_values(times, 2, zeros, 2);
	is_text(shown(&change), "0.0000 nan nan 0.081400", "values that became 0 are judged likewise");
	change = memphis_change_of_values(times, 2, unknown, 2);
	ok(isnan(change.ratio), "without a number there is no change");
}

int main(void)
{
	/* Binomial tails: 2 * P(at most 1 of 10, 1/2) = 22 / 1024. */
	is_text(change(9, 1, 1, 1), "0.1111 0.0182 0.6783 0.021484", "the change from 9 to 1 samples");
	is_text(change(5, 1, 5, 1), "1.0000 0.3099 3.2267 1.000000", "the change from 5 to 5 samples");
	is_text(change(10, 1, 0, 1), "0.0000 0.0000 0.3841 0.001953",
		"the change from 10 to 0 samples has p = 2 / 1024");
	is_text(change(0, 1, 10, 1), "inf 2.6032 inf 0.001953", "the change from 0 to 10 samples");
	is_text(change(0, 1, 0, 1), "1.0000 0.0000 inf 1.000000",
		"without samples nothing has changed, as far as it is known");
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
	test_sides();
	test_zero_sides();
	test_sums();
	test_values();
	return finish();
}
