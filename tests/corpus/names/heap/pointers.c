// SPDX-License-Identifier: BSD-3-Clause
/* Pointers to pointers as arguments, blocks in arguments of several levels, and an array of arrays of pointers. */
#include "corpus.h"

#define SEPARATE __attribute__((noinline))

SEPARATE static void allocate(double **out)
{
	*out = malloc(BYTES);
}

SEPARATE static void allocate_all(double **out, int count)
{
	for (int i = 0; i < count; i++)
		allocate(&out[i]);
}

SEPARATE static double ***cube(void)
{
	double ***cube = malloc(COUNT * sizeof(*cube)); /* site: values */

	for (int i = 0; i < 4; i++) {
		cube[i] = malloc(COUNT / 4 * sizeof(**cube)); /* site: values[] */
		for (int j = 0; j < 4; j++)
			cube[i][j] = malloc(BYTES / 4); /* site: values[][] */
	}
	return cube;
}

static double *global;

int main(void)
{
	double *local, *several[3], ***values;

	allocate(&local);         /* site: local */
	allocate(&global);        /* site: global */
	allocate_all(several, 3); /* site: several[] */
	values = cube();          /* site: values, values[], values[][] */
	TRUTH(local, BYTES, "local");
	TRUTH(global, BYTES, "global");
	for (int i = 0; i < 3; i++)
		TRUTH(several[i], BYTES, "several[]|several");
	TRUTH(values, BYTES, "values|cube");
	for (int i = 0; i < 4; i++) {
		TRUTH(values[i], BYTES / 4, "values[]|cube[]");
		for (int j = 0; j < 4; j++)
			TRUTH(values[i][j], BYTES / 4, "values[][]|cube[][]");
	}
	return 0;
}
