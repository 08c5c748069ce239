// SPDX-License-Identifier: BSD-3-Clause
/*
 * One program for each defect of placement, as it is and as the report advises to change it. Four threads on two nodes read one line after
 * the other of an array that no cache holds, and of one of their own, in the caliper Work.
 * usage: advised NAME found|changed
 */
#include "workload.h"

#include <memphis.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 4, LINE = 64 / sizeof(double), ROUNDS = 8, MOVE = 2 };

#define ELEMENTS (1u << 21) /* 16 MiB */
#define SHARE    (ELEMENTS / THREADS)

static double *field, *copy; /* `copy` is on node 1 */
static double *own[THREADS];
static pthread_barrier_t barrier;
static bool changed;
static double sums[THREADS][LINE];

static void write_numbers(double *array, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++)
		array[i] = i % SHARE;
}

static void read_parts(unsigned int me, const double *array, unsigned int first, unsigned int count)
{
	const volatile double *at = array + first * SHARE, *end = at + count * SHARE;
	double sum = 0;

	memphis_begin("Work");
	for (; at < end; at += LINE)
		sum += *at;
	memphis_end("Work");
	sums[me][0] += sum;
}

/* How each thread begins, and what it does in each round. */

static void write_own(unsigned int me)
{
	write_numbers(field + me * SHARE, SHARE);
}

static void main_writes(unsigned int me)
{
	if (changed)
		write_own(me);
	else if (!me)
		write_numbers(field, ELEMENTS);
}

static void main_writes_table(unsigned int me)
{
	if (!me)
		write_numbers(field, ELEMENTS);
	if (changed && me == THREADS / 2)
		write_numbers(copy, ELEMENTS);
}

/* Returns the number of the thread that is as far from this one as possible: on the other node. Its part is there, too. */
static unsigned int part_of(unsigned int me)
{
	return (me + THREADS / 2) % THREADS;
}

static void write_other(unsigned int me)
{
	write_numbers(field + (changed ? part_of(me) : me) * SHARE, SHARE);
}

static void read_own(unsigned int me, unsigned int round)
{
	(void)round;
	read_parts(me, field, me, 1);
}

static void read_other(unsigned int me, unsigned int round)
{
	(void)round;
	read_parts(me, field, part_of(me), 1);
}

static void read_table(unsigned int me, unsigned int round)
{
	(void)round;
	read_parts(me, changed && me >= THREADS / 2 ? copy : field, 0, THREADS);
}

static void main_reads(unsigned int me, unsigned int round)
{
	if (changed)
		read_own(me, round);
	else if (!me)
		read_parts(me, field, 0, THREADS);
}

static void move(unsigned int me, unsigned int round)
{
	if (!changed && round == MOVE)
		workload_cpu((int)part_of(me));
	read_own(me, round);
}

static const struct program {
	const char *name;
	void (*first)(unsigned int me);
	void (*then)(unsigned int me, unsigned int round);
} programs[] = {
	{"first-touch", main_writes, read_own}, {"read-shared", main_writes_table, read_table},
	{"partition", write_other, read_other}, {"serial", write_own, main_reads},
	{"moved-threads", write_own, move},
};

static const struct program *program;

static void *run(void *argument)
{
	const unsigned int me = (unsigned int)(uintptr_t)argument;

	workload_cpu((int)me);
	own[me] = aligned_alloc(4096, SHARE * sizeof(*own[me]));
	if (!own[me])
		workload_fail("memory");
	write_numbers(own[me], SHARE);
	program->first(me);
	for (unsigned int round = 0; round < ROUNDS; round++) {
		pthread_barrier_wait(&barrier);
		program->then(me, round);
		/* Local in any case */
		if (round < MOVE)
			read_parts(me, own[me], 0, 1);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];
	double sum = 0;

	for (size_t i = 0; argc == 3 && i < sizeof(programs) / sizeof(*programs); i++)
		if (!strcmp(programs[i].name, argv[1]))
			program = &programs[i];
	if (!program)
		return 2;
	changed = !strcmp(argv[2], "changed");
	pthread_barrier_init(&barrier, NULL, THREADS);
	field = aligned_alloc(4096, ELEMENTS * sizeof(*field));
	copy = aligned_alloc(4096, ELEMENTS * sizeof(*copy));
	if (!field || !copy)
		workload_fail("memory");
	memphis_begin("Program");
	for (uintptr_t i = 1; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, run, (void *)i))
			workload_fail("thread");
	run(NULL);
	for (int i = 1; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	memphis_end("Program");
	for (int i = 0; i < THREADS; i++)
		sum += sums[i][0];
	printf("%.0f\n", sum);
	return 0;
}
