// SPDX-License-Identifier: BSD-3-Clause
/* A stripped program: a row for each call that allocates. */
/* corpus: flags -s */
/* corpus: never gcc-separate gcc-split gcc-dwz */
#include "corpus.h"

int main(void)
{
	double *first = malloc(BYTES);
	double *second = calloc(COUNT, sizeof(double));

	TRUTH(first, BYTES, "<program+0x*>");
	TRUTH(second, BYTES, "<program+0x*> #second");
	return 0;
}
