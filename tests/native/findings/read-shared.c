// SPDX-License-Identifier: BSD-3-Clause
/*
 * One thread initialises an array; then every thread reads all of it.
 *
 * expect: --select remote-dram,dram,hitm,all
 * finding: [heap]:field is read by nodes 0 and 1, all reading the same parts, and since then hardly written (few
 * stores); it lies on node 0, 100 % in region Work
 * try: give each node a copy (allocated at {allocation}; initialised at {initialise} (write_all)); or
 * interleave its pages: node 0's part of these accesses would go from 100 % to 50 %
 */
#include "threads.h"

static volatile double *field;

static void write_all(int me)
{
	for (int i = 0; !me && i < ELEMENTS; i++)
		field[i] = i; /* LINE: initialise */
}

static void read_all(int me, int round)
{
	(void)me;
	(void)round;
	for (int i = 0; i < ELEMENTS; i++)
		(void)field[i]; /* LINE: read */
}

int main(void)
{
	field = aligned_alloc(4096, ELEMENTS * sizeof(*field)); /* LINE: allocation */
	native_watch((const void *)field, ELEMENTS * sizeof(*field), "field");
	crew_work(write_all, read_all);
	return 0;
}
