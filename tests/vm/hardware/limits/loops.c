// SPDX-License-Identifier: BSD-3-Clause
/*
 * The loops of memphis node --measure, in calipers. usage: loops triad|read CPU,CPU... NODE SECONDS [rest]
 * One thread on each CPU, with memory of the node. With "rest", each thread sleeps as long as it works.
 */
#define _GNU_SOURCE
#include <memphis.h>

#include <linux/mempolicy.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define ELEMENTS (1u << 20) /* of each of the three arrays of a thread: 8 MiB, more than the caches */
#define BLOCK    16384
#define BATCH    8 /* blocks between two looks at the clock */
#define CPUS_MAX 16

#define KEEP(value) __asm__ volatile("" : "+x"(value))

static void triad(double *a, const double *b, const double *c, size_t at, size_t end)
{
	for (; at < end; at++)
		a[at] = b[at] + 3 * c[at];
}

static void read_arrays(double *a, const double *b, const double *c, size_t at, size_t end)
{
	double value;

	for (; at < end; at++) {
		value = a[at];
		KEEP(value);
		value = b[at];
		KEEP(value);
		value = c[at];
		KEEP(value);
	}
}

static void (*loop)(double *a, const double *b, const double *c, size_t at, size_t end);
static uint64_t run_ns;
static int rests;
static pthread_barrier_t begin;

struct worker {
	pthread_t thread;
	int cpu;
	double *arrays;
};

static uint64_t now_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void *work(void *argument)
{
	struct worker *worker = argument;
	double *a = worker->arrays, *b = a + ELEMENTS, *c = b + ELEMENTS;
	struct timespec pause = {0};
	uint64_t begun, from, now;
	cpu_set_t cpus;
	size_t at = 0;

	CPU_ZERO(&cpus);
	CPU_SET(worker->cpu, &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus))
		die("sched_setaffinity");
	pthread_barrier_wait(&begin);
	memphis_begin("TimeLoop");
	begun = from = now_ns();
	do {
		for (int block = 0; block < BATCH; block++, at = (at + BLOCK) % ELEMENTS)
			loop(a, b, c, at, at + BLOCK);
		now = now_ns();
		if (rests) {
			pause.tv_nsec = (long)(now - from);
			nanosleep(&pause, NULL);
			now = now_ns();
		}
		from = now;
	} while (now - begun < run_ns);
	memphis_end("TimeLoop");
	return NULL;
}

static double *arrays_on(int node)
{
	const size_t bytes = 3 * ELEMENTS * sizeof(double);
	unsigned long nodes = 1ul << node;
	double *arrays = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (arrays == MAP_FAILED ||
	    syscall(SYS_mbind, arrays, bytes, MPOL_BIND, &nodes, 8 * sizeof(nodes), 0))
		die("memory of the node");
	memset(arrays, 0, bytes);
	return arrays;
}

int main(int count, char **arguments)
{
	struct worker workers[CPUS_MAX];
	unsigned int size = 0, i;
	char *cpu;

	if (count < 5)
		return 2;
	loop = strcmp(arguments[1], "triad") ? read_arrays : triad;
	run_ns = (uint64_t)(strtod(arguments[4], NULL) * 1e9);
	rests = count > 5;
	for (cpu = strtok(arguments[2], ","); cpu && size < CPUS_MAX; cpu = strtok(NULL, ","), size++)
		workers[size] = (struct worker){.cpu = atoi(cpu), .arrays = arrays_on(atoi(arguments[3]))};
	pthread_barrier_init(&begin, NULL, size);
	/* The reading of the counters at the begin of the caliper has little of the traffic before. */
	usleep(100000);
	for (i = 1; i < size; i++)
		if (pthread_create(&workers[i].thread, NULL, work, &workers[i]))
			die("pthread_create");
	work(&workers[0]);
	for (i = 1; i < size; i++)
		pthread_join(workers[i].thread, NULL);
	return 0;
}
