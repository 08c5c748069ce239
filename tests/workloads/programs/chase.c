// SPDX-License-Identifier: BSD-3-Clause
/*
 * Dependent loads, each from another cache line, from memory of one node, and some from the own node's memory for comparison. No two of
 * them overlap.
 * usage: chase NODE       prints the number of loads in the caliper Chase
 */
#include "workload.h"

#include <linux/mempolicy.h>
#include <memphis.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { LINE = 64, LINES = 1 << 18 };

/* Returns the first line of a ring through all lines in random order (Sattolo's algorithm), in memory of the node. */
static char *ring_on(unsigned int node)
{
	const size_t bytes = (size_t)LINES * LINE;
	const unsigned long mask = 1ul << node;
	char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint32_t *next = malloc(LINES * sizeof(*next)), other, swap;
	uint64_t random = 314159265;

	if (memory == MAP_FAILED || !next ||
	    syscall(SYS_mbind, memory, bytes, MPOL_BIND, &mask, 8 * sizeof(mask), 0))
		workload_fail("memory");
	for (uint32_t i = 0; i < LINES; i++)
		next[i] = i;
	for (uint32_t i = LINES - 1; i > 0; i--) {
		random = random * 6364136223846793005ULL + 1442695040888963407ULL;
		other = (uint32_t)((random >> 33) % i);
		swap = next[i];
		next[i] = next[other];
		next[other] = swap;
	}
	for (uint32_t i = 0; i < LINES; i++)
		*(char **)(memory + (size_t)i * LINE) = memory + (size_t)next[i] * LINE;
	free(next);
	return memory;
}

static __attribute__((noinline)) char *walk(char *line, int loads)
{
	for (; loads > 0; loads--)
		line = *(char **)line;
	return line;
}

int main(int argc, char **argv)
{
	char *far, *own;

	if (argc != 2)
		return 2;
	workload_cpu(0);
	far = ring_on((unsigned int)atoi(argv[1]));
	own = ring_on(0);
	/* Once around: no line of the ring stays in a cache until it is loaded again. */
	far = walk(far, LINES);
	memphis_begin("Program");
	memphis_begin("Chase");
	far = walk(far, LINES);
	memphis_end("Chase");
	memphis_begin("Own");
	own = walk(own, LINES);
	memphis_end("Own");
	memphis_end("Program");
	printf("%d\n", far && own ? LINES : 0);
	return 0;
}
