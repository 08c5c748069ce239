// SPDX-License-Identifier: BSD-3-Clause
/*
 * False sharing: two threads on different nodes increment different fields of the same cache lines. The
 * threads take turns, so that each access finds the line modified in the other node's cache, on a slow
 * machine as well.
 */
#include "workload.h"

#include <memphis.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

enum { CELLS = 4096, ROUNDS = 1000 };

struct cell {
	long hits;
	long misses;
	char rest[48];
};

static struct cell cells[CELLS] __attribute__((aligned(4096)));
static pthread_barrier_t turn;

static void count_hits(int count)
{
	for (int i = 0; i < count; i++)
		cells[i].hits++; /* LINE: hits */
}

static void count_misses(int count)
{
	for (int i = 0; i < count; i++)
		cells[i].misses++; /* LINE: misses */
}

static void *worker(void *second)
{
	uint32_t random = 1;

	workload_cpu(second ? 2 : 0);
	for (int round = 0; round < ROUNDS; round++) {
		/*
		 * Both threads draw the same numbers. The lengths vary so that they do not fall into step
		 * with the sampling period.
		 */
		random = random * 1664525 + 1013904223;
		if (second)
			count_misses(CELLS / 2 + (int)(random >> 21));
		pthread_barrier_wait(&turn);
		if (!second)
			count_hits(CELLS / 2 + (int)(random >> 21));
		pthread_barrier_wait(&turn);
	}
	return NULL;
}

int main(void)
{
	pthread_t thread;

	workload_cpu(0);
	workload_touch(cells, sizeof(cells));
	workload_variable("hits", cells, sizeof(cells));
	workload_variable("misses", cells, sizeof(cells));
	workload_objects();
	pthread_barrier_init(&turn, NULL, 2);
	memphis_begin("Reads");
	if (pthread_create(&thread, NULL, worker, &turn))
		workload_fail("pthread_create");
	worker(NULL);
	pthread_join(thread, NULL);
	memphis_end("Reads");
	printf("sum %ld\n", cells[0].hits + cells[0].misses);
	return 0;
}
