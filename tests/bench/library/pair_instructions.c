// SPDX-License-Identifier: BSD-3-Clause
/*
 * Prints the instructions of the thread, those of the kernel included, for a pair of calipers inside another one, the same by a registered name or with the
 * name in a buffer, or for an outermost pair. For a machine whose clock counts instructions (machine/run --deterministic=instructions).
 * usage: pair_instructions [registered|buffer|outer]
 */
#include <memphis.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
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

static void pair(void)
{
	memphis_begin("Pair");
	memphis_end("Pair");
}

static void registered_pair(void)
{
	static const struct memphis_region_name *name;

	if (!name)
		name = memphis_region("Pair");
	memphis_begin_region(name);
	memphis_end_region(name);
}

static void buffer_pair(void)
{
	static char name[] = "Pair";

	memphis_begin(name);
	memphis_end(name);
}

static double pairs(void (*call)(void), int count)
{
	const uint64_t begun = thread_ns();
	int i;

	for (i = 0; i < count; i++)
		call();
	return (double)(thread_ns() - begun) / NS_PER_INSTRUCTION / count;
}

int main(int argc, char **argv)
{
	const char *kind = argc > 1 ? argv[1] : "";
	const int outer = !strcmp(kind, "outer"), count = outer ? OUTER_PAIRS : INNER_PAIRS;
	void (*const call)(void) = !strcmp(kind, "registered") ? registered_pair
				   : !strcmp(kind, "buffer")   ? buffer_pair
							       : pair;
	double instructions;

	if (!outer)
		memphis_begin("Outer");
	pairs(call, count); /* what is found and allocated once */
	instructions = pairs(call, count);
	if (!outer)
		memphis_end("Outer");
	printf("%.1f\n", instructions);
	return 0;
}
