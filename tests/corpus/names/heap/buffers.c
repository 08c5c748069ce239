// SPDX-License-Identifier: BSD-3-Clause
/* Two buffers that change places, a block that follows another one at its address, and one that is used from its second element on. */
#include "corpus.h"

static double *now, *next;

static void step(void)
{
	double *swap = now;

	now = next;
	next = swap;
}

int main(void)
{
	double *early, *late, *fortran;

	now = malloc(BYTES);  /* site: now */
	next = malloc(BYTES); /* site: next */
	TRUTH(now, BYTES, "now");
	TRUTH(next, BYTES, "next");
	for (int i = 0; i < 4; i++)
		step();
	early = malloc(BYTES); /* site: early */
	TRUTH(early, BYTES, "early");
	free(early);
	late = malloc(BYTES); /* site: late */
	TRUTH(late, BYTES, "late");
	fortran = (double *)malloc(BYTES) - 1; /* site: fortran */
	TRUTH(fortran + 1, BYTES, "fortran");
	return 0;
}
