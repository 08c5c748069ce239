/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "cases.h"

#include <memphis.h>

#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#define PAGE_BYTES   4096
#define COLD_CACHES  4 /* data used between two passes over a problem, as a multiple of the cache */
#define MEMORY_BYTES ((size_t)256 << 20) /* limit for a thread's problems, unless a single one takes more */

static const char *const variants[] = {"nt", "prefetch", "separate"};

#define VARIANTS (sizeof(variants) / sizeof(*variants))

struct options {
	size_t cache;  /* bytes */
	size_t wanted; /* bytes that each thread reads for each case, about */
	int crossed;   /* each thread works in the memory of the next one */
};

/* What the threads of a case share. */
struct batch {
	size_t problems, passes;
	size_t words[ARRAYS_MAX]; /* of each array of a problem */
	double *arrays[THREADS_MAX][ARRAYS_MAX];
	double *scratch[THREADS_MAX];
	unsigned int nodes[THREADS_MAX]; /* of the memory of these arrays */
};

static const char *program;

static void usage(const char *why, const char *what, const struct kernel *kernels)
{
	const struct kernel *kernel;
	size_t i;

	fprintf(stderr, "%s: %s: %s\nusage: %s [-c CACHE_KIB] [-r READ_MIB] [-x] CASE...\ncases:", program,
		what, why, program);
	for (kernel = kernels; kernel->name; kernel++) {
		fprintf(stderr, " %s:", kernel->name);
		for (i = 0; i < kernel->sizes; i++)
			fprintf(stderr, "%s%c", i ? "x" : "", "KLMN"[i + SIZES_MAX - kernel->sizes]);
		for (i = 0; i < VARIANTS; i++)
			if (kernel->variants & 1u << i)
				fprintf(stderr, "[+%s]", variants[i]);
	}
	putc('\n', stderr);
	exit(2);
}

static size_t number(const char *text, char **end, const struct kernel *kernels)
{
	unsigned long value = strtoul(text, end, 10);

	if (*end == text || *text == '-' || !value || value > 1ul << 30)
		usage("a number from 1 to 2^30 is needed", text, kernels);
	return value;
}

static const struct kernel *find_kernel(const char *text, size_t length, const struct kernel *kernels)
{
	const struct kernel *kernel;

	for (kernel = kernels; text[length] && kernel->name; kernel++)
		if (strlen(kernel->name) == length && !strncmp(kernel->name, text, length))
			return kernel;
	usage("no such kernel", text, kernels);
	return NULL;
}

static unsigned int find_variant(const char *text, size_t length, const struct problem *problem,
				 const struct kernel *kernels)
{
	size_t i;

	for (i = 0; i < VARIANTS; i++)
		if (problem->kernel->variants & 1u << i && strlen(variants[i]) == length &&
		    !strncmp(variants[i], text, length))
			return 1u << i;
	usage("the kernel has no such variant", text, kernels);
	return 0;
}

/* Sizes that are not given equal the last one. */
static struct problem parse(const char *text, const struct kernel *kernels)
{
	struct problem problem = {.name = text};
	size_t length = strcspn(text, ":"), i;
	char *end;

	problem.kernel = find_kernel(text, length, kernels);
	problem.size[0] = number(text + length + 1, &end, kernels);
	for (i = 1; i < problem.kernel->sizes; i++)
		problem.size[i] = *end == 'x' ? number(end + 1, &end, kernels) : problem.size[i - 1];
	for (i = 0; i < problem.kernel->sizes; i++)
		if (problem.size[i] % problem.kernel->unit[i])
			usage(problem.kernel->unit[i] == 8
				      ? "sizes must be multiples of 8 (whole cache lines)"
				      : "sizes must be such that rows are whole cache lines",
			      text, kernels);
	while (*end == '+') {
		length = strcspn(end + 1, "+");
		problem.variant |= find_variant(end + 1, length, &problem, kernels);
		end += 1 + length;
	}
	if (*end)
		usage("invalid size", text, kernels);
	return problem;
}

/* Whole pages of their own, whose homes are decided by the threads that touch them first. */
double *cases_reserve(size_t words)
{
	const size_t bytes = (words * WORD + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
	void *p = aligned_alloc(PAGE_BYTES, bytes);

	if (!p) {
		fprintf(stderr, "%s: no memory for %zu bytes\n", program, bytes);
		exit(1);
	}
	return p;
}

unsigned int cases_node(void)
{
	unsigned int cpu, node = 0;

	getcpu(&cpu, &node);
	return node % NODES_MAX;
}

size_t cases_scratch_words(size_t cache)
{
	return COLD_CACHES * cache / WORD;
}

void cases_evict(const double *scratch, size_t cache)
{
	const volatile double *p = scratch;
	size_t i;

	for (i = 0; i < cases_scratch_words(cache); i += LINE_BYTES / WORD)
		(void)p[i];
}

const char *cases_zone(const struct problem *problem, size_t cache, size_t *used_bytes)
{
	const size_t used = problem->kernel->used_bytes ? problem->kernel->used_bytes(problem) : 0;
	size_t words[ARRAYS_MAX] = {0}, array;

	*used_bytes = used;
	if (used)
		return 8 * used <= cache ? "fits" : used <= 2 * cache ? "band" : "beyond";
	problem->kernel->words(problem, words);
	for (array = 0; array < ARRAYS_MAX; array++)
		*used_bytes += words[array] * WORD;
	return "any";
}

/* In the band, the smaller form is printed as if the data fitted. */
static int prints_as_fitting(const char *zone)
{
	return strcmp(zone, "beyond") != 0;
}

void cases_print(const struct case_row *row, size_t cache)
{
	size_t i, comma = 0;

	printf("%s\t%d\t%zu\t%zu\t%s\t%zu\t%zu\t%zu\t%zu\t", row->name, row->threads, cache, row->used_bytes,
	       row->zone, row->array_bytes, row->traffic.loads, row->traffic.reads, row->traffic.writes);
	for (i = 0; i < ARRAYS_MAX && row->arrays[i]; i++)
		printf("%s%s", i ? "," : "", row->arrays[i]);
	printf("\t%#lx-%#lx\t", (unsigned long)(uintptr_t)row->code, (unsigned long)(uintptr_t)row->code_end);
	for (i = 0; i < NODES_MAX; i++)
		if (row->home_bytes[i])
			printf("%s%zu:%zu", comma++ ? "," : "", i, row->home_bytes[i]);
	putchar('\n');
	fflush(stdout);
}

/* One thread's work: `passes` passes over all problems of the batch. */
static void work(const struct problem *problem, struct batch *batch, const struct options *options)
{
	int self = omp_get_thread_num(), threads = omp_get_num_threads();
	int owner = options->crossed ? (self + 1) % threads : self;
	double *parts[ARRAYS_MAX];
	size_t pass, i, array;

	for (array = 0; array < ARRAYS_MAX; array++)
		for (i = 0; i < batch->problems * batch->words[array]; i++)
			batch->arrays[self][array][i] = 1;
	for (i = 0; i < cases_scratch_words(options->cache); i++)
		batch->scratch[self][i] = 1;
	batch->nodes[self] = cases_node();
	cases_evict(batch->scratch[self], options->cache);
#pragma omp barrier
	memphis_begin(problem->name);
	for (pass = 0; pass < batch->passes; pass++)
		for (i = 0; i < batch->problems; i++) {
			for (array = 0; array < ARRAYS_MAX; array++)
				parts[array] = batch->arrays[owner][array] + i * batch->words[array];
			problem->kernel->run(problem, parts);
		}
	memphis_end(problem->name);
	cases_evict(batch->scratch[self], options->cache);
#pragma omp barrier
	for (array = 0; array < ARRAYS_MAX; array++)
		madvise(batch->arrays[self][array], batch->problems * batch->words[array] * WORD,
			MADV_DONTNEED);
	madvise(batch->scratch[self], cases_scratch_words(options->cache) * WORD, MADV_DONTNEED);
}

/* Enough problems for cold caches, and more if memory allows, so that little of the previous pass is cached. */
static void plan(const struct problem *problem, struct batch *batch, const struct options *options,
		 const char *zone, size_t bytes)
{
	/* In the band, reads may come close to the larger value. */
	const size_t planned = problem->kernel->traffic(problem, *zone == 'f' || *zone == 'a').reads;

	batch->problems = (MEMORY_BYTES / bytes < options->wanted / planned ? MEMORY_BYTES / bytes
									    : options->wanted / planned);
	if (batch->problems * bytes < COLD_CACHES * options->cache)
		batch->problems = COLD_CACHES * options->cache / bytes + 1;
	batch->passes = options->wanted / (planned * batch->problems);
	if (!batch->passes)
		batch->passes = 1;
}

static void print_case(const struct problem *problem, const struct batch *batch,
		       const struct options *options, const char *zone, size_t used, size_t bytes)
{
	size_t home_bytes[NODES_MAX] = {0};
	const int threads = omp_get_max_threads();
	const size_t times = batch->problems * batch->passes * (size_t)threads;
	struct traffic once = problem->kernel->traffic(problem, prints_as_fitting(zone));
	struct case_row row = {
		.name = problem->name,
		.arrays = problem->kernel->arrays,
		.code = problem->kernel->code,
		.code_end = problem->kernel->code_end,
		.zone = zone,
		.used_bytes = used,
		.array_bytes = bytes * times,
		.threads = threads,
		.traffic = {once.loads * times, once.reads * times, once.writes * times},
		.home_bytes = home_bytes,
	};
	int t;

	for (t = 0; t < threads; t++)
		home_bytes[batch->nodes[t]] += batch->problems * bytes;
	cases_print(&row, options->cache);
}

static void measure(const struct problem *problem, const struct options *options)
{
	static struct batch batch;
	const struct kernel *kernel = problem->kernel;
	const int threads = omp_get_max_threads();
	size_t bytes = 0, used, array;
	const char *zone = cases_zone(problem, options->cache, &used);
	int t;

	memset(&batch, 0, sizeof(batch));
	kernel->words(problem, batch.words);
	for (array = 0; array < ARRAYS_MAX; array++)
		bytes += batch.words[array] * WORD;
	plan(problem, &batch, options, zone, bytes);
	for (t = 0; t < threads; t++) {
		batch.scratch[t] = cases_reserve(cases_scratch_words(options->cache));
		for (array = 0; array < ARRAYS_MAX && batch.words[array]; array++) {
			const size_t words = batch.problems * batch.words[array];

			batch.arrays[t][array] = cases_reserve(words);
			memphis_name(batch.arrays[t][array], words * WORD, kernel->arrays[array]);
		}
	}
#pragma omp parallel num_threads(threads)
	work(problem, &batch, options);
	print_case(problem, &batch, options, zone, used, bytes);
}

int cases_main(int argc, char **argv, const struct kernel *kernels)
{
	long known = sysconf(_SC_LEVEL3_CACHE_SIZE);
	struct options options = {.cache = known > 0 ? (size_t)known : 0, .wanted = (size_t)64 << 20};
	int option, i, status;
	char *end;

	/* The allocator writes before a block: with a huge page there, the thread that allocates would decide the home of the block's beginning. */
	prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
	program = strrchr(argv[0], '/') ? strrchr(argv[0], '/') + 1 : argv[0];
	while ((option = getopt(argc, argv, "c:r:x")) != -1) {
		end = "";
		if (option == '?')
			return 2;
		if (option == 'c')
			options.cache = number(optarg, &end, kernels) << 10;
		else if (option == 'r')
			options.wanted = number(optarg, &end, kernels) << 20;
		else
			options.crossed = 1;
		if (*end)
			usage("not a number", optarg, kernels);
	}
	if (optind == argc)
		usage("no case is given", "CASE", kernels);
	if (!options.cache)
		usage("required, as the C library reports no L3 cache size", "-c CACHE_KIB", kernels);
	if (omp_get_max_threads() > THREADS_MAX)
		usage("too many threads", "OMP_NUM_THREADS", kernels);
	for (i = optind; i < argc; i++)
		parse(argv[i], kernels);
	puts("case\tthreads\tcache_bytes\tused_bytes\tzone\tarray_bytes\texpected_loads\texpected_reads\texpected_writes\tarrays\tcode\thomes");
	for (i = optind; i < argc; i++) {
		const struct problem problem = parse(argv[i], kernels);

		if (!problem.kernel->whole)
			measure(&problem, &options);
		else if ((status = problem.kernel->whole(&problem, options.cache)))
			return status;
	}
	return 0;
}
