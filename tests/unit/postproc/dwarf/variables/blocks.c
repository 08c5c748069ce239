/* SPDX-License-Identifier: BSD-3-Clause */
/* Names that blocks are assigned to, for variables_test.c, which looks them up at `mark`. */
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
