// SPDX-License-Identifier: BSD-3-Clause
/*
 * Planted defects, one for each pattern that the report names, and programs without one. Four threads, bound
 * to CPUs 0 and 1 of node 0 and to CPUs 2 and 3 of node 1, initialise `field` and then work on it. usage:
 * defects NAME
 */
#define _GNU_SOURCE
#include <linux/mempolicy.h>
#include <memphis.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { THREADS = 4, LINE = 64 / sizeof(double), ROUNDS = 32, LINES = 16, PASSES = 60 };

#define ELEMENTS (1u << 20) /* 8 MiB */
#define SHARE    (ELEMENTS / THREADS)
#define PAGE     4096u
#define BORDER   (SHARE / 32)

static volatile double *field;
/* Each thread has a member of `together` (false sharing), or lines of its own. */
static struct counter {
	volatile long first, second, third, fourth;
	long rest[4];
} together[LINES] __attribute__((aligned(64)));
static struct {
	volatile long mine[LINES];
} __attribute__((aligned(64))) apart[THREADS];
static long totals[LINES][8] __attribute__((aligned(64)));
static volatile double sums[THREADS][LINE] __attribute__((aligned(64)));
static pthread_barrier_t barrier;

static void bind_to(unsigned int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		perror("defects: sched_setaffinity");
}

static void place(int mode, unsigned long nodes)
{
	if (syscall(SYS_mbind, field, ELEMENTS * sizeof(*field), mode, &nodes, 8 * sizeof(nodes), 0))
		perror("defects: mbind");
}

static void write_all(unsigned int from, unsigned int count)
{
	for (unsigned int i = from; i < from + count; i++)
		field[i] = i; /* LINE: initialise */
}

static void update(unsigned int from, unsigned int count)
{
	for (unsigned int i = from; i < from + count; i += LINE)
		field[i] += 1; /* LINE: update */
}

static void read_all(unsigned int me, unsigned int from, unsigned int count)
{
	double sum = 0;

	for (unsigned int i = from; i < from + count; i += LINE)
		sum += field[i]; /* LINE: read */
	sums[me][0] += sum;
}

static void scatter(unsigned int me, unsigned int round)
{
	uint64_t at = me * 7919 + round;

	for (unsigned int i = 0; i < SHARE / LINE; i++) {
		at = at * 6364136223846793005u + 1442695040888963407u;
		field[(at >> 20) % ELEMENTS] += 1; /* LINE: scatter */
	}
}

/* Initial step of a thread, and the step of each round. */

static void own_first(unsigned int me)
{
	write_all(me * SHARE, SHARE);
}

static void main_first(unsigned int me)
{
	if (me == 0)
		write_all(0, ELEMENTS);
}

/* The C library stores, in some large instructions for each page. */
static void main_clears(unsigned int me)
{
	if (me)
		return;
	memset((double *)field, 0, ELEMENTS * sizeof(*field)); /* LINE: clear */
	sums[0][0] += field
		[0]; /* else the compiler makes the call a jump, after which this function is not on the stack */
}

static void interleaved(unsigned int me)
{
	if (me == 0)
		place(MPOL_INTERLEAVE, 3);
	main_first(me);
}

static void on_memory_only(unsigned int me)
{
	if (me == 0)
		place(MPOL_BIND, 4);
	main_first(me);
}

static void nothing(unsigned int me)
{
	(void)me;
}

static void own_part(unsigned int me, unsigned int round)
{
	(void)round;
	update(me * SHARE, SHARE);
}

static void other_nodes_part(unsigned int me, unsigned int round)
{
	(void)round;
	update((me + 2) % THREADS * SHARE, SHARE);
}

static void borders_too(unsigned int me, unsigned int round)
{
	own_part(me, round);
	read_all(me, (me + 1) % THREADS * SHARE, BORDER);
}

static void main_reads_all(unsigned int me, unsigned int round)
{
	own_part(me, round);
	pthread_barrier_wait(&barrier);
	if (me == 0)
		read_all(me, 0, ELEMENTS);
	pthread_barrier_wait(&barrier);
}

static void everybody_reads(unsigned int me, unsigned int round)
{
	(void)round;
	read_all(me, 0, ELEMENTS);
}

/* Moves threads 0 and 1 to the other node. */
static void move_away(unsigned int me, unsigned int round)
{
	if (me < 2 && round == ROUNDS / 4)
		bind_to(me + 2);
	own_part(me, round);
}

/* Moves the pages that threads 0 and 1 own to node 1. */
static void lose_pages(unsigned int me, unsigned int round)
{
	enum { PAGES = 2 * SHARE * sizeof(double) / PAGE };
	static void *pages[PAGES];
	static int nodes[PAGES], states[PAGES];

	if (me == 0 && round == ROUNDS / 2) {
		for (unsigned int i = 0; i < PAGES; i++) {
			pages[i] = (char *)field + i * PAGE;
			nodes[i] = 1;
		}
		if (syscall(SYS_move_pages, 0, PAGES, pages, nodes, states, MPOL_MF_MOVE))
			perror("defects: move_pages");
	}
	own_part(me, round);
}

/* Threads take turns: a thread that counts without interruption would find its lines in its own cache. */

static void count_together(unsigned int me, unsigned int round)
{
	(void)round;
	for (unsigned int pass = 0; pass < PASSES; pass++) {
		pthread_barrier_wait(&barrier);
		for (unsigned int i = 0; i < LINES; i++)
			(&together[i].first)[me]++; /* LINE: together */
	}
}

static void count_apart(unsigned int me, unsigned int round)
{
	(void)round;
	for (unsigned int pass = 0; pass < PASSES; pass++) {
		pthread_barrier_wait(&barrier);
		for (unsigned int i = 0; i < LINES; i++)
			apart[me].mine[i]++;
	}
}

static void count_totals(unsigned int me, unsigned int round)
{
	(void)me;
	(void)round;
	for (unsigned int pass = 0; pass < PASSES; pass++) {
		pthread_barrier_wait(&barrier);
		for (unsigned int i = 0; i < LINES; i++)
			__atomic_fetch_add(&totals[i][0], 1, __ATOMIC_RELAXED); /* LINE: totals */
	}
}

static const struct program {
	const char *name;
	void (*first)(unsigned int me);
	void (*then)(unsigned int me, unsigned int round);
} programs[] = {
	{"first-touch", main_first, own_part},
	{"first-touch-all", main_first, scatter},
	{"first-touch-library", main_clears, own_part},
	{"read-shared", main_first, everybody_reads},
	{"partition", own_first, other_nodes_part},
	{"interleaved-parts", interleaved, own_part},
	{"serial", own_first, main_reads_all},
	{"moved-thread", own_first, move_away},
	{"moved-pages", own_first, lose_pages},
	{"memory-only", on_memory_only, own_part},
	{"false-sharing", nothing, count_together},
	{"true-sharing", nothing, count_totals},
	/* programs without a defect */
	{"local", own_first, own_part},
	{"borders", own_first, borders_too},
	{"interleaved", interleaved, scatter},
	{"padded", nothing, count_apart},
};

static const struct program *program;

static void *run(void *argument)
{
	unsigned int me = (unsigned int)(uintptr_t)argument;

	bind_to(me);
	program->first(me);
	for (unsigned int round = 0; round < ROUNDS; round++) {
		pthread_barrier_wait(&barrier);
		program->then(me, round);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];

	for (size_t i = 0; argc == 2 && i < sizeof(programs) / sizeof(*programs); i++)
		if (!strcmp(programs[i].name, argv[1]))
			program = &programs[i];
	if (!program)
		return 2;
	pthread_barrier_init(&barrier, NULL, THREADS);
	bind_to(0);
	field = aligned_alloc(PAGE, ELEMENTS * sizeof(*field)); /* LINE: allocation */
	memphis_begin(program->name);
	for (uintptr_t i = 1; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, run, (void *)i))
			return 1;
	run(NULL);
	for (int i = 1; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	memphis_end(program->name);
	printf("%s done\n", program->name);
	return 0;
}
