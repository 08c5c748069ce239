/* SPDX-License-Identifier: BSD-3-Clause */
/* A BLAS of this machine, loaded while the tool runs, as the tool is not linked with any. */
#ifndef MEMPHIS_BLAS_H
#define MEMPHIS_BLAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* DGEMM by Fortran's convention: C = alpha op(A) op(B) + beta C, by columns. Integers of 64 bits that are small also fit libraries with 32 bits. */
typedef void memphis_dgemm(const char *op_a, const char *op_b, const int64_t *m, const int64_t *n,
			   const int64_t *k, const double *alpha, const double *a, const int64_t *lda,
			   const double *b, const int64_t *ldb, const double *beta, double *c,
			   const int64_t *ldc, size_t op_a_bytes, size_t op_b_bytes);

struct memphis_blas {
	memphis_dgemm *dgemm;
	char name[256]; /* and version */
	char path[1024];
	bool is_slow;      /* not a library that is known as optimised */
	char lacking[512]; /* reason why there is none */
};

/*
 * Loads the library that MEMPHIS_BLAS names, or else the first one that is found, and limits it to one thread for each call. Returns false if there is
 * none. The library stays loaded, since libraries with threads of their own can't be unloaded safely.
 */
bool memphis_blas_load(struct memphis_blas *blas);

#endif
