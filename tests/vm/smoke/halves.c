/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A static array with the pages of its first half on node 0 and those of its second half on node 1, read in
 * scattered order by a thread on node 0. Prints the start of the array, the start of its second half, and its
 * end.
 */
#define _GNU_SOURCE
#include <memphis.h>

#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define WORDS (4u << 20) /* 32 MiB, much larger than the caches */
#define READS 3000000u

static uint64_t __attribute__((aligned(4096))) halves[WORDS];

static int run_on(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(0, sizeof(set), &set);
}

__attribute__((noinline)) static uint64_t read_all(void)
{
	uint64_t state = 1, sum = 0;
	unsigned int i;

	for (i = 0; i < READS; i++) {
		state = state * 6364136223846793005ULL + 1442695040888963407ULL;
		sum += halves[(state >> 33) % WORDS]; /* LINE: read */
	}
	return sum;
}

/* CPUs 0 and 1 belong to node 0, CPUs 2 and 3 to node 1. */
int main(void)
{
	/* A huge page would cross the border between the halves. */
	if (run_on(0) || madvise(halves, sizeof(halves), MADV_NOHUGEPAGE))
		return 1;
	memset(halves, 1, sizeof(halves) / 2);
	if (run_on(2))
		return 1;
	memset(halves + WORDS / 2, 1, sizeof(halves) / 2);
	if (run_on(0) || memphis_begin("Read"))
		return 1;
	printf("halves %p %p %p sum %llx\n", (void *)halves, (void *)(halves + WORDS / 2),
	       (void *)(halves + WORDS), (unsigned long long)read_all());
	return memphis_end("Read") ? 1 : 7;
}
