// SPDX-License-Identifier: BSD-3-Clause
#include "corpus.h"

static double grid[COUNT];

void other(void)
{
	TRUTH(grid, BYTES, "grid #other");
}
