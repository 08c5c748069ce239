// SPDX-License-Identifier: BSD-3-Clause
/* Allocators of a library whose last call leaves no frame: to a function of the library, and through a pointer. */
/* corpus: library pool tail_calls_pool.c */
#include "corpus.h"

void *pool_direct(size_t bytes);
void *pool_hooked(size_t bytes);

struct state {
	double *rho, *speed, *rest[6];
};

int main(void)
{
	struct state *state = malloc(sizeof(*state));
	double *work, *flux;

	state->rho = pool_direct(BYTES);   /* site: state->rho */
	state->speed = pool_hooked(BYTES); /* site: state->speed */
	work = pool_direct(BYTES);         /* site: work */
	flux = pool_hooked(BYTES);         /* site: flux */
	TRUTH(state->rho, BYTES, "state->rho|state.rho");
	TRUTH(state->speed, BYTES, "state->speed|state.speed");
	TRUTH(work, BYTES, "work");
	TRUTH(flux, BYTES, "flux");
	return 0;
}
