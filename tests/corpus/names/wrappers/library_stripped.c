// SPDX-License-Identifier: BSD-3-Clause
/* A stripped library that allocates, with frame pointers and without. */
/* corpus: library pool tail_calls_pool.c -g0 -s -fno-omit-frame-pointer */
/* corpus: library heap library_stripped_heap.c -g0 -s */
#include "corpus.h"

void *pool_direct(size_t bytes);
void *heap_get(size_t bytes);
int heap_status(void **out, size_t bytes);

struct state {
	double *rho;
};

int main(void)
{
	struct state *state = malloc(sizeof(*state));
	double *work = pool_direct(BYTES); /* site: work */
	double *flux = heap_get(BYTES);    /* site: flux */
	void *given;

	state->rho = heap_get(BYTES);   /* site: state->rho */
	if (heap_status(&given, BYTES)) /* site: given */
		return 1;
	TRUTH(work, BYTES, "work");
	TRUTH(flux, BYTES, "flux");
	TRUTH(state->rho, BYTES, "state->rho|state.rho");
	TRUTH(given, BYTES, "given");
	return 0;
}
