// SPDX-License-Identifier: BSD-3-Clause
/* Allocates as C programs do. The tests report/*.bats depend on the line numbers. */
#include <stdlib.h>

struct grid {
	long n;
	double *tx;
	struct {
		double *low, *high;
	} halo;
};

double table[1000] = {1.0};
static double scratch[500];
const double weights[4] = {1, 2, 3, 4};
double *field;
struct grid grid;
double *rows[8];

static void *xmalloc(size_t bytes)
{
	void *p = malloc(bytes);

	if (!p)
		abort();
	return p;
}

static void *simple(size_t bytes)
{
	return malloc(bytes);
}

static int fill(double **out, size_t n)
{
	*out = malloc(n * sizeof(**out));
	return *out != NULL;
}

static double sum(const double *x, int n)
{
	static long calls;
	double s = 0;
	int i;

	calls++;
	for (i = 0; i < n; i++)
		s += x[i];
	return s + (double)calls;
}

int main(void)
{
	double *x = malloc(8000);
	double *y = xmalloc(8000);
	double *z = (double *)simple(8000), *w;
	struct grid *g = xmalloc(sizeof(*g));
	int i;

	fill(&w, 1000);
	g->tx = calloc(1000, // elements
		       sizeof(double));
	field = xmalloc(8000);
	grid.tx = malloc(8000);
	grid.halo.low = malloc(8000);
	for (i = 0; i < 8; i++)
		rows[i] = malloc(8000);
	sum(malloc(80), 0);
	return (int)(sum(x, 10) + sum(y, 10) + sum(z, 10) + sum(w, 10) + sum(g->tx, 10) + sum(table, 10) +
		     sum(scratch, 10) + sum(rows[3], 10) + sum(weights, 4));
}
