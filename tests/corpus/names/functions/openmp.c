// SPDX-License-Identifier: BSD-3-Clause
/* Parts of functions that compilers make functions of: parallel regions, tasks and copies for constants. */
/* corpus: flags -fopenmp */
#include "corpus.h"

static double field[COUNT];

__attribute__((noinline)) static void accumulate(void)
{
#pragma omp parallel
	TRUTH(field, BYTES, "field in accumulate (OpenMP)");
#pragma omp parallel for
	for (int i = 0; i < 4; i++)
		TRUTH(field, BYTES, "field in accumulate (OpenMP)");
}

__attribute__((noinline)) static void constant(int many, double *values)
{
	for (int i = 0; i < many; i++)
		TRUTH(values, BYTES, "field in constant");
}

int main(void)
{
	accumulate();
	constant(2, field);
	constant(2, field);
	return 0;
}
