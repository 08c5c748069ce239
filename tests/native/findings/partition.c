// SPDX-License-Identifier: BSD-3-Clause
/*
 * Each thread initialises a part of an array, and then updates that of a thread on the other node.
 *
 * expect: --select remote-dram,dram,hitm,all
 * finding: [heap]:field lies on other nodes than those that use it: RANGE are on node 0 and used by node 1;
 * RANGE are on node 1 and used by node 0, 100 % in region Work
 * try: let those threads that use a part initialise it at {initialise} (write_own) (allocated at
 * {allocation}), or divide the work at {update} (update) as the initialisation was: the same schedule,
 * threads bound to CPUs
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
	int part = (me + 2) % THREADS;

	(void)round;
	for (int i = part * SHARE; i < (part + 1) * SHARE; i++)
		field[i] += 1; /* LINE: update */
}

int main(void)
{
	field = aligned_alloc(4096, ELEMENTS * sizeof(*field)); /* LINE: allocation */
	native_watch((const void *)field, ELEMENTS * sizeof(*field), "field");
	crew_work(write_own, update);
	return 0;
}
