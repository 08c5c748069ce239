// SPDX-License-Identifier: BSD-3-Clause
/*
 * Each thread initialises and updates its own part of an array, and one thread reads all of it.
 *
 * expect: --select remote-dram,dram,hitm,all
 * finding: [heap]:field lies on nodes 0 and 1, and one thread makes most of the remote accesses: thread N
 * (serial) on node 0, 100 % of them, most at {read} (read_all), 100 % in region Work
 * try: divide the loop at {read} (read_all) among the threads, so that each uses the data of its own node;
 * or let the owners pack the data that the one thread needs
 */
#include "threads.h"

static volatile double *field;

static void write_own(int me)
{
	for (int i = me * SHARE; i < (me + 1) * SHARE; i++)
		field[i] = i; /* LINE: initialise */
}

static void read_all(int me)
{
	for (int i = 0; !me && i < ELEMENTS; i++)
		(void)field[i]; /* LINE: read */
}

static void update_and_read(int me, int round)
{
	(void)round;
	for (int i = me * SHARE; i < (me + 1) * SHARE; i++)
		field[i] += 1;
	read_all(me);
}

int main(void)
{
	field = aligned_alloc(4096, ELEMENTS * sizeof(*field)); /* LINE: allocation */
	native_watch((const void *)field, ELEMENTS * sizeof(*field), "field");
	crew_work(write_own, update_and_read);
	return 0;
}
