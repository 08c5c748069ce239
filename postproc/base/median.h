/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The rule by which one of several like things is an outlier: its value differs from the median of all by more than OUTLIER_SCALES spreads
 * (Iglewicz and Hoaglin, How to Detect and Handle Outliers, 1993, recommend 3.5). The spread is the median absolute deviation times 1.4826, which
 * estimates the standard deviation of a normal distribution. Of fewer than OUTLIER_LEAST, none is an outlier.
 */
#ifndef MEMPHIS_MEDIAN_H
#define MEMPHIS_MEDIAN_H

#include <stddef.h>

#define MEMPHIS_OUTLIER_SCALES 3.5
#define MEMPHIS_OUTLIER_LEAST  4

/* Returns the median of the values, which are sorted; `count` must not be 0. */
double memphis_median(double *values, size_t count);

/* Returns the spread around the median, which must be that of the values. Replaces them by their deviations. */
double memphis_spread(double *values, size_t count, double median);

#endif
