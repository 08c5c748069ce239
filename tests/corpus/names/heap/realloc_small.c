// SPDX-License-Identifier: BSD-3-Clause
/*
 * Small blocks grow into large ones. Small blocks are recorded at random, here with a mean of a byte between them, thus all. The names of the large
 * ones must be the same as without such a record.
 */
/* corpus: record --small-bytes 1 */
#include "corpus.h"

int main(void)
{
	double *first = malloc(64), *moved, *grown = malloc(64);

	moved = realloc(first, BYTES); /* site: moved */
	grown = realloc(grown, BYTES); /* site: grown */
	TRUTH(moved, BYTES, "moved");
	TRUTH(grown, BYTES, "grown");
	free(moved);
	free(grown);
	return 0;
}
