// SPDX-License-Identifier: BSD-3-Clause
/*
 * Each thread initialises its part of an array; then each part is updated by whichever thread comes first, as by a
 * dynamic schedule, or by tasks.
 *
 * expect: --select remote-dram,dram,hitm,all
 * finding: [heap]:field lies on nodes 0 and 1, and most remote accesses are made at {update} (update); other loops use it
 * on the nodes where the data are, as that at {initialise} (write_own) does, 100 % in region Work
 * try: divide the loop at {update} (update) among the threads in the same way as that at {initialise} (write_own)
 * (bounds, order and schedule), so that each thread uses the data of its own node; or, if each thread needs data of all
 * nodes, let the owners pack them, or give each node a copy
 */
#include "threads.h"

enum { CHUNKS = 16, CHUNK = ELEMENTS / CHUNKS };

static volatile double *field;

static void write_own(int me)
{
	for (int i = me * SHARE; i < (me + 1) * SHARE; i++)
		field[i] = i; /* LINE: initialise */
}

static void update(int me, int round)
{
	for (int chunk = 0; chunk < CHUNKS; chunk++)
		for (int i = 0; (chunk + round) % THREADS == me && i < CHUNK; i++)
			field[chunk * CHUNK + i] += 1; /* LINE: update */
}

int main(void)
{
	field = aligned_alloc(4096, ELEMENTS * sizeof(*field));
	native_watch((const void *)field, ELEMENTS * sizeof(*field), "field");
	crew_work(write_own, update);
	return 0;
}
