// SPDX-License-Identifier: BSD-3-Clause
/*
 * Each thread allocates, initialises and updates a block of its own, and one thread reads all blocks: those of its own node have no remote access.
 *
 * expect: --select remote-dram,dram,hitm,all
 * finding: [heap]:part[] lies on nodes 0 and 1, and one thread makes most of the remote accesses: thread N
 * (serial-blocks) on node 0, 100 % of them, most at {read} (read_all), 100 % in region Work
 * try: divide the loop at {read} (read_all) among the threads, so that each uses the data of its own node;
 * or let the owners pack the data that the one thread needs
 */
#include "threads.h"

static volatile double *part[THREADS];

static void allocate_own(int me)
{
	double *mine = aligned_alloc(4096, SHARE * sizeof(*mine)); /* LINE: allocation */

	native_watch(mine, SHARE * sizeof(*mine), "heap:part[]");
	part[me] = mine;
	for (int i = 0; i < SHARE; i++)
		part[me][i] = i; /* LINE: initialise */
}

static void read_all(int me)
{
	for (int other = 0; !me && other < THREADS; other++)
		for (int i = 0; i < SHARE; i++)
			(void)part[other][i]; /* LINE: read */
}

static void update_and_read(int me, int round)
{
	(void)round;
	for (int i = 0; i < SHARE; i++)
		part[me][i] += 1; /* LINE: update */
	read_all(me);
}

int main(void)
{
	crew_work(allocate_own, update_and_read);
	return 0;
}
