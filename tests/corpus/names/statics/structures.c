// SPDX-License-Identifier: BSD-3-Clause
/* A structure of arrays, an array of structures, a union and a matrix. */
#include "corpus.h"

static struct ocean {
	double salt[COUNT], heat[COUNT];
} ocean;

static struct cell {
	double density, speed[3];
} cells[COUNT / 4];

static union {
	double real[COUNT];
	float single[2 * COUNT];
} scratch;

static double matrix[128][128];

int main(void)
{
	TRUTH(&ocean, sizeof(ocean), "ocean");
	TRUTH(cells, sizeof(cells), "cells");
	TRUTH(&scratch, sizeof(scratch), "scratch");
	TRUTH(matrix, sizeof(matrix), "matrix");
	return 0;
}
