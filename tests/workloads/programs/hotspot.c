// SPDX-License-Identifier: BSD-3-Clause
/*
 * A planted defect: the main thread alone initialises `table`, so that its pages are on the main thread's
 * node; then every thread reads all of it in scattered order. `weights` and `own_sums` have no defect. The
 * program has no caliper, because it is meant for `memphis record`.
 * usage: hotspot [MEBIBYTES [ROUNDS]]
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 4, WEIGHTS = 1024 };

static double weights[WEIGHTS];
static double own_sums[THREADS][64];
static uint64_t elements;
static int rounds;
static double *table;

static void pin(unsigned cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		perror("hotspot: sched_setaffinity");
}

static double *read_only_table(uint64_t count)
{
	table = malloc(count * sizeof(*table)); /* LINE: allocation */
	if (!table)
		exit(1);
	for (uint64_t i = 0; i < count; i++)
		table[i] = 1.0 / (double)(i + 1);
	return table;
}

static void *worker(void *argument)
{
	uintptr_t me = (uintptr_t)argument;
	uint64_t at = me * 7919;
	double sum = 0;

	pin((unsigned)me);
	for (int round = 0; round < rounds; round++)
		for (uint64_t i = 0; i < elements / 8; i++) {
			at = (at * 6364136223846793005ULL + 1442695040888963407ULL);
			sum += table[(at >> 20) % elements] * weights[i % WEIGHTS]; /* LINE: read */
		}
	own_sums[me][0] = sum;
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];
	double sum = 0;

	elements = (argc > 1 ? strtoull(argv[1], NULL, 0) : 32) * 1024 * 1024 / sizeof(double);
	rounds = argc > 2 ? atoi(argv[2]) : 4;
	pin(0);
	for (int i = 0; i < WEIGHTS; i++)
		weights[i] = i;
	read_only_table(elements);
	for (uintptr_t i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, worker, (void *)i))
			return 1;
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		sum += own_sums[i][0];
	}
	printf("sum %.6e\n", sum);
	return 0;
}
