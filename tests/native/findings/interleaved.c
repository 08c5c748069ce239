// SPDX-License-Identifier: BSD-3-Clause
/*
 * No defect: the pages of an array alternate between the nodes, and every thread updates elements anywhere.
 *
 * expect: --select remote-dram,dram,hitm,all
 */
#include "threads.h"

static volatile double *field;

static void write_all(int me)
{
	for (int i = 0; !me && i < ELEMENTS; i++)
		field[i] = i; /* LINE: initialise */
}

static void scatter(int me, int round)
{
	uint64_t at = (uint64_t)(me * 7919 + round);

	for (int i = 0; i < SHARE / 64; i++) {
		at = at * 6364136223846793005u + 1442695040888963407u;
		field[(at >> 20) % ELEMENTS] += 1; /* LINE: update */
	}
}

int main(void)
{
	field = aligned_alloc(4096, ELEMENTS * sizeof(*field)); /* LINE: allocation */
	for (size_t part = 0; part < THREADS; part++)
		native_watch((const void *)(field + part * SHARE), SHARE * sizeof(*field), "field");
	for (size_t page = 0; page < ELEMENTS * sizeof(*field) / 4096; page++)
		native_move((const char *)field + page * 4096, 4096, page % 2);
	crew_work(write_all, scatter);
	return 0;
}
