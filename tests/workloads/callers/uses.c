// SPDX-License-Identifier: BSD-3-Clause
/*
 * Uses libraries on lines of its own for each array: memcpy() on an array of the own node and on one of the other node, and the
 * product of matrices of OpenBLAS, which has no debug information.
 */
#include "workload.h"

#include <memphis.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES = 1 << 20, ROUNDS = 12, ORDER = 256 };

/* The interface of Fortran, as BLAS defines it. */
void dgemm_(const char *transpose_a, const char *transpose_b, const int *m, const int *n, const int *k,
	    const double *alpha, const double *a, const int *lda, const double *b, const int *ldb,
	    const double *beta, double *c, const int *ldc);

static char *near_array, *far_array, *copy;
static double *left, *right, *product;

static void *allocate(size_t bytes)
{
	void *memory = aligned_alloc(4096, bytes);

	if (!memory)
		workload_fail("aligned_alloc");
	workload_touch(memory, bytes);
	return memory;
}

static __attribute__((noinline)) double step(void)
{
	const int n = ORDER;
	const double one = 1, none = 0;
	double sum;

	memcpy(copy, near_array, BYTES); /* LINE: near */
	sum = copy[BYTES / 2];
	memcpy(copy, far_array, BYTES); /* LINE: far */
	sum += copy[BYTES / 3];
	dgemm_("N", "N", &n, &n, &n, &one, left, &n, right, &n, &none, product, &n); /* LINE: product */
	return sum + product[ORDER];
}

int main(void)
{
	double sum = 0;

	workload_cpu(0);
	far_array = allocate(BYTES);
	left = allocate(sizeof(double) * ORDER * ORDER);
	right = allocate(sizeof(double) * ORDER * ORDER);
	workload_variable("far", far_array, BYTES);
	workload_variable("product", left, sizeof(double) * ORDER * ORDER);
	workload_variable("product", right, sizeof(double) * ORDER * ORDER);
	workload_cpu(2);
	near_array = allocate(BYTES);
	copy = allocate(BYTES);
	product = allocate(sizeof(double) * ORDER * ORDER);
	workload_variable("near", near_array, BYTES);
	workload_objects();
	memphis_begin("Uses");
	for (int round = 0; round < ROUNDS; round++)
		sum += step(); /* LINE: call */
	memphis_end("Uses");
	printf("sum %g\n", sum);
	return 0;
}
