/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Measures the CPU time of a pair of malloc() and free() in the calling thread, at a given stack depth; with "parts", of a pair of
 * memphis_pool_alloc() and memphis_pool_free(), which without the library is none at all.
 * usage: pairs SIZE DEPTH THREADS BATCHES [parts]     prints "pairs MEDIAN_NS LEAST_NS": per pair, over batches; means over threads
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "cpu_time.h"

/* These functions are NULL unless libmemphis is preloaded. */
#define OPTIONAL __attribute__((weak))
struct memphis_pool;
struct memphis_pool *memphis_pool_create(const char *name) OPTIONAL;
void *memphis_pool_alloc(struct memphis_pool *pool, void *part, size_t bytes, const char *name) OPTIONAL;
int memphis_pool_free(struct memphis_pool *pool, const void *part) OPTIONAL;

#define PAIRS \
	2000 /* per batch: long compared with the clock's resolution, short compared with a time slice */
#define THREADS_MAX 64

static size_t size;
static int depth, threads, batches, parts;
static pthread_barrier_t barrier;

struct result {
	double median, least;
};

static void pairs_of_blocks(void)
{
	int i;

	for (i = 0; i < PAIRS; i++) {
		void *block = malloc(size);

		__asm__ volatile("" : "+r"(block) : : "memory");
		free(block);
	}
}

static void pairs_of_parts(struct memphis_pool *pool, char *block)
{
	int i;

	for (i = 0; i < PAIRS; i++) {
		void *part = block;

		if (pool)
			part = memphis_pool_alloc(pool, block, size, NULL);
		__asm__ volatile("" : "+r"(part) : : "memory");
		if (pool)
			memphis_pool_free(pool, part);
	}
}

static __attribute__((noinline)) void measure(struct result *result)
{
	double *took = calloc((size_t)batches, sizeof(*took)), begin;
	struct memphis_pool *pool = parts && memphis_pool_create ? memphis_pool_create("pairs") : NULL;
	char *block = malloc(size);
	int i;

	pthread_barrier_wait(&barrier);
	for (i = 0; i < batches; i++) {
		begin = cpu_ns();
		if (parts)
			pairs_of_parts(pool, block);
		else
			pairs_of_blocks();
		took[i] = (cpu_ns() - begin) / PAIRS;
	}
	qsort(took, (size_t)batches, sizeof(*took), compare);
	result->median = took[batches / 2];
	result->least = took[0];
	free(block);
	free(took);
}

/* Recurses to add stack frames. Must not be inlined or turned into a loop. */
static __attribute__((noinline)) void descend(int frames, struct result *result)
{
	if (frames > 1)
		descend(frames - 1, result);
	else
		measure(result);
	__asm__ volatile("");
}

static void *work(void *result)
{
	descend(depth - 1, result);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t id[THREADS_MAX];
	struct result result[THREADS_MAX], sum = {0, 0};
	int i;

	parts = argc == 6;
	if (argc < 5 || argc > 6 || (depth = atoi(argv[2])) < 2 || (threads = atoi(argv[3])) < 1 ||
	    threads > THREADS_MAX || (batches = atoi(argv[4])) < 1)
		return 2;
	size = (size_t)atol(argv[1]);
	pthread_barrier_init(&barrier, NULL, (unsigned int)threads);
	for (i = 1; i < threads; i++)
		pthread_create(&id[i], NULL, work, &result[i]);
	work(&result[0]);
	for (i = 1; i < threads; i++)
		pthread_join(id[i], NULL);
	for (i = 0; i < threads; i++) {
		sum.median += result[i].median;
		sum.least += result[i].least;
	}
	printf("pairs %.2f %.2f\n", sum.median / threads, sum.least / threads);
	return 0;
}
