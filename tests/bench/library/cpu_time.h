/* SPDX-License-Identifier: BSD-3-Clause */
/* CPU time of the calling thread, and the comparison function for medians. */
#ifndef CPU_TIME_H
#define CPU_TIME_H

#include <time.h>

static double cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Compares doubles, for qsort(). */
static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

#endif
