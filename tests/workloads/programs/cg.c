// SPDX-License-Identifier: BSD-3-Clause
/*
 * Conjugate gradients as in the NAS benchmark CG: a sparse matrix in static arrays, vectors on the heap, an
 * OpenMP team. One thread initialises all data. The program prints the residual, which shows that the
 * arithmetic is right.
 */
#include "workload.h"

#include <math.h>
#include <memphis.h>
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 40000, PAIRS = 10, PER_ROW = 2 * PAIRS + 1, ITERATIONS = 15 };

static double a[ROWS * PER_ROW];
static int colidx[ROWS * PER_ROW];
static int rowstr[ROWS + 1];
static double *x, *z, *p, *q, *r;

/*
 * The matrix is symmetric and diagonally dominant: each entry has a mirror entry at the same distance from
 * the diagonal.
 */
static void make_matrix(void)
{
	int distance[PAIRS], k = 0;
	uint64_t random = 314159265;

	for (int pair = 0; pair < PAIRS; pair++) {
		random = random * 6364136223846793005ULL + 1442695040888963407ULL;
		distance[pair] = 1 + (int)((random >> 33) % (ROWS - 1));
	}
	for (int row = 0; row < ROWS; row++) {
		rowstr[row] = k;
		a[k] = 2.0 * PER_ROW;
		colidx[k++] = row;
		for (int pair = 0; pair < PAIRS; pair++) {
			a[k] = -1.0;
			colidx[k++] = (row + distance[pair]) % ROWS;
			a[k] = -1.0;
			colidx[k++] = (row + ROWS - distance[pair]) % ROWS;
		}
	}
	rowstr[ROWS] = k;
}

/* Elements differ, because a vector of equal elements is an eigenvector of this matrix. */
static double *vector(double value)
{
	double *v = malloc(ROWS * sizeof(*v));

	if (!v)
		workload_fail("malloc");
	for (int i = 0; i < ROWS; i++)
		v[i] = value * (1 + i % 7);
	return v;
}

/* Computes q = A p and returns the dot product of p and q. */
static double multiply(void)
{
	double product = 0;

#pragma omp parallel for reduction(+ : product)
	for (int row = 0; row < ROWS; row++) {
		double sum = 0;

		for (int k = rowstr[row]; k < rowstr[row + 1]; k++)
			sum += a[k] * p[colidx[k]]; /* LINE: product */
		q[row] = sum;
		product += p[row] * sum; /* LINE: dot */
	}
	return product;
}

static double iterate(double rho)
{
	double alpha = rho / multiply(), next = 0, beta;

#pragma omp parallel for reduction(+ : next)
	for (int i = 0; i < ROWS; i++) {
		z[i] += alpha * p[i]; /* LINE: step */
		r[i] -= alpha * q[i];
		next += r[i] * r[i];
	}
	beta = next / rho;
#pragma omp parallel for
	for (int i = 0; i < ROWS; i++)
		p[i] = r[i] + beta * p[i]; /* LINE: direction */
	return next;
}

int main(void)
{
	double rho = 0;

	workload_cpu(0);
	make_matrix();
	x = vector(1);
	z = vector(0);
	r = vector(1);
	p = vector(1);
	q = vector(0);
	workload_variable("a", a, sizeof(a));
	workload_variable("colidx", colidx, sizeof(colidx));
	workload_variable("p", p, ROWS * sizeof(*p));
	workload_objects();
#pragma omp parallel num_threads(4)
	workload_cpu(omp_get_thread_num());
	for (int i = 0; i < ROWS; i++)
		rho += x[i] * x[i];
	memphis_begin("Solve");
	for (int i = 0; i < ITERATIONS; i++)
		rho = iterate(rho);
	memphis_end("Solve");
	printf("residual %s\n", sqrt(rho) < 1e-3 ? "small" : "large");
	return 0;
}
