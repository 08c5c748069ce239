// SPDX-License-Identifier: BSD-3-Clause
/* Confidence intervals of compound Poisson variables, and the quantiles of gamma distributions that they need. */
#include "base/compound.h"

#include <math.h>

#define TAIL       0.025             /* probability in each tail */
#define Z          1.959963984540054 /* quantile of the normal distribution that leaves it */
#define LARGE      1e5 /* shapes from which the cube root of a gamma variable is normal to 1e-7 */
#define BISECTIONS 200
#define PRECISION  1e-12

/* The regularised lower incomplete gamma function by its power series (Abramowitz and Stegun, 6.5.29), for x < shape + 1. */
static double lower_by_series(double shape, double x)
{
	double term = 1 / shape, sum = term, n;

	for (n = 1; term > sum * 1e-16; n++) {
		term *= x / (shape + n);
		sum += term;
	}
	return sum * exp(shape * log(x) - x - lgamma(shape));
}

/* The same function from its continued fraction (6.5.31), evaluated by the method of Lentz, for x >= shape + 1. */
static double lower_by_fraction(double shape, double x)
{
	double b = x + 1 - shape, c = 1e300, d = 1 / b, result = d, n, a, change;

	for (n = 1; n < 100000; n++) {
		a = -n * (n - shape);
		b += 2;
		d = 1 / (a * d + b);
		c = b + a / c;
		change = c * d;
		result *= change;
		if (fabs(change - 1) < 1e-16)
			break;
	}
	return 1 - result * exp(shape * log(x) - x - lgamma(shape));
}

static double lower(double shape, double x)
{
	if (x <= 0)
		return 0;
	return x < shape + 1 ? lower_by_series(shape, x) : lower_by_fraction(shape, x);
}

/* Wilson and Hilferty, Proceedings of the National Academy of Sciences 17 (1931), for the two tails of the interval. */
static double quantile_of_large(double shape, double p)
{
	const double root = 1 - 1 / (9 * shape) + (p < 0.5 ? -Z : Z) / (3 * sqrt(shape));

	return shape * root * root * root;
}

double memphis_gamma_quantile(double shape, double p)
{
	double low = 0, high = shape + 10 * sqrt(shape) + 40, middle = 0;
	int i;

	if (shape > LARGE && (p == TAIL || p == 1 - TAIL))
		return quantile_of_large(shape, p);
	for (i = 0; i < BISECTIONS && high - low > PRECISION * high; i++) {
		middle = (low + high) / 2;
		if (lower(shape, middle) < p)
			low = middle;
		else
			high = middle;
	}
	return middle;
}

struct memphis_estimate memphis_compound_estimate(double sum, double squares, double largest)
{
	struct memphis_estimate estimate = {.value = sum};
	double mean = sum + largest, variance = squares + largest * largest;

	if (sum > 0 && squares > 0)
		estimate.low = squares / sum * memphis_gamma_quantile(sum * sum / squares, TAIL);
	if (mean > 0)
		estimate.high = variance / mean * memphis_gamma_quantile(mean * mean / variance, 1 - TAIL);
	return estimate;
}
