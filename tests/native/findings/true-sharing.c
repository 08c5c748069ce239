// SPDX-License-Identifier: BSD-3-Clause
/*
 * All threads count in the same words.
 *
 * expect: --select remote-dram,dram,hitm,all
 * finding: [bss]:totals is written by several threads: they share words in 16 cache lines, which go to and
 * fro between the caches of 4 threads, most at {totals} (count), 100 % in region Work
 * try: give each thread a copy of its own and combine them at the end; take a lock less often, or split it
 */
#include "threads.h"

enum { LINES = 16, PAGE = 4096 };

static long totals[PAGE / 64][8] __attribute__((aligned(4096)));

static void count(int me, int round)
{
	(void)me;
	(void)round;
	for (int i = 0; i < LINES; i++)
		__atomic_fetch_add(&totals[i][0], 1, __ATOMIC_RELAXED); /* LINE: totals */
}

int main(void)
{
	native_watch_shared(totals, sizeof(totals), "totals");
	crew_work(nothing, count);
	return 0;
}
