// SPDX-License-Identifier: BSD-3-Clause
/* A program without debug information: a row for each call that allocates. */
/* corpus: flags -g0 */
#include "corpus.h"

static double *kept;

int main(void)
{
	double *first = malloc(BYTES);
	double *second = calloc(COUNT, sizeof(double));

	kept = malloc(BYTES);
	TRUTH(first, BYTES, "<program+0x*>|<main+0x*>");
	TRUTH(second, BYTES, "<program+0x*>|<main+0x*> #second");
	TRUTH(kept, BYTES, "kept|<program+0x*>|<main+0x*>");
	return 0;
}
