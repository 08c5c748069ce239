// SPDX-License-Identifier: BSD-3-Clause
/*
 * A planted defect: one thread touches all of `field` first, so that it is on node 0. Then the threads of
 * both nodes read it, each its own part. A part is larger than the caches; in each round, half of the cache
 * lines come from the other node.
 */
#include <memphis.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ELEMENTS = 1 << 21, PER_LINE = 8, ROUNDS = 24 };

static double *field;

int main(void)
{
	double sum = 0;

	field = malloc(ELEMENTS * sizeof(*field));
	if (!field || omp_get_max_threads() != 4)
		return 1;
	memset(field, 1, ELEMENTS * sizeof(*field));
	memphis_begin("Reads");
	for (int round = 0; round < ROUNDS; round++) {
#pragma omp parallel for schedule(static) reduction(+ : sum)
		for (int i = 0; i < ELEMENTS; i += PER_LINE)
			sum += field[i]; /* LINE: field */
	}
	memphis_end("Reads");
	printf("%d lines read from elsewhere\n", ROUNDS * (ELEMENTS / PER_LINE / 2));
	free(field);
	return !sum;
}
