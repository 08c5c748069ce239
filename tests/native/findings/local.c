// SPDX-License-Identifier: BSD-3-Clause
/*
 * No defect: each thread initialises and updates its own part of an array.
 *
 * expect: --select remote-dram,dram,hitm,all
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
	(void)round;
	for (int i = me * SHARE; i < (me + 1) * SHARE; i++)
		field[i] += 1; /* LINE: update */
}

int main(void)
{
	field = aligned_alloc(4096, ELEMENTS * sizeof(*field)); /* LINE: allocation */
	native_watch((const void *)field, ELEMENTS * sizeof(*field), "field");
	crew_work(write_own, update);
	return 0;
}
