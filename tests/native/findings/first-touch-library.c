// SPDX-License-Identifier: BSD-3-Clause
/*
 * One thread initialises an array by memset(); then each thread updates its own part.
 *
 * expect: --select remote-dram,dram,hitm,all
 * finding: [heap]:field lies on node 0, where thread N (first-touch-lib) wrote it first at {clear}
 * (clear_all) via memset, and is used by nodes 0 and 1, each using a different part, 100 % in region Work
 * try: initialise it in parallel at {clear} (clear_all) via memset, with each thread writing the part that
 * it uses later at {update} (update) (allocated at {allocation}); or interleave its pages: node 0's part of
 * these accesses would go from 100 % to 50 %
 */
#include "threads.h"

#include <string.h>

static volatile double *field;

static void clear_all(int me)
{
	if (me)
		return;
	memset((double *)field, 0, ELEMENTS * sizeof(*field)); /* LINE: clear */
	field[0] = 1; /* else the call is a jump, after which this function is not on the stack */
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
	crew_work(clear_all, update);
	return 0;
}
