// SPDX-License-Identifier: BSD-3-Clause
/*
 * One thread initialises an array; then every thread reads elements that another array lists, in no order.
 *
 * expect: --select remote-dram,dram,hitm,all
 * finding: [heap]:field is read by nodes 0 and 1, all reading the same parts, and since then hardly written (few
 * stores); it lies on node 0, 100 % in region Work; [heap]:field is read at addresses that come from other
 * data at {read} (gather): 8 of the 64 bytes of each cache line that it fetches
 * try: give each node a copy (allocated at {allocation}; initialised at {initialise} (write_all)); or
 * interleave its pages: node 0's part of these accesses would go from 100 % to 50 %; and order the elements,
 * or the indices by which they are found, at {read} (gather), so that those used one after the other are
 * neighbours; or prefetch those that are needed next; or use smaller elements
 */
#include "threads.h"

static volatile double *field;
static int order[THREADS][SHARE];

static void write_all(int me)
{
	for (int i = 0; !me && i < ELEMENTS; i++)
		field[i] = i; /* LINE: initialise */
	for (int i = 0; i < SHARE; i++)
		order[me][i] = (me + i * 7919) % ELEMENTS;
}

static void gather(int me, int round)
{
	(void)round;
	for (int i = 0; i < SHARE; i++)
		(void)field[order[me][i]]; /* LINE: read */
}

int main(void)
{
	field = aligned_alloc(4096, ELEMENTS * sizeof(*field)); /* LINE: allocation */
	native_watch((const void *)field, ELEMENTS * sizeof(*field), "field");
	crew_work(write_all, gather);
	return 0;
}
