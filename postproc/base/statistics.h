/* SPDX-License-Identifier: BSD-3-Clause */
/* Shares and sums of samples with 95 % confidence intervals, probabilities of counts, medians, outliers. */
#ifndef MEMPHIS_BASE_STATISTICS_H
#define MEMPHIS_BASE_STATISTICS_H

#include <stddef.h>
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

/*
 * Outliers. One of several similar values is an outlier if it differs from the median of all values by more
 * than MEMPHIS_OUTLIER_SCALES spreads (Iglewicz and Hoaglin, How to Detect and Handle Outliers, 1993,
 * recommend 3.5). The spread is the median absolute deviation times 1.4826. For a normal distribution, this
 * estimates the standard deviation. If there are fewer than MEMPHIS_OUTLIER_LEAST values, none is an outlier.
 */

#define MEMPHIS_OUTLIER_SCALES 3.5
#define MEMPHIS_OUTLIER_LEAST  4

/* Returns the median of the values, and sorts them. `count` must not be 0. */
double memphis_median(double *values, size_t count);

/* Returns the spread of the values around their median. Replaces the values by their absolute deviations from the median. */
double memphis_spread(double *values, size_t count, double median);

/* A sum and its 95 % confidence interval. */
struct memphis_estimate {
	double value, low, high;
};

/*
 * Returns the estimate of a sum from a Poisson sample of its terms (a compound Poisson variable). `sum` and
 * `squares` are the sums of the sampled terms and of their squares. Each term is multiplied by the number of
 * terms that it represents, so `squares` is the variance. `largest` is the largest term that may occur. It
 * limits how much the terms that were not sampled may add.
 *
 * The interval is by Fay and Feuer (Statistics in Medicine 16, 1997, 791-801): its limits are quantiles of
 * gamma distributions with the same mean and variance. For the upper limit, one more term of the largest size
 * is added. If all terms are equal, the interval equals the exact one of Garwood (1936). It is valid for any
 * number of terms, including 0.
 */
struct memphis_estimate memphis_compound_estimate(double sum, double squares, double largest);

/* Returns the probability that a Poisson variable with this mean is at least `count`. */
double memphis_poisson_p(double count, double mean);

/*
 * Student's t distribution with `degrees` degrees of freedom. memphis_student_p() returns the two-sided
 * probability of a value of at least |t|. memphis_student_width() returns the value that is exceeded with a
 * two-sided probability of 0.05. It is half the width of a 95 % confidence interval, in standard errors.
 */
double memphis_student_p(double t, double degrees);
double memphis_student_width(double degrees);

/* Returns the quantile of the gamma distribution with this shape and scale 1 for the probability p, 0 < p < 1. */
double memphis_gamma_quantile(double shape, double p);

#endif
