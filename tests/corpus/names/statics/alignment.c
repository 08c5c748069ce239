// SPDX-License-Identifier: BSD-3-Clause
/* Aligned arrays, arrays of pointers to statics, and tables of functions. */
#include "corpus.h"

static _Alignas(4096) double aligned[COUNT];
static double first[COUNT], second[COUNT];
static double *const views[] = {first, second};

static const double *table(void)
{
	static const double coefficients[COUNT] = {1, 2, 3};

	return coefficients;
}

int main(void)
{
	TRUTH(aligned, BYTES, "aligned");
	TRUTH(views[0], BYTES, "first");
	TRUTH(views[1], BYTES, "second");
	TRUTH(table(), BYTES, "table::coefficients");
	return 0;
}
