// SPDX-License-Identifier: BSD-3-Clause
/* Wrappers in wrappers, with functions of a header, a recursive one, and the place of the call as arguments. */
/* corpus: units levels.h */
#include "corpus.h"
#include "levels.h"

#include <stdio.h>

#define SEPARATE       __attribute__((noinline))
#define TRACKED(bytes) tracked(bytes, __FILE__, __LINE__)

SEPARATE static void *tracked(size_t bytes, const char *file, int line)
{
	void *block = malloc(bytes);

	if (!block)
		fprintf(stderr, "%s:%d: no memory\n", file, line);
	return block;
}

SEPARATE static void *lower(size_t bytes)
{
	return checked_allocation(bytes);
}

SEPARATE static void *upper(size_t bytes)
{
	double *block = lower(bytes);

	block[0] = 1;
	return block;
}

SEPARATE static void *retried(size_t bytes, int left)
{
	void *block = left ? retried(bytes, left - 1) : malloc(bytes);

	corpus_use(block);
	return block;
}

int main(void)
{
	double *first = upper(BYTES);              /* site: first */
	double *second = upper(BYTES);             /* site: second */
	double *third = TRACKED(BYTES);            /* site: third */
	double *fourth = retried(BYTES, 3);        /* site: fourth */
	double *fifth = checked_allocation(BYTES); /* site: fifth */

	TRUTH(first, BYTES, "first");
	TRUTH(second, BYTES, "second");
	TRUTH(third, BYTES, "third");
	TRUTH(fourth, BYTES, "fourth");
	TRUTH(fifth, BYTES, "fifth");
	return 0;
}
