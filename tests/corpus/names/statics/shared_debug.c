// SPDX-License-Identifier: BSD-3-Clause
/* Debug information that two files share, which dwz has moved to a third one. */
/* corpus: library part shared_debug_part.c */
/* corpus: after dwz -m common.debug program libpart.so */
/* corpus: never gcc-split gcc-dwz gcc-separate clang-* */
#include "corpus.h"

static struct ocean {
	double *salt, *heat;
} ocean;

static double grid[COUNT];

void part(void);

int main(void)
{
	static double inner[COUNT];

	ocean.salt = malloc(BYTES); /* site: ocean.salt */
	ocean.heat = malloc(BYTES); /* site: ocean.heat */
	TRUTH(ocean.salt, BYTES, "ocean.salt");
	TRUTH(ocean.heat, BYTES, "ocean.heat");
	TRUTH(grid, BYTES, "grid #main");
	TRUTH(inner, BYTES, "main::inner|inner");
	part();
	return 0;
}
