// SPDX-License-Identifier: BSD-3-Clause
/* Wrappers whose frames need the frame pointer of the functions that they call, as compilers make them without optimisation. */
/* corpus: flags -O0 -fno-omit-frame-pointer */
#define _GNU_SOURCE
#include "corpus.h"

static void *grow(void *old, size_t bytes)
{
	void *block = realloc(old, bytes);

	if (!block)
		abort();
	return block;
}

static void *grow_array(void *old, size_t count, size_t bytes)
{
	return reallocarray(old, count, bytes);
}

static void grow_in_place(double **block, size_t bytes)
{
	*block = realloc(*block, bytes);
}

/* A block whose indices begin at `low`. */
static double *from(long low, long high)
{
	double *block = malloc((size_t)(high - low + 2) * sizeof(double));

	return block - low + 1;
}

int main(void)
{
	double *first = NULL, *second = NULL, *third = NULL, *fourth;

	first = grow(first, BYTES);                          /* site: first */
	second = grow_array(second, COUNT, sizeof(*second)); /* site: second */
	grow_in_place(&third, BYTES);                        /* site: third */
	fourth = from(1, COUNT);                             /* site: fourth */
	TRUTH(first, BYTES, "first");
	TRUTH(second, BYTES, "second");
	TRUTH(third, BYTES, "third");
	TRUTH(fourth + 1, BYTES, "fourth");
	return 0;
}
