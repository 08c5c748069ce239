// SPDX-License-Identifier: BSD-3-Clause
/* Arrays of one name in two units. */
/* corpus: units two_units_other.c */
#include "corpus.h"

static double grid[COUNT];

void other(void);

int main(void)
{
	TRUTH(grid, BYTES, "grid #main");
	other();
	return 0;
}
