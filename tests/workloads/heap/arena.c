// SPDX-License-Identifier: BSD-3-Clause
/*
 * Arrays in one block of the heap, which an arena hands out: one is first touched on node 0, one on node 1; a third one takes the place of the
 * first after a reset. All are read on node 1, and so is the end of the block, which is no part.
 */
#include "workload.h"

#include <memphis.h>
#include <stdio.h>
#include <stdlib.h>

enum { ELEMENTS = 1 << 19, ROUNDS = 8, PAGE = 4096 };

static struct {
	char *base;
	size_t used, bytes;
	char *last; /* holds the address of whatever part was handed out last */
	struct memphis_pool *pool;
} arena;

static double *far;
static double *again;

static void *arena_get(size_t bytes)
{
	arena.last = arena.base + arena.used;
	arena.used += (bytes + PAGE - 1) / PAGE * PAGE;
	if (arena.used > arena.bytes)
		workload_fail("arena");
	return memphis_pool_alloc(arena.pool, arena.last, bytes, NULL);
}

static void arena_reset(void)
{
	arena.used = 0;
	memphis_pool_reset(arena.pool);
}

static double *new_array(int cpu)
{
	double *array = arena_get(ELEMENTS * sizeof(*array));

	workload_cpu(cpu);
	workload_touch(array, ELEMENTS * sizeof(*array));
	return array;
}

static double sweep(const double *near)
{
	double sum = 0;

	for (int i = 0; i < ELEMENTS; i++) {
		sum += far[i];  /* LINE: far */
		sum += near[i]; /* LINE: near */
	}
	return sum;
}

static double sweep_again(const double *rest)
{
	double sum = 0;

	for (int i = 0; i < ELEMENTS; i++) {
		sum += again[i]; /* LINE: again */
		sum += rest[i];  /* LINE: rest */
	}
	return sum;
}

int main(void)
{
	double sum = 0, *near, *rest;

	arena.bytes = 3 * ELEMENTS * sizeof(double) + PAGE;
	arena.base = aligned_alloc(PAGE, arena.bytes);
	if (!arena.base)
		workload_fail("aligned_alloc");
	arena.pool = memphis_pool_create("fields");
	far = new_array(0);
	near = new_array(2);
	rest = (double *)(arena.base + 2 * ELEMENTS * sizeof(double));
	workload_touch(rest, ELEMENTS * sizeof(double));
	workload_variable("far", far, ELEMENTS * sizeof(double));
	workload_variable("near", near, ELEMENTS * sizeof(double));
	workload_variable("rest", rest, ELEMENTS * sizeof(double));
	workload_objects();
	memphis_begin("Reads");
	for (int round = 0; round < ROUNDS; round++)
		sum += sweep(near);
	arena_reset();
	again = arena_get(ELEMENTS * sizeof(double));
	workload_variable("again", again, ELEMENTS * sizeof(double));
	for (int round = 0; round < ROUNDS; round++)
		sum += sweep_again(rest);
	memphis_end("Reads");
	printf("sum %g\n", sum);
	return 0;
}
