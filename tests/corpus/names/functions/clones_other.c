// SPDX-License-Identifier: BSD-3-Clause
#include "corpus.h"

__attribute__((noinline)) static void scaled(double *values, const int *factor)
{
	values[0] *= *factor;
	TRUTH(values, BYTES, "field in scaled");
}

void other(double *values)
{
	int factor = 2;

	scaled(values, &factor);
}
