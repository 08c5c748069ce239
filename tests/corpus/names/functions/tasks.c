// SPDX-License-Identifier: BSD-3-Clause
/* Tasks, sections, and parallel regions within parallel regions. */
/* corpus: flags -fopenmp */
#include "corpus.h"

static double field[COUNT];

int main(void)
{
#pragma omp parallel
#pragma omp single
#pragma omp task
	TRUTH(field, BYTES, "field in main (OpenMP)");
#pragma omp parallel sections
	{
#pragma omp section
		TRUTH(field, BYTES, "field in main (OpenMP)");
	}
#pragma omp parallel
	{
#pragma omp parallel
		TRUTH(field, BYTES, "field in main (OpenMP)");
	}
	return 0;
}
