// SPDX-License-Identifier: BSD-3-Clause
/*
 * One thread initialises an array on a node that has no CPUs; then each thread updates its own part.
 *
 * expect: --select remote-dram,dram,hitm,all
 * finding: [heap]:field lies on node 2, which has no CPUs: every access is remote, 100 % in region Work
 * try: place it on a node with CPUs (mbind(2), numactl --membind), allocated at {allocation}, and leave
 * less used data there
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
	(void)round;
	for (int i = me * SHARE; i < (me + 1) * SHARE; i++)
		field[i] += 1; /* LINE: update */
}

int main(void)
{
	field = aligned_alloc(4096, ELEMENTS * sizeof(*field)); /* LINE: allocation */
	native_watch((const void *)field, ELEMENTS * sizeof(*field), "field");
	native_move((const void *)field, ELEMENTS * sizeof(*field), 2);
	crew_work(write_all, update);
	return 0;
}
