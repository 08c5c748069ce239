// SPDX-License-Identifier: BSD-3-Clause
/*
 * Each thread initialises and updates its own part of an array. After some rounds, the threads of node 0 run on node 1.
 *
 * expect: --select remote-dram,dram,hitm,all
 * finding: [heap]:field was left behind: thread N (moved-thread) began to use it on node 0, where its pages
 * are, and now uses it from node 1, 100 % in region Work
 * try: bind threads to CPUs (OMP_PROC_BIND, taskset, numactl --cpunodebind), or move the pages after them
 * (migratepages(8), move_pages(2))
 */
#include "threads.h"

static volatile double *field;

static void write_own(int me)
{
	for (int i = me * SHARE; i < (me + 1) * SHARE; i++)
		field[i] = i; /* LINE: initialise */
}

static void update(int me, int round)
{
	if (me < 2 && round == ROUNDS / 4)
		native_cpu(me + 2);
	for (int i = me * SHARE; i < (me + 1) * SHARE; i++)
		field[i] += 1; /* LINE: update */
}

int main(void)
{
	field = aligned_alloc(4096, ELEMENTS * sizeof(*field)); /* LINE: allocation */
	native_watch((const void *)field, ELEMENTS * sizeof(*field), "field");
	crew_work(write_own, update);
	return 0;
}
