// SPDX-License-Identifier: BSD-3-Clause
#include "corpus.h"

double field[COUNT];
static double hidden[COUNT];

void other(void)
{
	TRUTH(hidden, BYTES, "hidden");
}
