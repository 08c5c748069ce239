// SPDX-License-Identifier: BSD-3-Clause
/* Arrays in frames of OpenMP threads and tasks: private ones, those of a called function, and one that threads share. */
/* corpus: flags -fopenmp */
#include "corpus.h"

__attribute__((noinline)) static void kernel(size_t count)
{
	double fixed[COUNT], variable[count];

	TRUTH(fixed, BYTES, "kernel::fixed");
	TRUTH(variable, BYTES, "kernel::variable");
}

int main(void)
{
	double shared[COUNT];

#pragma omp parallel
	{
		double inner[COUNT];

		kernel(COUNT);
		TRUTH(inner, BYTES, "main::inner|inner");
		TRUTH(shared, BYTES, "main::shared");
#pragma omp single
#pragma omp task
		kernel(COUNT);
	}
	return 0;
}
