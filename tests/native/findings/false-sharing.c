// SPDX-License-Identifier: BSD-3-Clause
/*
 * Each thread counts in a member of its own, in cache lines that all threads write.
 *
 * expect: --select remote-dram,dram,hitm,all
 * finding: [bss]:together has false sharing: threads use different words (MEMBERS) of the same 16 cache
 * lines, which go to and fro between the caches of 4 threads, most at {together} (count), 100 % in region
 * Work
 * try: pad or align what each thread writes, so that it has cache lines of its own
 */
#include "threads.h"

enum { LINES = 16, PAGE = 4096 };

static struct counter {
	volatile long first, second, third, fourth;
	long rest[4];
} together[PAGE / 64] __attribute__((aligned(4096)));

static void count(int me, int round)
{
	(void)round;
	for (int i = 0; i < LINES; i++)
		(&together[i].first)[me]++; /* LINE: together */
}

int main(void)
{
	native_watch_shared(together, sizeof(together), "together");
	crew_work(nothing, count);
	return 0;
}
