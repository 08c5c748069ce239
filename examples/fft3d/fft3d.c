/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Re-sorting routines of a 3-D FFT (resort.h), one by one with memory traffic that is known in closed form, and a transform around them.
 *
 * usage: fft3d [-c CACHE_KIB] [-r READ_MIB] [-x] CASE...
 *   s1cf_copy:PxRxC s1cf_sort:PxRxC s1cf:PxRxC s1pf:PxRxC     P planes, R rows, C columns; R and C are multiples of 4
 *   s2cf:PxXxYxR s2pf:PxXxYxR                                 P planes, X columns for each of Y ranks, R rows, a multiple of 4
 *   transform:NxRxC      N x N x N elements on R x C ranks; N / R and N / C are multiples of 4
 *   +nt                  with non-temporal stores
 *   +prefetch            with software prefetch of both arrays, or, with +nt, of `in`
 *   +separate            transform: S1CF in two loop nests
 * Options and output are those of ../traffic/traffic.c, for elements of 16 bytes; -r and -x are not for transforms.
 *
 * Let S be the bytes of `in`: 16 P R C, or 16 P X Y R. On x86, a store fetches its line before it changes a part of it, so `out` is read, too, except with
 * non-temporal stores, which bypass the caches:
 *
 *                       reads         reads, +nt   writes       writes, +nt    condition
 *   s1cf_copy, s2*      S + S         S            S            S              none
 *   s1cf_sort           S + S         S            S            S              the cache holds what a column uses: 80 P R bytes
 *                       4 S + S       4 S          S            S              it holds little of it
 *   s1pf                as s1cf_sort, for the column of a plane: 80 R bytes
 *   s1cf                S + S         S            S                           the cache holds what a row uses: 80 C bytes
 *                       S + 4 S       S            4 S                         it holds little of it
 *                                                               S              C write-combining buffers (8 to 12)
 *                                                               4 S            fewer: each element is a write of its own
 *
 * "4" is the number of elements of a line, of which one is used each time. The elements in a column (s1cf: of `out` in a row) are a stride
 * apart. If the lines of this stride are divisible by a power of two G, only each G-th set of the cache can hold them, so that they need as
 * much cache as G lines do: (64 G + 16) P R bytes, instead of 80 P R. Between an eighth of the cache and twice the cache neither form holds.
 *
 * Prefetches move reads from loads and stores to the hints, but for the first PREFETCH_AHEAD elements of each innermost loop, and change
 * neither their number nor that of writes.
 * Exit status: 0, 1 (out of memory, or the result of the transform is wrong), 2 (usage), 77 (transform: built without FFTW).
 */
#include "fft3d.h"

#include "resort.h"

#define LINE_ELEMENTS  (LINE_BYTES / sizeof(element))
#define PAGE_LINES     64 /* which sets the lines of further pages are in depends on their physical addresses */
#define COMBINED_LINES 8 /* write-combining buffers of a CPU, at least */

static const element *source(double *const *arrays)
{
	return (const element *)arrays[0];
}

static element *target(double *const *arrays)
{
	return (element *)arrays[1];
}

#define RUN(name)                                                                      \
	static void run_##name(const struct problem *problem, double *const *arrays)   \
	{                                                                              \
		name(problem->size, source(arrays), target(arrays), problem->variant); \
	}

RUN(s1cf_copy)
RUN(s1cf_sort)
RUN(s1cf)
RUN(s1pf)
RUN(s2cf)
RUN(s2pf)

static size_t elements(const struct problem *problem)
{
	size_t product = 1, i;

	for (i = 0; i < problem->kernel->sizes; i++)
		product *= problem->size[i];
	return product;
}

static void words(const struct problem *problem, size_t *words)
{
	words[0] = words[1] = elements(problem) * ELEMENT_WORDS;
}

/* The bytes that `count` elements use which are `stride` elements apart in one array, and neighbours in the other one. */
static size_t used(size_t count, size_t stride)
{
	const size_t lines = stride / LINE_ELEMENTS | PAGE_LINES;

	return count * (LINE_BYTES * (lines & -lines) + sizeof(element));
}

static size_t s1cf_sort_used(const struct problem *problem)
{
	return used(problem->size[0] * problem->size[1], problem->size[2]);
}

static size_t s1pf_used(const struct problem *problem)
{
	return used(problem->size[1], problem->size[2]);
}

static size_t s1cf_used(const struct problem *problem)
{
	/* Non-temporal stores use no cache. */
	return problem->variant & VARIANT_NT ? 0
					     : used(problem->size[2], problem->size[0] * problem->size[1]);
}

/* `in` and `out`: how often each line is read, and fetched or written. `inner`: the iterations of the innermost loop. */
static struct traffic traffic(const struct problem *problem, size_t in, size_t out, size_t inner)
{
	const size_t bytes = elements(problem) * sizeof(element);
	const size_t fetched = problem->variant & VARIANT_NT ? 0 : out * bytes;
	const size_t ahead = inner < PREFETCH_AHEAD ? inner : PREFETCH_AHEAD;
	const size_t loads = problem->variant & VARIANT_PREFETCH ? in * bytes / inner * ahead : in * bytes;

	return (struct traffic){loads, in * bytes + fetched, out * bytes};
}

static struct traffic copy_traffic(const struct problem *problem, int fits)
{
	(void)fits;
	return traffic(problem, 1, 1, problem->size[problem->kernel->sizes - 1]);
}

static struct traffic strided_reads(const struct problem *problem, int fits)
{
	return traffic(problem, fits ? 1 : LINE_ELEMENTS, 1, problem->size[1]);
}

static struct traffic strided_writes(const struct problem *problem, int fits)
{
	if (problem->variant & VARIANT_NT)
		fits = problem->size[2] <= COMBINED_LINES;
	return traffic(problem, 1, fits ? 1 : LINE_ELEMENTS, problem->size[2]);
}

#define VARIANTS (VARIANT_NT | VARIANT_PREFETCH)
#define ROUTINE(name_) \
	.name = #name_, CODE_OF(name_), .variants = VARIANTS, .run = run_##name_, .words = words
#define S1 .sizes = 3, .unit = {1, LINE_ELEMENTS, LINE_ELEMENTS}
#define S2 .sizes = 4, .unit = {1, 1, 1, LINE_ELEMENTS}, .arrays = {"in", "out"}, .traffic = copy_traffic

const struct kernel fft3d_kernels[KERNELS + 1] = {
	[S1CF_COPY] = {ROUTINE(s1cf_copy), S1, .arrays = {"in", "tmp"}, .traffic = copy_traffic},
	[S1CF_SORT] = {ROUTINE(s1cf_sort), S1, .arrays = {"tmp", "out"}, .used_bytes = s1cf_sort_used,
		       .traffic = strided_reads},
	[S1CF] = {ROUTINE(s1cf), S1, .arrays = {"in", "out"}, .used_bytes = s1cf_used,
		  .traffic = strided_writes},
	[S1PF] = {ROUTINE(s1pf), S1, .arrays = {"in", "out"}, .used_bytes = s1pf_used,
		  .traffic = strided_reads},
	[S2CF] = {ROUTINE(s2cf), S2},
	[S2PF] = {ROUTINE(s2pf), S2},
	[TRANSFORM] = {.name = "transform",
		       .sizes = 3,
		       .unit = {4, 1, 1},
		       .variants = VARIANTS | VARIANT_SEPARATE,
		       .whole = transform},
	{.name = NULL},
};

int main(int argc, char **argv)
{
	return cases_main(argc, argv, fft3d_kernels);
}
