/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Matrix products with memory traffic that is known in closed form, for comparison with estimates from samples and with counters.
 *
 * usage: traffic [-c CACHE_KIB] [-r READ_MIB] [-x] CASE...
 *   gemv:MxN    y := A x + y, A of M rows and N columns
 *   capped:MxN  y := A x; of the M rows of A only the first P = min(M, N) exist, and row i is row i mod P
 *   gemm:N      C := A B + C, all of N x N
 *   -c          one thread's share of the last-level cache (default: size of the L3 cache according to the C library)
 *   -r          approximate amount that each thread reads from memory for each case (default 64)
 *   -x          each thread works in memory that the next thread has touched first
 *
 * With 8-byte words and an LRU cache that fetches a line before a store changes a part of it:
 *   gemv    reads A, x and y once, M N + N + M words, as long as x stays in the cache while a row of A is read: 16 N bytes are used
 *           between two uses of a word of x. Otherwise x is read for each row, and so is the line of y, of which a row changes one word
 *           of 8: 2 M N + 8 M words. Writes M words, otherwise 8 M. All reads are by loads.
 *   capped  reads P N + N + M words, as long as all of A stays in the cache: 8 P N + 8 N + 8 P bytes are used between two uses of a word
 *           of A. Otherwise A is read again by each P rows: M N + N + M words, if x stays (16 N is at most an eighth of the cache). Writes
 *           M words: as many as wanted with a small A. The M words of y are read by stores, which samples of loads do not contain. For
 *           M <= N nothing is capped, and the conditions are those of gemv.
 *   gemm    (loops i, k, j) reads A, B and C once, 3 N N words, as long as B stays in the cache with a row of A and of C, 8 N N + 16 N
 *           bytes. Otherwise B is read for each row: N N N + 2 N N words. Writes N N words. All reads are by loads.
 * Between an eighth of the cache and twice the cache neither formula is valid: the number of lines that stay in the cache depends on
 * their physical addresses, and on other users of the cache.
 *
 * Prints a line of names, then a line for each case, separated by tabs: case, threads, cache_bytes, used_bytes (see above), zone (fits,
 * band, beyond; any: the closed form holds for any cache), array_bytes (of all arrays, times the number of passes), expected_loads,
 * expected_reads and expected_writes of all threads (bytes in whole lines: read by loads, read at all, written; in the band as if the data
 * fitted), arrays (their names), code (LOW-HIGH: addresses of the kernel), homes (NODE:BYTES,... of all arrays by the node of their memory).
 * Exit status: 0, 1 (out of memory), 2 (usage).
 */
#include "cases.h"

#define LINE_WORDS (LINE_BYTES / WORD)

SECTION_LIMITS(gemv);
SECTION_LIMITS(capped);
SECTION_LIMITS(gemm);

/* Two words, which one instruction loads and adds. */
typedef double pair __attribute__((vector_size(16), may_alias));

/* All in registers: a sum on the stack would be written to memory, too, whenever the cache needs its line. */
static inline __attribute__((always_inline)) double dot(const double *row, const double *x, size_t n)
{
	pair sum = {0, 0};
	size_t j;

	for (j = 0; j < n; j += 2)
		sum += *(const pair *)&row[j] * *(const pair *)&x[j];
	return sum[0] + sum[1];
}

static IN_SECTION(gemv) void gemv(const struct problem *problem, double *const *arrays)
{
	const double *restrict matrix = arrays[0], *restrict x = arrays[1];
	double *restrict y = arrays[2];
	const size_t rows = problem->size[0], n = problem->size[1];
	size_t i;

	for (i = 0; i < rows; i++)
		y[i] += dot(&matrix[i * n], x, n);
}

static void gemv_words(const struct problem *problem, size_t *words)
{
	words[0] = problem->size[0] * problem->size[1];
	words[1] = problem->size[1];
	words[2] = problem->size[0];
}

static size_t gemv_used_bytes(const struct problem *problem)
{
	return 2 * WORD * problem->size[1];
}

static struct traffic gemv_traffic(const struct problem *problem, int fits)
{
	const size_t rows = problem->size[0], columns = problem->size[1];
	const size_t y = rows * (fits ? WORD : LINE_BYTES);
	const size_t reads = (rows * columns + (fits ? 1 : rows) * columns) * WORD + y;

	return (struct traffic){reads, reads, y};
}

static size_t capped_rows(const struct problem *problem)
{
	return problem->size[0] < problem->size[1] ? problem->size[0] : problem->size[1];
}

static IN_SECTION(capped) void capped(const struct problem *problem, double *const *arrays)
{
	const double *restrict matrix = arrays[0], *restrict x = arrays[1];
	double *restrict y = arrays[2];
	const size_t rows = problem->size[0], n = problem->size[1], capped = rows < n ? rows : n;
	size_t i;

	for (i = 0; i < rows; i++)
		y[i] = dot(&matrix[i % capped * n], x, n);
}

static void capped_words(const struct problem *problem, size_t *words)
{
	words[0] = capped_rows(problem) * problem->size[1];
	words[1] = problem->size[1];
	words[2] = problem->size[0];
}

/* Of A if it is used again, else of x. */
static size_t capped_used_bytes(const struct problem *problem)
{
	const size_t rows = capped_rows(problem), columns = problem->size[1];

	return problem->size[0] > rows ? (rows * columns + columns + rows) * WORD : gemv_used_bytes(problem);
}

static struct traffic capped_traffic(const struct problem *problem, int fits)
{
	const size_t rows = problem->size[0], columns = problem->size[1], capped = capped_rows(problem);
	const size_t matrix = (fits ? capped : rows) * columns;
	const int stays = fits || rows > capped; /* x, and the line of y */
	const size_t loads = (matrix + (stays ? 1 : rows) * columns) * WORD;
	const size_t y = rows * (stays ? WORD : LINE_BYTES);

	return (struct traffic){loads, loads + y, y};
}

static IN_SECTION(gemm) void gemm(const struct problem *problem, double *const *arrays)
{
	const double *restrict a = arrays[0], *restrict b = arrays[1];
	double *restrict c = arrays[2];
	size_t i, j, k, n = problem->size[0];

	for (i = 0; i < n; i++)
		for (k = 0; k < n; k++) {
			double factor = a[i * n + k];

#pragma omp simd
			for (j = 0; j < n; j++)
				c[i * n + j] += factor * b[k * n + j];
		}
}

static void gemm_words(const struct problem *problem, size_t *words)
{
	words[0] = words[1] = words[2] = problem->size[0] * problem->size[0];
}

static size_t gemm_used_bytes(const struct problem *problem)
{
	return WORD * problem->size[0] * (problem->size[0] + 2);
}

static struct traffic gemm_traffic(const struct problem *problem, int fits)
{
	const size_t n = problem->size[0], reads = n * n * (fits ? 3 : n + 2) * WORD;

	return (struct traffic){reads, reads, n * n * WORD};
}

#define PRODUCT(name_)                                                                  \
	.name = #name_, CODE_OF(name_), .unit = {LINE_WORDS, LINE_WORDS}, .run = name_, \
	.words = name_##_words, .used_bytes = name_##_used_bytes, .traffic = name_##_traffic

static const struct kernel kernels[] = {
	{PRODUCT(gemv), .sizes = 2, .arrays = {"A", "x", "y"}},
	{PRODUCT(capped), .sizes = 2, .arrays = {"A", "x", "y"}},
	{PRODUCT(gemm), .sizes = 1, .arrays = {"A", "B", "C"}},
	{.name = NULL},
};

int main(int argc, char **argv)
{
	return cases_main(argc, argv, kernels);
}
