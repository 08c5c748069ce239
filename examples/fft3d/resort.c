/* SPDX-License-Identifier: BSD-3-Clause */
#include "resort.h"

/*
 * The innermost loop of each routine is its own, so that samples are at its lines: element `i` of `count`, in steps of IN_STEP and OUT_STEP
 * elements. Prefetches stay inside the loop's elements, so that no line is fetched that is not used.
 */
#define FOR_EACH(i, count, to, out_step, from, in_step)                                                 \
	for (size_t i = 0; i < (count); i++) {                                                          \
		if (variant & VARIANT_PREFETCH && i + PREFETCH_AHEAD < (count)) {                       \
			__builtin_prefetch(&(from)[(i + PREFETCH_AHEAD) * (in_step)], 0, 3);            \
			if (!(variant & VARIANT_NT))                                                    \
				__builtin_prefetch(&(to)[(i + PREFETCH_AHEAD) * (out_step)], 1, 3);     \
		}                                                                                       \
		if (variant & VARIANT_NT)                                                               \
			__builtin_ia32_movntpd((double *)&(to)[i * (out_step)], (from)[i * (in_step)]); \
		else                                                                                    \
			(to)[i * (out_step)] = (from)[i * (in_step)];                                   \
	}

/*
 * Defines a routine by its loops, which are compiled once for each variant, so that the innermost loop has no conditions but those of the
 * variant. Non-temporal stores are ordered before what follows.
 */
#define ROUTINE(name)                                                                        \
	static inline __attribute__((always_inline)) void name##_loops(                      \
		const size_t *size, const element *restrict in, element *restrict out,       \
		unsigned int variant);                                                       \
	IN_SECTION(name)                                                                     \
	void name(const size_t *size, const element *in, element *out, unsigned int variant) \
	{                                                                                    \
		switch (variant & (VARIANT_NT | VARIANT_PREFETCH)) {                         \
		case 0:                                                                      \
			name##_loops(size, in, out, 0);                                      \
			break;                                                               \
		case VARIANT_PREFETCH:                                                       \
			name##_loops(size, in, out, VARIANT_PREFETCH);                       \
			break;                                                               \
		case VARIANT_NT:                                                             \
			name##_loops(size, in, out, VARIANT_NT);                             \
			__builtin_ia32_sfence();                                             \
			break;                                                               \
		default:                                                                     \
			name##_loops(size, in, out, VARIANT_NT | VARIANT_PREFETCH);          \
			__builtin_ia32_sfence();                                             \
		}                                                                            \
	}                                                                                    \
	static inline void name##_loops(const size_t *size, const element *restrict in,      \
					element *restrict out, unsigned int variant)

ROUTINE(s1cf_copy)
{
	const size_t planes = size[0], rows = size[1], cols = size[2];

	for (size_t plane = 0; plane < planes; plane++)
		for (size_t row = 0; row < rows; row++) {
			const element *from = &in[(plane * rows + row) * cols];
			element *to = &out[(plane * rows + row) * cols];

			FOR_EACH(col, cols, to, 1, from, 1)
		}
}

ROUTINE(s1cf_sort)
{
	const size_t planes = size[0], rows = size[1], cols = size[2];

	for (size_t col = 0; col < cols; col++)
		for (size_t plane = 0; plane < planes; plane++) {
			const element *from = &in[plane * rows * cols + col];
			element *to = &out[(col * planes + plane) * rows];

			FOR_EACH(row, rows, to, 1, from, cols)
		}
}

ROUTINE(s1cf)
{
	const size_t planes = size[0], rows = size[1], cols = size[2];

	for (size_t plane = 0; plane < planes; plane++)
		for (size_t row = 0; row < rows; row++) {
			const element *from = &in[(plane * rows + row) * cols];
			element *to = &out[plane * rows + row];

			FOR_EACH(col, cols, to, planes * rows, from, 1)
		}
}

ROUTINE(s1pf)
{
	const size_t planes = size[0], rows = size[1], cols = size[2];

	for (size_t plane = 0; plane < planes; plane++)
		for (size_t col = 0; col < cols; col++) {
			const element *from = &in[plane * rows * cols + col];
			element *to = &out[(col * planes + plane) * rows];

			FOR_EACH(row, rows, to, 1, from, cols)
		}
}

ROUTINE(s2cf)
{
	const size_t planes = size[0], xs = size[1], ys = size[2], rows = size[3];

	for (size_t plane = 0; plane < planes; plane++)
		for (size_t x = 0; x < xs; x++)
			for (size_t y = 0; y < ys; y++) {
				const element *from = &in[((y * planes + plane) * xs + x) * rows];
				element *to = &out[((plane * xs + x) * ys + y) * rows];

				FOR_EACH(row, rows, to, 1, from, 1)
			}
}

ROUTINE(s2pf)
{
	const size_t planes = size[0], xs = size[1], ys = size[2], rows = size[3];

	for (size_t y = 0; y < ys; y++)
		for (size_t plane = 0; plane < planes; plane++)
			for (size_t x = 0; x < xs; x++) {
				const element *from = &in[((y * planes + plane) * xs + x) * rows];
				element *to = &out[((plane * xs + x) * ys + y) * rows];

				FOR_EACH(row, rows, to, 1, from, 1)
			}
}
