// SPDX-License-Identifier: BSD-3-Clause
/*
 * All threads run one loop, each over its part of an array, which was initialised by a loop that was divided a little differently: all remote accesses
 * are those of one thread, and yet the loop is parallel.
 *
 * expect: --select remote-dram,dram,hitm,all
 * finding: [heap]:field lies on other nodes than those that use it: RANGE are on node 0 and used by node 1,
 * 100 % in region Work
 * try: let those threads that use a part initialise it at {initialise} (write_own) (allocated at
 * {allocation}), or divide the work at {update} (update) as the initialisation was: the same schedule,
 * threads bound to CPUs
 */
#include "threads.h"

enum { SEAM = SHARE / 2 };

static volatile double *field;

/* The second thread initialises the begin of the third one's part. */
static void write_own(int me)
{
	const int from = me * SHARE + (me == 2 ? SEAM : 0), to = (me + 1) * SHARE + (me == 1 ? SEAM : 0);

	for (int i = from; i < to; i++)
		field[i] = i; /* LINE: initialise */
}

static void update(int me, int round)
{
	(void)round;
	for (int pass = 0; pass < 4; pass++) {
		for (int i = me * SHARE; i < (me + 1) * SHARE; i++)
			field[i] += 1; /* LINE: update */
		native_round();
	}
}

int main(void)
{
	field = aligned_alloc(4096, ELEMENTS * sizeof(*field)); /* LINE: allocation */
	native_watch((const void *)field, ELEMENTS * sizeof(*field), "field");
	crew_work(write_own, update);
	return 0;
}
