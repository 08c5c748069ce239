/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Four threads on two nodes that initialise an array of 256 KiB and then work on it in rounds, one after the other, for the programs of tests/native/findings:
 * CPUs 0 and 1 of node 0, and CPUs 2 and 3 of node 1.
 */
#ifndef THREADS_H
#define THREADS_H

#include "native.h"

#include <memphis.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

enum { THREADS = 4, ELEMENTS = 1 << 15, SHARE = ELEMENTS / THREADS, ROUNDS = 8 };

static struct {
	uint64_t begin_ns;
	void (*first)(int me);
	void (*then)(int me, int round);
	pthread_barrier_t barrier;
} crew;

static uint64_t crew_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/*
 * Sleeps for twice the time since the begin. A report takes stores that end in the first half of a variable's time for its initialisation: that must
 * not depend on how long the host makes the initialising thread wait for a CPU.
 */
static void crew_rest(void)
{
	const uint64_t ns = 2 * (crew_now_ns() - crew.begin_ns);
	const struct timespec time = {(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};

	nanosleep(&time, NULL);
}

static void *crew_run(void *argument)
{
	int me = (int)(intptr_t)argument;

	native_cpu(me);
	crew.first(me);
	crew_rest();
	for (int round = 0; round < ROUNDS; round++) {
		for (int turn = 0; turn < THREADS; turn++) {
			pthread_barrier_wait(&crew.barrier);
			if (turn == me) {
				native_round();
				crew.then(me, round);
			}
		}
	}
	return NULL;
}

/*
 * Runs both functions in each thread, inside a caliper "Work". In each round, the threads take turns, so that as many accesses of each are written
 * down in every run.
 */
static inline void crew_work(void (*first)(int me), void (*then)(int me, int round))
{
	pthread_t threads[THREADS];

	crew.first = first;
	crew.then = then;
	if (pthread_barrier_init(&crew.barrier, NULL, THREADS))
		abort();
	memphis_begin("Work");
	crew.begin_ns = crew_now_ns();
	for (intptr_t i = 1; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, crew_run, (void *)i))
			abort();
	crew_run(NULL);
	for (int i = 1; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	memphis_end("Work");
}

static inline void nothing(int me)
{
	(void)me;
}

#endif
