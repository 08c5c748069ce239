// SPDX-License-Identifier: BSD-3-Clause
/* Macros of a header that assign to members, check the result in another macro, and call a function that stores the block. */
#include "corpus.h"

#include "macros.h"

struct state {
	double *rho, *velocity, *heat, *salt;
	struct {
		double *x;
	} grid;
};

int main(void)
{
	struct state *state = malloc(sizeof(*state)), other;

	corpus_use(state);
	FIELD(state, rho, COUNT);       /* site: state->rho */
	STORED(state->velocity, COUNT); /* site: state->velocity */
	FIELD(&other, heat, COUNT);     /* site: other.heat */
	STORED(other.grid.x, COUNT);    /* site: other.grid.x */
	corpus_use(&other);
	BOTH(state->heat, state->salt, BYTES); /* site: state->heat, state->salt */
	TRUTH(state->rho, BYTES, "state->rho|state.rho");
	TRUTH(state->velocity, BYTES, "state->velocity|state.velocity");
	TRUTH(other.heat, BYTES, "other.heat");
	TRUTH(other.grid.x, BYTES, "other.grid.x");
	TRUTH(state->heat, BYTES, "state->heat|state.heat");
	TRUTH(state->salt, 2 * BYTES, "state->salt|state.salt");
	return 0;
}
