// SPDX-License-Identifier: BSD-3-Clause
/* Copies of functions that compilers make for constants, parts, cold paths and link-time optimisation. */
/* corpus: units clones_other.c */
#include "corpus.h"

static double field[COUNT];

void other(double *values);

__attribute__((noinline)) static void scaled(double *values, int factor, int count)
{
	for (int i = 0; i < count; i++)
		values[i] *= factor;
	TRUTH(values, BYTES, "field in scaled");
}

__attribute__((cold, noinline)) static void rarely(double *values)
{
	TRUTH(values, BYTES, "field in rarely");
}

int main(int argc, char **argv)
{
	(void)argv;
	scaled(field, 2, COUNT);
	scaled(field, 2, COUNT);
	if (argc < 2)
		rarely(field);
	other(field);
	return 0;
}
