// SPDX-License-Identifier: BSD-3-Clause
/* Matrices whose rows and columns begin at 1, with one block for all values. */
#include "corpus.h"

static double **matrix(long rows, long columns)
{
	double **m = malloc((size_t)(rows + 2) * sizeof(*m)); /* site: a, b */

	m += 1;
	m[1] = malloc((size_t)(rows * columns + 1) * sizeof(double)); /* site: a[], b[] */
	m[1] += 1;
	m[1] -= 1;
	for (long i = 2; i <= rows; i++)
		m[i] = m[i - 1] + columns;
	return m;
}

int main(void)
{
	double **a = matrix(128, COUNT / 128); /* site: a, a[] */
	double **b = matrix(128, COUNT / 128); /* site: b, b[] */

	TRUTH(a[1] + 1, BYTES - 64, "a[]|a[1]|a");
	TRUTH(b[1] + 1, BYTES - 64, "b[]|b[1]|b");
	return 0;
}
