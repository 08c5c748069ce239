// SPDX-License-Identifier: BSD-3-Clause
/* Without debug information, symbols have the names; those of functions have a number. */
/* corpus: flags -g0 */
#include "corpus.h"

static double grid[COUNT];
double global[COUNT];

int main(void)
{
	static double inner[COUNT];

	TRUTH(grid, BYTES, "grid");
	TRUTH(global, BYTES, "global");
	TRUTH(inner, BYTES, "inner|main::inner");
	return 0;
}
