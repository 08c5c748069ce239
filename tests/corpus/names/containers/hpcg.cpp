// SPDX-License-Identifier: BSD-3-Clause
// A sparse matrix whose rows are small blocks of their own, as HPCG makes them.
#include "corpus.h"

struct Matrix {
	int rows;
	double **values, **diagonal;
	int **columns;
};

__attribute__((noinline)) static void generate(Matrix &matrix, int rows)
{
	double **values = new double *[rows];   // site: values
	int **columns = new int *[rows];        // site: columns
	double **diagonal = new double *[rows]; // site: diagonal

	for (int i = 0; i < rows; i++)
		values[i] = new double[27]; // site: values[]
	for (int i = 0; i < rows; i++) {
		columns[i] = new int[27]; // site: columns[]
		diagonal[i] = values[i];
	}
	matrix.rows = rows;
	matrix.values = values;
	matrix.columns = columns;
	matrix.diagonal = diagonal;
}

int main()
{
	Matrix matrix;

	generate(matrix, 4096);
	TRUTH(matrix.values, 4096 * sizeof(double *), "values|matrix.values");
	TRUTH(matrix.columns, 4096 * sizeof(int *), "columns|matrix.columns");
	TRUTH(matrix.diagonal, 4096 * sizeof(double *), "diagonal|matrix.diagonal");
	for (int i = 0; i < matrix.rows; i++)
		TRUTH(matrix.values[i], 27 * sizeof(double), "values[]|values[i]|matrix.values[]");
	for (int i = 0; i < matrix.rows; i++)
		TRUTH(matrix.columns[i], 27 * sizeof(int), "columns[]|columns[i]|matrix.columns[]");
}
