// SPDX-License-Identifier: BSD-3-Clause
/*
 * Prints the instructions of the thread, those of the kernel included, for a pair of calipers inside another one. For a machine whose clock
 * counts instructions (machine/run --deterministic=instructions). usage: pair_instructions
 */
#include <memphis.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#define PAIRS              20000
#define NS_PER_INSTRUCTION 2

static uint64_t thread_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static uint64_t pairs(void)
{
	const uint64_t begun = thread_ns();
	int i;

	for (i = 0; i < PAIRS; i++) {
		memphis_begin("Inner");
		memphis_end("Inner");
	}
	return thread_ns() - begun;
}

int main(void)
{
	uint64_t ns;

	memphis_begin("Outer");
	pairs(); /* what is found and allocated once */
	ns = pairs();
	memphis_end("Outer");
	printf("%.1f\n", (double)ns / NS_PER_INSTRUCTION / PAIRS);
	return 0;
}
