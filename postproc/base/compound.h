/* SPDX-License-Identifier: BSD-3-Clause */
/* Estimated sums over sampled events of different sizes, with confidence intervals. */
#ifndef MEMPHIS_COMPOUND_H
#define MEMPHIS_COMPOUND_H

/* A sum and its 95 % confidence interval. */
struct memphis_estimate {
	double value, low, high;
};

/*
 * Returns the estimate of a sum from a Poisson sample of its terms (a compound Poisson variable). `sum` and `squares` are the sums of the
 * sampled terms and of their squares, each term multiplied by the number of terms that it stands for; `squares` is then the variance.
 * `largest` is the largest term that may occur, which decides what the terms that were not sampled may add.
 *
 * The interval is that of Fay and Feuer (Statistics in Medicine 16, 1997, 791-801): quantiles of gamma distributions with the same mean and
 * variance, for the upper limit after one more term of the largest size. It equals the exact interval of Garwood (1936) if all terms are
 * equal, and holds for any number of terms, also for none.
 */
struct memphis_estimate memphis_compound_estimate(double sum, double squares, double largest);

/* Returns the value that a gamma variable of this shape and scale 1 does not exceed with probability p, for 0 < p < 1. */
double memphis_gamma_quantile(double shape, double p);

#endif
