// SPDX-License-Identifier: BSD-3-Clause
/* Arrays on the main thread's stack on node 0, which the main thread shares with a thread on node 1. */
#include "workload.h"

#include <memphis.h>
#include <omp.h>
#include <stdio.h>

enum { ELEMENTS = 3 << 17, PER_LINE = 8, ROUNDS = 72 };

static double relax(void)
{
	double column[ELEMENTS], forcing[ELEMENTS], sum = 0;

	workload_touch(column, sizeof(column));
	workload_touch(forcing, sizeof(forcing));
	workload_variable("column", column, sizeof(column));
	workload_variable("forcing", forcing, sizeof(forcing));
	memphis_begin("Reads");
#pragma omp parallel num_threads(2) reduction(+ : sum)
	{
		workload_cpu(2 * omp_get_thread_num());
		for (int round = 0; round < ROUNDS; round++) {
			for (int i = 0; i < ELEMENTS; i += PER_LINE) {
				sum += column[i];  /* LINE: column */
				sum += forcing[i]; /* LINE: forcing */
			}
		}
	}
	memphis_end("Reads");
	return sum;
}

int main(void)
{
	workload_cpu(0);
	workload_objects();
	printf("sum %g\n", relax());
	return 0;
}
