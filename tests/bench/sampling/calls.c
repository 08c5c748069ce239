// SPDX-License-Identifier: BSD-3-Clause
/*
 * The workload of the comparison with and without callers: all loads are made in a library, which chains of one to eight functions
 * of the program call in turns.
 * usage: calls CHAIN MILLIONS-OF-LOADS     CHAIN: see chase.h
 * Prints "thread N": the instructions that its thread executed in the loads, with those of interrupts. For the machine of measure.c.
 */
#include <time.h>

#include "chase.h"
#include "library.h"

#define DEPTHS             8
#define LOADS              65536 /* of a call */
#define NS_PER_INSTRUCTION 2

static uint64_t thread_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* The assembly makes the call no jump, and the function no loop. */
static __attribute__((noinline)) void **call(void **at, unsigned int depth)
{
	at = depth ? call(at, depth - 1) : library_chase(at, LOADS);
	__asm__ volatile("" : "+r"(at));
	return at;
}

int main(int argc, char **argv)
{
	uint64_t calls, begun, i;
	void **at;

	if (argc != 3)
		return 2;
	at = chase_begin(argv[1]);
	calls = strtoull(argv[2], NULL, 10) * 1000000 / LOADS;
	begun = thread_ns();
	for (i = 0; i < calls; i++)
		at = call(at, i % DEPTHS);
	printf("thread %llu\n", (unsigned long long)((thread_ns() - begun) / NS_PER_INSTRUCTION));
	return !at;
}
