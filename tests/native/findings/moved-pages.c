// SPDX-License-Identifier: BSD-3-Clause
/*
 * Each thread initialises and updates its own part of an array. After some rounds, the pages of node 0 move to node 1.
 *
 * expect: --select remote-dram,dram,hitm,all
 * finding: [heap]:field was moved away from node 0, whose threads go on using it, 100 % in region Work
 * try: find out who moves the pages (automatic NUMA balancing, migratepages, cpusets), and bind the memory
 * to its users' node (mbind(2), numactl)
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
	if (me == 0 && round == ROUNDS / 2)
		native_move((const void *)field, 2 * SHARE * sizeof(*field), 1);
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
