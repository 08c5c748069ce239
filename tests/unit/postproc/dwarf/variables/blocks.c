/* SPDX-License-Identifier: BSD-3-Clause */
/* Pointers that blocks are assigned to; variables_test.c looks up their types at `mark`. */
#include <stdlib.h>

struct halo {
	float *low;
};

struct base {
	long *counts;
};

struct grid {
	double *tx;
	struct halo halo[2];
	struct {
		short *hidden;
	};
	struct base *base;
};

extern void here(void *, ...);
struct grid *outside;
void *nothing;
int **rows;

void allocate(struct grid *g, int n)
{
	double *rows_not = NULL;

	if (n) {
		char *x = malloc(n);
		struct grid all = {0};

		here(x, rows_not, &all, g);
		__asm__ volatile(".globl mark\nmark:");
		here(x, rows_not, &all, g);
	}
}
