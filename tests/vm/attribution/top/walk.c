// SPDX-License-Identifier: BSD-3-Clause
/*
 * Reads a word of each line of arrays on two nodes, round after round, until it is killed. Each round exceeds all caches, so that all of these
 * loads are served by memory: half of them by node 1, and of these, three in four from `often`. Runs on node 0.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define MIB  (1u << 20)
#define WORD sizeof(uint64_t)
#define LINE 64

static volatile uint64_t *often, *seldom, *near;

static void run_on(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		abort();
}

static uint64_t read_lines(const volatile uint64_t *array, size_t bytes)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < bytes / WORD; i += LINE / WORD)
		sum += array[i];
	return sum;
}

int main(void)
{
	uint64_t sum = 0;

	/* No huge page has parts of two arrays. */
	often = aligned_alloc(2 * MIB, 12 * MIB);
	seldom = aligned_alloc(2 * MIB, 4 * MIB);
	near = aligned_alloc(2 * MIB, 16 * MIB);
	if (!often || !seldom || !near)
		return 1;
	/* The first touch places a page. */
	run_on(2);
	memset((void *)often, 1, 12 * MIB);
	memset((void *)seldom, 1, 4 * MIB);
	run_on(0);
	memset((void *)near, 1, 16 * MIB);
	for (;;) {
		sum += read_lines(often, 12 * MIB);
		sum += read_lines(seldom, 4 * MIB);
		sum += read_lines(near, 16 * MIB);
	}
	return (int)sum;
}
