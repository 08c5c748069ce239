// SPDX-License-Identifier: BSD-3-Clause
/* A function that makes a matrix: pointers to rows, and one block for all rows. */
#include "corpus.h"

#define SEPARATE __attribute__((noinline))

enum { ROWS = 16 };

SEPARATE static double **make(size_t rows, size_t columns)
{
	double **matrix = malloc(COUNT * sizeof(*matrix));

	matrix[0] = malloc(rows * columns * sizeof(**matrix));
	for (size_t i = 1; i < rows; i++)
		matrix[i] = matrix[0] + i * columns;
	return matrix;
}

int main(void)
{
	double **mass = make(ROWS, COUNT / ROWS);      /* site: mass, mass[] */
	double **stiffness = make(ROWS, COUNT / ROWS); /* site: stiffness, stiffness[] */

	TRUTH(mass, BYTES, "mass");
	TRUTH(mass[0], BYTES, "mass[]|mass[0]");
	TRUTH(stiffness, BYTES, "stiffness");
	TRUTH(stiffness[0], BYTES, "stiffness[]|stiffness[0]");
	return 0;
}
