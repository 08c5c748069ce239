/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Kernels with memory traffic that is known in closed form, for comparison with estimates from samples.
 *
 * usage: traffic [-c CACHE_KIB] [-r READ_MIB] CASE...
 *   gemv:MxN    y := A x + y, A of M rows and N columns
 *   gemm:N      C := A B + C, all of N x N
 *   -c          one thread's share of the last-level cache (default: size of the L3 cache according to the C library)
 *   -r          approximate amount that each thread reads from memory for each case (default 64)
 *
 * Each OpenMP thread works on separate problems, one after the other ("batched"), in memory that it touched first. There are so many
 * problems that a problem's data is no longer in a cache when the problem is repeated. Each case has a caliper with its name.
 *
 * With 8-byte words and an LRU cache:
 *   gemv  reads A, x and y once, M N + N + M words, as long as x stays in the cache while a row of A is read: 16 N bytes are used
 *         between two uses of a word of x. Otherwise x is read for each row: 2 M N + M words. Writes M words.
 *   gemm  (loops i, k, j) reads A, B and C once, 3 N N words, as long as B stays in the cache with a row of A and of C, 8 N N + 16 N bytes.
 *         Otherwise B is read for each row: N N N + 2 N N words. Writes N N words.
 * Between an eighth of the cache and twice the cache neither formula is valid: the number of lines that stay in the cache depends on
 * their physical addresses, and on other users of the cache.
 *
 * Prints a line of names, then a line for each case, separated by tabs: case, threads, cache_bytes, used_bytes (see above), zone (fits,
 * band, beyond), array_bytes (of all arrays, times the number of passes), expected_reads and expected_writes of all threads (bytes;
 * reads by loads; in the band as if the data fitted), ranges (LOW-HIGH,... of all arrays; no address is used by two cases).
 * Exit status: 0, 1 (out of memory), 2 (usage).
 */
#include <memphis.h>

#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define WORD         sizeof(double)
#define LINE_WORDS   8
#define COLD_CACHES  4 /* data used between two passes over a problem, as a multiple of the cache */
#define ARRAYS       3
#define THREADS_MAX  1024
#define MEMORY_BYTES ((size_t)256 << 20) /* limit for a thread's problems, unless a single one takes more */

/* Sizes in words. For gemm, rows = columns = N. */
struct problem {
	const char *name;
	const struct kernel *kernel;
	size_t rows, columns;
};

struct kernel {
	const char *name;
	const char *arrays[ARRAYS];
	void (*run)(const struct problem *problem, double *const *arrays);
	void (*sizes)(const struct problem *problem, size_t *words);
	size_t (*used_bytes)(const struct problem *problem);
	size_t (*reads)(const struct problem *problem, int fits); /* words */
	size_t (*writes)(const struct problem *problem);
};

static void gemv(const struct problem *problem, double *const *arrays)
{
	const double *restrict matrix = arrays[0], *restrict x = arrays[1];
	double *restrict y = arrays[2];
	size_t i, j, n = problem->columns;

	for (i = 0; i < problem->rows; i++) {
		double sum = 0;

#pragma omp simd reduction(+ : sum)
		for (j = 0; j < n; j++)
			sum += matrix[i * n + j] * x[j];
		y[i] += sum;
	}
}

static void gemv_sizes(const struct problem *problem, size_t *words)
{
	words[0] = problem->rows * problem->columns;
	words[1] = problem->columns;
	words[2] = problem->rows;
}

static size_t gemv_used_bytes(const struct problem *problem)
{
	return 2 * WORD * problem->columns;
}

static size_t gemv_reads(const struct problem *problem, int fits)
{
	return problem->rows * problem->columns + problem->rows +
	       (fits ? 1 : problem->rows) * problem->columns;
}

static size_t gemv_writes(const struct problem *problem)
{
	return problem->rows;
}

static void gemm(const struct problem *problem, double *const *arrays)
{
	const double *restrict a = arrays[0], *restrict b = arrays[1];
	double *restrict c = arrays[2];
	size_t i, j, k, n = problem->columns;

	for (i = 0; i < n; i++)
		for (k = 0; k < n; k++) {
			double factor = a[i * n + k];

#pragma omp simd
			for (j = 0; j < n; j++)
				c[i * n + j] += factor * b[k * n + j];
		}
}

static void gemm_sizes(const struct problem *problem, size_t *words)
{
	words[0] = words[1] = words[2] = problem->columns * problem->columns;
}

static size_t gemm_used_bytes(const struct problem *problem)
{
	return WORD * problem->columns * (problem->columns + 2);
}

static size_t gemm_reads(const struct problem *problem, int fits)
{
	return problem->columns * problem->columns * (fits ? 3 : problem->columns + 2);
}

static size_t gemm_writes(const struct problem *problem)
{
	return problem->columns * problem->columns;
}

static const struct kernel kernels[] = {
	{"gemv", {"A", "x", "y"}, gemv, gemv_sizes, gemv_used_bytes, gemv_reads, gemv_writes},
	{"gemm", {"A", "B", "C"}, gemm, gemm_sizes, gemm_used_bytes, gemm_reads, gemm_writes},
};

static void usage(const char *why, const char *what)
{
	fprintf(stderr, "traffic: %s: %s\nusage: traffic [-c CACHE_KIB] [-r READ_MIB] gemv:MxN|gemm:N...\n",
		what, why);
	exit(2);
}

static size_t number(const char *text, char **end)
{
	unsigned long value = strtoul(text, end, 10);

	if (*end == text || *text == '-' || !value || value > 1ul << 30)
		usage("a number from 1 to 2^30 is needed", text);
	return value;
}

/* Sizes are multiples of cache lines, so that arrays and rows share no line. */
static struct problem parse(const char *text)
{
	struct problem problem = {.name = text};
	size_t length = strcspn(text, ":"), i;
	char *end;

	for (i = 0; i < sizeof(kernels) / sizeof(*kernels); i++)
		if (text[length] && strlen(kernels[i].name) == length &&
		    !strncmp(kernels[i].name, text, length))
			problem.kernel = &kernels[i];
	if (!problem.kernel)
		usage("no such kernel", text);
	problem.rows = problem.columns = number(text + length + 1, &end);
	if (problem.kernel->run == gemv && *end == 'x')
		problem.columns = number(end + 1, &end);
	if (*end)
		usage("invalid size", text);
	if (problem.rows % LINE_WORDS || problem.columns % LINE_WORDS)
		usage("sizes must be multiples of 8 (whole cache lines)", text);
	return problem;
}

/* Reserves addresses that are never reused. */
static double *reserve(size_t words)
{
	void *p = mmap(NULL, words * WORD, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED) {
		perror("traffic: mmap");
		exit(1);
	}
	madvise(p, words * WORD, MADV_NOHUGEPAGE);
	return p;
}

/* One thread's work: `passes` passes over `batch` problems. */
static void work(const struct problem *problem, size_t batch, size_t passes, double **arrays,
		 const size_t *words)
{
	double *parts[ARRAYS];
	size_t pass, i, array;

	for (array = 0; array < ARRAYS; array++)
		for (i = 0; i < batch * words[array]; i++)
			arrays[array][i] = 1;
#pragma omp barrier
	memphis_begin(problem->name);
	for (pass = 0; pass < passes; pass++)
		for (i = 0; i < batch; i++) {
			for (array = 0; array < ARRAYS; array++)
				parts[array] = arrays[array] + i * words[array];
			problem->kernel->run(problem, parts);
		}
	memphis_end(problem->name);
#pragma omp barrier
	for (array = 0; array < ARRAYS; array++)
		madvise(arrays[array], batch * words[array] * WORD, MADV_DONTNEED);
}

static void measure(const struct problem *problem, size_t cache, size_t wanted)
{
	static double *arrays[THREADS_MAX][ARRAYS];
	const struct kernel *kernel = problem->kernel;
	size_t words[ARRAYS], bytes, batch, passes, times, reads, planned, used = kernel->used_bytes(problem),
									   array;
	const char *zone = 8 * used <= cache ? "fits" : used <= 2 * cache ? "band" : "beyond";
	int fits = used <= 2 * cache, threads = omp_get_max_threads(), t;

	if (threads > THREADS_MAX)
		usage("too many threads", "OMP_NUM_THREADS");
	kernel->sizes(problem, words);
	bytes = (words[0] + words[1] + words[2]) * WORD;
	reads = kernel->reads(problem, fits) * WORD;
	planned = kernel->reads(problem, *zone == 'f') *
		  WORD; /* in the band, reads may come close to the larger value */
	/* Enough problems for cold caches, and more if memory allows, so that little of the previous pass is cached. */
	batch = MEMORY_BYTES / bytes < wanted / planned ? MEMORY_BYTES / bytes : wanted / planned;
	if (batch * bytes < COLD_CACHES * cache)
		batch = COLD_CACHES * cache / bytes + 1;
	passes = wanted / (planned * batch);
	if (!passes)
		passes = 1;
	for (t = 0; t < threads; t++)
		for (array = 0; array < ARRAYS; array++) {
			arrays[t][array] = reserve(batch * words[array]);
			memphis_name(arrays[t][array], batch * words[array] * WORD, kernel->arrays[array]);
		}
#pragma omp parallel num_threads(threads)
	work(problem, batch, passes, arrays[omp_get_thread_num()], words);
	times = batch * passes * (size_t)threads;
	printf("%s\t%d\t%zu\t%zu\t%s\t%zu\t%zu\t%zu\t", problem->name, threads, cache, used, zone,
	       bytes * times, reads * times, kernel->writes(problem) * WORD * times);
	for (t = 0; t < threads; t++)
		for (array = 0; array < ARRAYS; array++)
			printf("%s%#lx-%#lx", t || array ? "," : "",
			       (unsigned long)(uintptr_t)arrays[t][array],
			       (unsigned long)(uintptr_t)(arrays[t][array] + batch * words[array]));
	putchar('\n');
	fflush(stdout);
}

int main(int argc, char **argv)
{
	long known = sysconf(_SC_LEVEL3_CACHE_SIZE);
	size_t cache = known > 0 ? (size_t)known : 0, wanted = (size_t)64 << 20;
	int option, i;
	char *end;

	while ((option = getopt(argc, argv, "c:r:")) != -1) {
		if (option == '?')
			return 2;
		if (option == 'c')
			cache = number(optarg, &end) << 10;
		else
			wanted = number(optarg, &end) << 20;
		if (*end)
			usage("not a number", optarg);
	}
	if (optind == argc)
		usage("no case is given", "CASE");
	if (!cache)
		usage("required, as the C library reports no L3 cache size", "-c CACHE_KIB");
	for (i = optind; i < argc; i++)
		parse(argv[i]);
	puts("case\tthreads\tcache_bytes\tused_bytes\tzone\tarray_bytes\texpected_reads\texpected_"
	     "writes\tranges");
	for (i = optind; i < argc; i++) {
		struct problem problem = parse(argv[i]);

		measure(&problem, cache, wanted);
	}
	return 0;
}
