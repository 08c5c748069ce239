// SPDX-License-Identifier: BSD-3-Clause
/* Allocations within conditions, chains, casts, conditional expressions and statements of several lines. */
#include "corpus.h"

#include <assert.h>

static double *left, *right;

int main(int argc, char **argv)
{
	double *tested, *compared, *asserted, *cast, *chosen, *broken, *first, *second;

	(void)argv;
	if (!(tested = malloc(BYTES))) /* site: tested */
		return 1;
	if ((compared = malloc(BYTES)) == NULL) /* site: compared */
		return 1;
	assert((asserted = malloc(BYTES)) != NULL); /* site: asserted */
	cast = (double *)(void *)malloc(BYTES);     /* site: cast */
	chosen = argc > 0 ? malloc(BYTES) : NULL;   /* site: chosen */
	broken = malloc(2 *                         /* site: broken */
			(BYTES / 2));
	left = right = malloc(BYTES);                  /* site: left */
	first = malloc(BYTES), second = malloc(BYTES); /* site: first, second */
	TRUTH(tested, BYTES, "tested");
	TRUTH(compared, BYTES, "compared");
	TRUTH(asserted, BYTES, "asserted");
	TRUTH(cast, BYTES, "cast");
	TRUTH(chosen, BYTES, "chosen");
	TRUTH(broken, BYTES, "broken");
	TRUTH(left, BYTES, "left|right");
	TRUTH(first, BYTES, "first");
	TRUTH(second, BYTES, "second");
	return 0;
}
