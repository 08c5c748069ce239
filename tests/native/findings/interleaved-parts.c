// SPDX-License-Identifier: BSD-3-Clause
/*
 * The pages of an array alternate between the nodes; each thread updates its own part.
 *
 * expect: --select remote-dram,dram,hitm,all
 * finding: [heap]:field lies on other nodes than those that use it: RANGE are on several nodes and used by
 * node 0; RANGE are on several nodes and used by node 1, 100 % in region Work
 * try: let those threads that use a part initialise it at {initialise} (write_all) (allocated at
 * {allocation}), without interleaving (numactl, mbind(2)), or divide the work at {update} (update) as the
 * initialisation was: the same schedule, threads bound to CPUs
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
	/* Few accesses to a page, as to those of a large array: the report judges parts with 32. */
	if (round > 1)
		return;
	for (int i = me * SHARE; i < (me + 1) * SHARE; i++)
		field[i] += 1; /* LINE: update */
}

int main(void)
{
	/* Aligned to its size, so that parts of the report have whole pairs of pages. */
	field = aligned_alloc(ELEMENTS * sizeof(*field), ELEMENTS * sizeof(*field)); /* LINE: allocation */
	for (size_t part = 0; part < THREADS; part++)
		native_watch((const void *)(field + part * SHARE), SHARE * sizeof(*field), "field");
	for (size_t page = 0; page < ELEMENTS * sizeof(*field) / 4096; page++)
		native_move((const char *)field + page * 4096, 4096, page % 2);
	crew_work(write_all, update);
	return 0;
}
