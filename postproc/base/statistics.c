// SPDX-License-Identifier: BSD-3-Clause
/* Confidence intervals, medians and quantiles. */
#include "base/order.h"
#include "base/statistics.h"

#include <math.h>
#include <stdlib.h>

#include "base/order.h"

/* ---- shares of samples with Wilson score intervals ---- */

#define TAIL 0.025             /* probability in each tail of a confidence interval */
#define Z    1.959963984540054 /* quantile of the normal distribution that leaves TAIL beyond it */

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

#define NORMAL_MAD \
	1.4826 /* standard deviation of a normal distribution, in units of its median absolute deviation */

static int compare_numbers(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return memphis_order(*x, *y);
}

double memphis_median(double *values, size_t count)
{
	qsort(values, count, sizeof(*values), compare_numbers);
	return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

double memphis_spread(double *values, size_t count, double median)
{
	size_t i;

	for (i = 0; i < count; i++)
		values[i] = fabs(values[i] - median);
	return NORMAL_MAD * memphis_median(values, count);
}

/* ---- confidence intervals of compound Poisson variables; they need quantiles of gamma distributions ---- */

/* from this shape on, the cube root of a gamma variable is normal with an error of at most 1e-7 */
#define LARGE      1e5
#define BISECTIONS 200
#define PRECISION  1e-12

/*
 * Returns the regularised lower incomplete gamma function for x < shape + 1, by its power series (Abramowitz
 * and Stegun, 6.5.29).
 */
static double lower_gamma_by_series(double shape, double x)
{
	double term = 1 / shape, sum = term, n;

	for (n = 1; term > sum * 1e-16; n++) {
		term *= x / (shape + n);
		sum += term;
	}
	return sum * exp(shape * log(x) - x - lgamma(shape));
}

/*
 * Returns the regularised lower incomplete gamma function for x >= shape + 1, by its continued fraction
 * (6.5.31), evaluated with Lentz's method.
 */
static double lower_gamma_by_fraction(double shape, double x)
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

static double lower_gamma(double shape, double x)
{
	if (x <= 0)
		return 0;
	return x < shape + 1 ? lower_gamma_by_series(shape, x) : lower_gamma_by_fraction(shape, x);
}

double memphis_poisson_p(double count, double mean)
{
	double root, deviation;

	if (!(count > 0))
		return 1;
	if (count < LARGE)
		return lower_gamma(count, mean);
	root = cbrt(mean / count) - 1 + 1 / (9 * count);
	deviation = 1 / (3 * sqrt(count));
	return 0.5 * erfc(-root / deviation / M_SQRT2);
}

/*
 * Approximates the TAIL or 1 - TAIL quantile of a gamma variable with a large shape: Wilson and Hilferty,
 * Proceedings of the National Academy of Sciences 17 (1931).
 */
static double approximate_quantile(double shape, double p)
{
	const double root = 1 - 1 / (9 * shape) + (p < 0.5 ? -Z : Z) / (3 * sqrt(shape));

	return shape * root * root * root;
}

double memphis_gamma_quantile(double shape, double p)
{
	double low = 0, high = shape + 10 * sqrt(shape) + 40, middle = 0;
	int i;

	if (shape > LARGE && (p == TAIL || p == 1 - TAIL))
		return approximate_quantile(shape, p);
	for (i = 0; i < BISECTIONS && high - low > PRECISION * high; i++) {
		middle = (low + high) / 2;
		if (lower_gamma(shape, middle) < p)
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

/* ---- Student's t distribution ---- */

#define HUGE_WIDTH 1e150 /* its square does not overflow */

/*
 * Returns the regularised incomplete beta function for x < (a + 1) / (a + b + 2), by its continued fraction
 * (Abramowitz and Stegun, 26.5.8), evaluated with Lentz's method.
 */
static double beta_by_fraction(double a, double b, double x)
{
	double c = 1, d = 1 / (1 - (a + b) * x / (a + 1)), result = d, n, even, odd, change;

	for (n = 1; n < 100000; n++) {
		even = n * (b - n) * x / ((a + 2 * n - 1) * (a + 2 * n));
		odd = -(a + n) * (a + b + n) * x / ((a + 2 * n) * (a + 2 * n + 1));
		d = 1 / (1 + even * d);
		c = 1 + even / c;
		result *= c * d;
		d = 1 / (1 + odd * d);
		c = 1 + odd / c;
		change = c * d;
		result *= change;
		if (fabs(change - 1) < 1e-15)
			break;
	}
	return result * exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x)) / a;
}

double memphis_student_p(double t, double degrees)
{
	const double x = degrees / (degrees + t * t), a = degrees / 2, b = 0.5;

	if (x >= 1)
		return 1;
	return x < (a + 1) / (a + b + 2) ? beta_by_fraction(a, b, x) : 1 - beta_by_fraction(b, a, 1 - x);
}

double memphis_student_width(double degrees)
{
	double low = Z, high = 2 * Z, middle = 0;
	int i;

	/* The result is 12.7 for one degree of freedom. For less than one degree, it has no upper limit. */
	while (high < HUGE_WIDTH && memphis_student_p(high, degrees) > 2 * TAIL)
		high *= 2;
	for (i = 0; i < BISECTIONS && high - low > PRECISION * high; i++) {
		middle = (low + high) / 2;
		if (memphis_student_p(middle, degrees) > 2 * TAIL)
			low = middle;
		else
			high = middle;
	}
	return middle;
}
