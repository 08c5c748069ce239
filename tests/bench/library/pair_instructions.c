// SPDX-License-Identifier: BSD-3-Clause
/*
 * Prints the instructions of the thread, those of the kernel included, for a pair of calipers inside another one, or for an outermost pair. For
 * a machine whose clock counts instructions (machine/run --deterministic=instructions). usage: pair_instructions [outer]
 */
#include <memphis.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#define INNER_PAIRS        20000
#define OUTER_PAIRS        1000
#define NS_PER_INSTRUCTION 2

static uint64_t thread_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static double pairs(int count)
{
	const uint64_t begun = thread_ns();
	int i;

	for (i = 0; i < count; i++) {
		memphis_begin("Pair");
		memphis_end("Pair");
	}
	return (double)(thread_ns() - begun) / NS_PER_INSTRUCTION / count;
}

int main(int argc, char **argv)
{
	const int outer = argc > 1, count = outer ? OUTER_PAIRS : INNER_PAIRS;
	double instructions;

	(void)argv;
	if (!outer)
		memphis_begin("Outer");
	pairs(count); /* what is found and allocated once */
	instructions = pairs(count);
	if (!outer)
		memphis_end("Outer");
	printf("%.1f\n", instructions);
	return 0;
}
