// SPDX-License-Identifier: BSD-3-Clause
/*
 * The code and the variables of the streams of models.py: each access there is made by a line with a mark here. The program is never run: the samples
 * are at its addresses.
 */
#include <stdlib.h>

enum { ELEMENTS = 1 << 17, ROWS = 512, FIELDS = 30 };

struct domain {
	double *x, *y, *z, *xd, *yd, *zd, *xdd, *ydd, *zdd, *fx, *fy, *fz, *mass, *dxi, *eta, *zeta, *energy,
		*p, *q, *ql, *qq, *v, *vol, *delv, *vdov, *area, *ss, *elem, *vnew, *zeta_p;
};

double field[ELEMENTS], table[ELEMENTS], other[ELEMENTS], buffer[ELEMENTS];
long order[ELEMENTS];
struct counter {
	long hits, misses;
} counters[64];
double *rows[ROWS], *part[64];
struct domain *domain;

void init(double *a, long from, long to)
{
	for (long i = from; i < to; i++)
		a[i] = 1; /* LINE: init */
}

double sweep(double *a, long from, long to)
{
	double sum = 0;

	for (long i = from; i < to; i++)
		sum += a[i]; /* LINE: sweep */
	for (long i = from; i < to; i++)
		a[i] = sum; /* LINE: update */
	return sum;
}

double look_up(const double *a, unsigned long seed, long count)
{
	double sum = 0;

	for (; count; count--, seed = seed * 6364136223846793005 + 1442695040888963407)
		sum += a[seed >> 47]; /* LINE: look_up */
	return sum;
}

double gather(const double *a, const long *index, long from, long to)
{
	double sum = 0;

	for (long i = from; i < to; i++)
		sum += a[index[i]]; /* LINE: gather */
	return sum;
}

double pack(const double *a, double *to)
{
	double sum = 0;

	for (long i = 0; i < ELEMENTS; i++)
		sum += a[i]; /* LINE: pack */
	*to = sum;
	return sum;
}

double walk_columns(const double *a, long from, long to)
{
	double sum = 0;

	for (long column = from; column < to; column++)
		for (long row = 0; row < ELEMENTS / 1024; row++)
			sum += a[row * 1024 + column]; /* LINE: walk_columns */
	return sum;
}

void count(int me, long n)
{
	for (; n; n--)
		counters[me].hits++; /* LINE: count */
}

void add_all(long n)
{
	for (; n; n--)
		counters[0].misses++; /* LINE: add_all */
}

double multiply(long from, long to)
{
	double sum = 0;

	for (long i = from; i < to; i++)
		for (long k = 0; k < 27; k++)
			sum += rows[i][k]; /* LINE: multiply */
	return sum;
}

double read_parts(int threads)
{
	double sum = 0;

	for (int t = 0; t < threads; t++)
		for (long i = 0; i < ELEMENTS / threads; i++)
			sum += part[t][i]; /* LINE: read_parts */
	return sum;
}

double step(struct domain *d, long from, long to)
{
	double sum = 0;

	for (int f = 0; f < FIELDS; f++)
		for (long i = from; i < to; i++)
			sum += (&d->x)[f][i]; /* LINE: step */
	return sum;
}

void make_rows(void)
{
	for (long i = 0; i < ROWS; i++)
		rows[i] = malloc(27 * sizeof(double)); /* LINE: make_rows */
}

void make_part(int me, int threads)
{
	part[me] = malloc(ELEMENTS / threads * sizeof(double)); /* LINE: make_part */
}

void make_domain(void)
{
	domain = malloc(sizeof(*domain));
	domain->x = malloc(ELEMENTS * sizeof(double));      /* LINE: x */
	domain->y = malloc(ELEMENTS * sizeof(double));      /* LINE: y */
	domain->z = malloc(ELEMENTS * sizeof(double));      /* LINE: z */
	domain->mass = malloc(ELEMENTS * sizeof(double));   /* LINE: mass */
	domain->energy = malloc(ELEMENTS * sizeof(double)); /* LINE: energy */
	domain->p = malloc(ELEMENTS * sizeof(double));      /* LINE: p */
	domain->q = malloc(ELEMENTS * sizeof(double));      /* LINE: q */
	domain->v = malloc(ELEMENTS * sizeof(double));      /* LINE: v */
	domain->ss = malloc(ELEMENTS * sizeof(double));     /* LINE: ss */
	domain->area = malloc(ELEMENTS * sizeof(double));   /* LINE: area */
}

int main(void)
{
	long n = ELEMENTS;

	make_rows();
	make_domain();
	make_part(0, 4);
	init(field, 0, n);
	return sweep(field, 0, n) + look_up(table, 1, n) + gather(field, order, 0, n) + pack(field, buffer) +
		       walk_columns(other, 0, 8) + multiply(0, ROWS) + read_parts(4) + step(domain, 0, n) +
		       (count(0, n), 0) + (add_all(n), 0) >
	       0;
}
