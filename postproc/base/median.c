// SPDX-License-Identifier: BSD-3-Clause
#include "base/median.h"

#include <math.h>
#include <stdlib.h>

#define NORMAL_MAD \
	1.4826 /* standard deviation of a normal distribution, in units of its median absolute deviation */

static int compare_numbers(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
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
