// SPDX-License-Identifier: BSD-3-Clause
/* The same library without debug information. */
/* corpus: library pool tail_calls_pool.c -g0 */
#include "corpus.h"

void *pool_direct(size_t bytes);
void *pool_hooked(size_t bytes);

static double *kept;

int main(void)
{
	double *work = pool_direct(BYTES); /* site: work */
	double *flux = pool_hooked(BYTES); /* site: flux */

	kept = pool_direct(BYTES); /* site: kept */
	TRUTH(work, BYTES, "work");
	TRUTH(flux, BYTES, "flux");
	TRUTH(kept, BYTES, "kept");
	return 0;
}
