// SPDX-License-Identifier: BSD-3-Clause
/* Allocations in initialisers of structures and of compound literals. */
#include "corpus.h"

struct mesh {
	double *x, *y;
};

static struct mesh kept;

int main(void)
{
	struct mesh plane = {
		.x = malloc(BYTES), /* site: plane.x */
		.y = malloc(BYTES), /* site: plane.y */
	};

	kept = (struct mesh){
		.x = malloc(BYTES), /* site: kept.x */
		.y = malloc(BYTES), /* site: kept.y */
	};
	TRUTH(plane.x, BYTES, "plane.x");
	TRUTH(plane.y, BYTES, "plane.y");
	TRUTH(kept.x, BYTES, "kept.x");
	TRUTH(kept.y, BYTES, "kept.y");
	return 0;
}
