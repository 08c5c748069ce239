// SPDX-License-Identifier: BSD-3-Clause
/* Wrappers that clear the block in parallel, and that map memory. */
/* corpus: flags -fopenmp */
#include "corpus.h"

#include <sys/mman.h>

#define SEPARATE __attribute__((noinline))

SEPARATE static double *touched(size_t count)
{
	double *block = malloc(count * sizeof(double));

#pragma omp parallel for
	for (size_t i = 0; i < count; i++)
		block[i] = 0;
	return block;
}

SEPARATE static void *mapped(size_t bytes)
{
	void *block = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return block == MAP_FAILED ? NULL : block;
}

int main(void)
{
	double *first = touched(COUNT);  /* site: first */
	double *second = touched(COUNT); /* site: second */
	double *third = mapped(BYTES);   /* site: third */
	double *fourth = mapped(BYTES);  /* site: fourth */

	third[0] = fourth[0] = 1;
	TRUTH(first, BYTES, "first");
	TRUTH(second, BYTES, "second");
	TRUTH(third, BYTES, "third");
	TRUTH(fourth, BYTES, "fourth");
	return 0;
}
