/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernels of fft3d by number, and the transform, which uses them. */
#ifndef FFT3D_H
#define FFT3D_H

#include "cases.h"

enum { S1CF_COPY, S1CF_SORT, S1CF, S1PF, S2CF, S2PF, TRANSFORM, KERNELS };

extern const struct kernel fft3d_kernels[KERNELS + 1];

/*
 * Transforms an array of N x N x N elements on a grid of R x C ranks (sizes: N, R, C), checks the result, and prints a case for each
 * re-sorting routine. Returns an exit status.
 */
int transform(const struct problem *problem, size_t cache);

#endif
