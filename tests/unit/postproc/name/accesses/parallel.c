/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bodies of parallel regions inside a block: the compiler puts their functions into the block, and they reach the variables of the
 * function around them through an unnamed parameter. See records.c.
 */
typedef struct {
	double length, height;
} Cell;

void parallel(Cell *cells, double *sums, long count, int steps);

void parallel(Cell *cells, double *sums, long count, int steps)
{
	for (int step = 0; step < steps; step++) {
		double factor = 1.0 / (step + 1);

#pragma omp parallel for
		for (long i = 0; i < count; i++)
			cells[i].length += cells[i].height; // Cell.length; Cell.height
#pragma omp parallel for
		for (long i = 0; i < count; i++)
			sums[i] = cells[i].length * factor; // double; Cell.length
	}
}
