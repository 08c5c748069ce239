// SPDX-License-Identifier: BSD-3-Clause
/*
 * No defect: each thread counts in cache lines of its own.
 *
 * expect: --select remote-dram,dram,hitm,all
 */
#include "threads.h"

enum { LINES = 16 };

static struct {
	volatile long mine[LINES];
} __attribute__((aligned(4096))) apart[THREADS];

static void count(int me, int round)
{
	(void)round;
	for (int i = 0; i < LINES; i++)
		apart[me].mine[i]++;
}

int main(void)
{
	native_watch_shared(apart, sizeof(apart), "apart");
	crew_work(nothing, count);
	return 0;
}
