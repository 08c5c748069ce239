// SPDX-License-Identifier: BSD-3-Clause
/* Matrices by pointers to rows: rows of their own, and rows in one block. */
#include "corpus.h"

enum { ROWS = 16, ROW = BYTES / ROWS };

int main(void)
{
	double **rows = malloc(COUNT * sizeof(*rows));   /* site: rows */
	double **dense = malloc(COUNT * sizeof(*dense)); /* site: dense */

	for (int i = 0; i < ROWS; i++)
		rows[i] = malloc(ROW); /* site: rows[] */
	dense[0] = malloc(BYTES);      /* site: dense[0] */
	for (int i = 1; i < ROWS; i++)
		dense[i] = dense[0] + i * (COUNT / ROWS);
	TRUTH(rows, BYTES, "rows");
	TRUTH(dense, BYTES, "dense");
	for (int i = 0; i < ROWS; i++)
		TRUTH(rows[i], ROW, "rows[]|rows[i]");
	TRUTH(dense[0], BYTES, "dense[0]|dense[]");
	return 0;
}
