// SPDX-License-Identifier: BSD-3-Clause
/* Macros that allocate. */
#include "corpus.h"

#define NEW(type, count)        ((type *)malloc((count) * sizeof(type)))
#define ALLOCATE(pointer, size) ((pointer) = malloc(size))
#define CHECKED(pointer, size)            \
	do {                              \
		(pointer) = malloc(size); \
		if (!(pointer))           \
			abort();          \
	} while (0)

struct state {
	double *rho;
};

static struct state *state;

int main(void)
{
	double *made = NEW(double, COUNT), *passed, *checked; /* site: made */

	state = malloc(sizeof(*state));
	ALLOCATE(passed, BYTES);    /* site: passed */
	CHECKED(checked, BYTES);    /* site: checked */
	CHECKED(state->rho, BYTES); /* site: state->rho */
	TRUTH(made, BYTES, "made");
	TRUTH(passed, BYTES, "passed");
	TRUTH(checked, BYTES, "checked");
	TRUTH(state->rho, BYTES, "state->rho|state.rho");
	return 0;
}
