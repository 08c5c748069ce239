// SPDX-License-Identifier: BSD-3-Clause
/* Blocks of local pointers, by the usual functions. */
#include "corpus.h"

#include <malloc.h>

int main(void)
{
	double *plain = malloc(BYTES);                  /* site: plain */
	double *zeroed = calloc(COUNT, sizeof(double)); /* site: zeroed */
	double *aligned = aligned_alloc(64, BYTES);     /* site: aligned */
	double *old = memalign(64, BYTES);              /* site: old */
	double *paged;

	if (posix_memalign((void **)&paged, 4096, BYTES)) /* site: paged */
		return 1;
	TRUTH(plain, BYTES, "plain");
	TRUTH(zeroed, BYTES, "zeroed");
	TRUTH(aligned, BYTES, "aligned");
	TRUTH(old, BYTES, "old");
	TRUTH(paged, BYTES, "paged");
	return 0;
}
