// SPDX-License-Identifier: BSD-3-Clause
/*
 * One thread initialises an array; then each thread updates its own part.
 *
 * expect: --select remote-dram,dram,hitm,all
 * finding: [heap]:field lies on node 0, where thread N (first-touch) wrote it first at {initialise}
 * (write_all), and is used by nodes 0 and 1, each using a different part, 100 % in region Work
 * try: initialise it in parallel at {initialise} (write_all), with each thread writing the part that it
 * uses later at {update} (update) (allocated at {allocation}); or interleave its pages: node 0's part of
 * these accesses would go from 100 % to 50 %
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
	crew_work(write_all, update);
	return 0;
}
