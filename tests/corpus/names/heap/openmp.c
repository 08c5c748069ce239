// SPDX-License-Identifier: BSD-3-Clause
/* Blocks that are allocated in parallel regions, by each thread and by one. */
/* corpus: flags -fopenmp */
#include "corpus.h"

#include <omp.h>

static double *partial[64];

int main(void)
{
	double *whole = NULL;

#pragma omp parallel
	{
		double *private = malloc(BYTES); /* site: private */

		partial[omp_get_thread_num()] = malloc(BYTES); /* site: partial[] */
#pragma omp single
		whole = malloc(BYTES); /* site: whole */
		TRUTH(private, BYTES, "private");
		TRUTH(partial[omp_get_thread_num()], BYTES, "partial[]|partial[*]");
	}
	TRUTH(whole, BYTES, "whole");
	return 0;
}
