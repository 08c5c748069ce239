// SPDX-License-Identifier: BSD-3-Clause
/*
 * Reads a matrix in both orders of its loops, several times: along rows, which uses each cache line to its end, and along columns, whose
 * elements are in different lines. A column has more lines than the L2. The matrix is on node 1, and CPU 0 of node 0 reads it.
 */
#define _GNU_SOURCE
#include <memphis.h>
#include <sched.h>
#include <stdio.h>

enum { ROWS = 16384, COLUMNS = 64, PASSES = 12 };

static volatile double matrix[ROWS][COLUMNS];

static void bind_to(unsigned int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		perror("walks: sched_setaffinity");
}

__attribute__((noinline)) static double along_rows(void)
{
	double sum = 0;

	for (int row = 0; row < ROWS; row++)
		for (int column = 0; column < COLUMNS; column++)
			sum += matrix[row][column]; /* LINE: rows */
	return sum;
}

__attribute__((noinline)) static double along_columns(void)
{
	double sum = 0;

	for (int column = 0; column < COLUMNS; column++)
		for (int row = 0; row < ROWS; row++)
			sum += matrix[row][column]; /* LINE: columns */
	return sum;
}

int main(void)
{
	double sum = 0;

	bind_to(2);
	for (int row = 0; row < ROWS; row++)
		for (int column = 0; column < COLUMNS; column++)
			matrix[row][column] = row - column;
	bind_to(0);
	memphis_begin("walks");
	for (int pass = 0; pass < PASSES; pass++)
		sum += along_rows() - along_columns();
	memphis_end("walks");
	printf("walks %s\n", sum == 0 ? "done" : "failed");
	return 0;
}
