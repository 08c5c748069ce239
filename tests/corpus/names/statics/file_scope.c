// SPDX-License-Identifier: BSD-3-Clause
/* Arrays of file scope: zeroed, initialised, constant, and global. */
#include "corpus.h"

static double zeroed[COUNT];
static double filled[COUNT] = {1};
static const double constant[COUNT] = {1};
double global[COUNT];

int main(void)
{
	TRUTH(zeroed, BYTES, "zeroed");
	TRUTH(filled, BYTES, "filled");
	TRUTH(constant, BYTES, "constant");
	TRUTH(global, BYTES, "global");
	return 0;
}
