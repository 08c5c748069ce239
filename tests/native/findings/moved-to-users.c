// SPDX-License-Identifier: BSD-3-Clause
/*
 * One thread initialises an array, of which each thread then updates its own part. After some rounds, the pages that node 1 uses move to it.
 *
 * expect: --select remote-dram,dram,hitm,all
 * finding: [heap]:field lay on node 0 until its pages were moved to the nodes that use them; the remote
 * accesses were made before, 100 % in region Work
 * try: nothing, if the run goes on much longer: the remote accesses ended when the pages were moved
 * (automatic NUMA balancing); else let those threads that use a part initialise it at {initialise}
 * (write_all) (allocated at {allocation}), so that it is there from the start
 */
#include "threads.h"

static volatile double *field;

static void write_all(int me)
{
	for (int i = 0; !me && i < ELEMENTS; i++)
		field[i] = i; /* LINE: initialise */
}

static void update(int me, int round)
{
	if (me == 0 && round == ROUNDS / 2)
		native_move((const void *)(field + 2 * SHARE), 2 * SHARE * sizeof(*field), 1);
	for (int i = me * SHARE; i < (me + 1) * SHARE; i++)
		field[i] += 1; /* LINE: update */
}

int main(void)
{
	field = aligned_alloc(4096, ELEMENTS * sizeof(*field)); /* LINE: allocation */
	native_watch((const void *)field, ELEMENTS * sizeof(*field), "field");
	crew_work(write_all, update);
	return 0;
}
