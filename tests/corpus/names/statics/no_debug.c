// SPDX-License-Identifier: BSD-3-Clause
/* Without debug information, symbols have the names; those of functions have a number. */
/* corpus: flags -g0 */
#include "corpus.h"

static double grid[COUNT];
double global[COUNT];

/* Two functions with a variable of one name, whose symbols differ by a number (gcc) or by the function (clang). */
__attribute__((noinline)) static void step(void)
{
	static double seen[COUNT];

	TRUTH(seen, BYTES, "seen.0|seen.1|seen.2|step::seen");
}

__attribute__((noinline)) static void jump(void)
{
	static double seen[COUNT];

	TRUTH(seen, BYTES, "seen.0|seen.1|seen.2|jump::seen");
}

int main(void)
{
	static double inner[COUNT];

	step();
	jump();
	TRUTH(grid, BYTES, "grid");
	TRUTH(global, BYTES, "global");
	TRUTH(inner, BYTES, "inner|main::inner");
	return 0;
}
