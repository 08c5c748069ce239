// SPDX-License-Identifier: BSD-3-Clause
#include "corpus.h"

static struct {
	double *kept;
} state;

double *make(void)
{
	double *block = malloc(BYTES);

	state.kept = malloc(BYTES); /* site: state.kept */
	TRUTH(state.kept, BYTES, "state.kept");
	return block;
}
