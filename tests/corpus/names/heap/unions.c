// SPDX-License-Identifier: BSD-3-Clause
/* Pointers in unions, in anonymous structures, and beside flags. */
#include "corpus.h"

struct variant {
	int kind;
	union {
		double *real;
		float *single;
	};
	struct {
		double *x, *y;
	};
};

static struct variant variant;

int main(void)
{
	struct variant *local = calloc(1, sizeof(*local));

	variant.real = malloc(BYTES);  /* site: variant.real */
	variant.y = malloc(BYTES);     /* site: variant.y */
	local->single = malloc(BYTES); /* site: local->single */
	local->x = malloc(BYTES);      /* site: local->x */
	TRUTH(variant.real, BYTES, "variant.real|variant.single|variant.{*}");
	TRUTH(variant.y, BYTES, "variant.y");
	TRUTH(local->single, BYTES, "local->single|local.single|local->{*}");
	TRUTH(local->x, BYTES, "local->x|local.x");
	return 0;
}
