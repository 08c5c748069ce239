// SPDX-License-Identifier: BSD-3-Clause
/*
 * Static variables with internal linkage, with external linkage, and inside a function. First touched on node
 * 0, read on node 1.
 */
#include "workload.h"

#include <memphis.h>
#include <stdio.h>

enum { ELEMENTS = 1 << 19, PER_LINE = 8, ROUNDS = 48 };

static double levels[ELEMENTS];
double heights[ELEMENTS];

static double *ground(void)
{
	static double soil[ELEMENTS];

	return soil;
}

static double sweep(const double *below)
{
	double sum = 0;

	for (int i = 0; i < ELEMENTS; i += PER_LINE) {
		sum += levels[i];  /* LINE: levels */
		sum += heights[i]; /* LINE: heights */
		sum += below[i];   /* LINE: soil */
	}
	return sum;
}

int main(void)
{
	double *soil = ground(), sum = 0;

	workload_cpu(0);
	workload_touch(levels, sizeof(levels));
	workload_touch(heights, sizeof(heights));
	workload_touch(soil, sizeof(levels));
	workload_variable("levels", levels, sizeof(levels));
	workload_variable("heights", heights, sizeof(heights));
	workload_variable("soil", soil, sizeof(levels));
	workload_objects();
	workload_cpu(2);
	memphis_begin("Reads");
	for (int round = 0; round < ROUNDS; round++)
		sum += sweep(soil);
	memphis_end("Reads");
	printf("sum %g\n", sum);
	return 0;
}
