// SPDX-License-Identifier: BSD-3-Clause
/*
 * Reads a word of each line of arrays on two nodes, round after round, until it is killed. Each round exceeds all caches, so that all of these
 * loads are served by memory: half of them by node 1, and of these, three in four from `often`. The shares are the same in each small part of a
 * round, so that they do not depend on where a table's interval begins. Runs on node 0.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define MIB   (1u << 20)
#define WORD  sizeof(uint64_t)
#define LINE  64
#define PARTS 64 /* of a round */

static volatile uint64_t *often, *seldom, *near;

static void run_on(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		abort();
}

/* Reads the lines of a part of an array. */
static uint64_t read_part(const volatile uint64_t *array, size_t bytes, size_t part)
{
	size_t words = bytes / WORD / PARTS, i;
	uint64_t sum = 0;

	for (i = part * words; i < (part + 1) * words; i += LINE / WORD)
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
	for (size_t part = 0;; part = (part + 1) % PARTS) {
		sum += read_part(often, 12 * MIB, part);
		sum += read_part(seldom, 4 * MIB, part);
		sum += read_part(near, 16 * MIB, part);
	}
	return (int)sum;
}
