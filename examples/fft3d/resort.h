/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Re-sorting routines of a pencil-decomposed 3-D FFT. They copy the elements of one array to another one in a different order, so that the
 * blocks that a rank sends are contiguous (S1, before the exchange), and then the lines of the next dimension are (S2, after it):
 *
 *   s1cf_copy   tmp[plane][row][col] := in[plane][row][col]
 *   s1cf_sort   out[col][plane][row] := tmp[plane][row][col], column by column: reads with a stride
 *   s1cf        both in one loop nest, plane by plane: writes with a stride
 *   s1pf        the same order of elements as s1cf, for the second exchange; plane by plane, and column by column in a plane
 *   s2cf        out[plane][x][y][row] := in[y][plane][x][row], in the order of out
 *   s2pf        the same order of elements, for the second exchange; in the order of in
 */
#ifndef RESORT_H
#define RESORT_H

#include "cases.h"

/* A complex number of double precision: 16 bytes, which one instruction loads or stores. */
typedef double element __attribute__((vector_size(16)));

#define ELEMENT_WORDS (sizeof(element) / WORD)

/* Sizes for s1*: planes, rows, columns. For s2*: planes, x, y, rows. `in` and `out` must not overlap. `variant`: see enum variant. */
typedef void resort(const size_t *size, const element *in, element *out, unsigned int variant);

resort s1cf_copy, s1cf_sort, s1cf, s1pf, s2cf, s2pf;

SECTION_LIMITS(s1cf_copy);
SECTION_LIMITS(s1cf_sort);
SECTION_LIMITS(s1cf);
SECTION_LIMITS(s1pf);
SECTION_LIMITS(s2cf);
SECTION_LIMITS(s2pf);

/* Iterations by which a prefetch precedes the load or store; whole lines of contiguous elements. */
#define PREFETCH_AHEAD 16

#endif
