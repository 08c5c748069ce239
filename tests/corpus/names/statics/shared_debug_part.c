// SPDX-License-Identifier: BSD-3-Clause
#include "corpus.h"

static struct ocean {
	double *salt, *heat;
} ocean;

static double grid[COUNT];

void part(void)
{
	ocean.salt = malloc(BYTES); /* site: ocean.salt #part */
	TRUTH(ocean.salt, BYTES, "ocean.salt #part");
	TRUTH(grid, BYTES, "grid #part");
}
