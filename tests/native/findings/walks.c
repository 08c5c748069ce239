// SPDX-License-Identifier: BSD-3-Clause
/*
 * Reads a matrix in both orders of its loops: along rows, which uses each cache line to its end, and along columns, whose elements are in
 * different lines. The matrix is on node 1, and CPU 0 of node 0 reads it.
 *
 * expect: --select remote-dram,dram,hitm,all
 * finding: [bss]:matrix lies on other nodes than those that use it: RANGE are on node 1 and used by node 0,
 * as far as loads show, 100 % in region walks; [bss]:matrix is read in small parts at {columns}
 * (along_columns): 8 of the 64 bytes of each cache line that it fetches
 * try: bind the process and its memory to one node before it allocates (numactl --cpunodebind=N
 * --membind=N, srun --cpu-bind --mem-bind=local, mpirun --bind-to numa), so that it first touches its
 * memory on the node where it stays (its initialisation is not known, because stores are not sampled); if
 * it is bound already, check whether the pages were touched before that, or whether its node was full; and
 * interchange the loops at {columns} (along_columns), so that the innermost index runs over neighbouring
 * elements; or pack the data once, or change the layout, so that data used together share cache lines
 */
#include "native.h"

#include <memphis.h>

enum { ROWS = 1024, COLUMNS = 64, PASSES = 4 };

static volatile double matrix[ROWS][COLUMNS];

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

	native_cpu(2);
	for (int row = 0; row < ROWS; row++)
		for (int column = 0; column < COLUMNS; column++)
			matrix[row][column] = row - column;
	native_watch((const void *)matrix, sizeof(matrix), "matrix");
	native_cpu(0);
	memphis_begin("walks");
	for (int pass = 0; pass < PASSES; pass++) {
		sum += along_rows();
		native_round();
		sum -= along_columns();
		native_round();
	}
	memphis_end("walks");
	return sum != 0;
}
