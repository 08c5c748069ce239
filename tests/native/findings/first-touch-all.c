// SPDX-License-Identifier: BSD-3-Clause
/*
 * One thread initialises an array; then every thread updates elements anywhere.
 *
 * expect: --select remote-dram,dram,hitm,all
 * finding: [heap]:field lies on node 0, where thread N (first-touch-all) wrote it first at {initialise}
 * (write_all), and is used by nodes 0 and 1, all using the same parts, 100 % in region Work
 * try: interleave its pages, allocated at {allocation}: node 0's part of these accesses would go from 100 %
 * to 50 %, which spreads them, but makes few of them local; if the schedule is dynamic, make it static instead, and let
 * each thread initialise the part that it uses
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

	for (int i = 0; i < SHARE / 16; i++) {
		at = at * 6364136223846793005u + 1442695040888963407u;
		field[(at >> 20) % ELEMENTS] += 1; /* LINE: update */
	}
}

int main(void)
{
	field = aligned_alloc(4096, ELEMENTS * sizeof(*field)); /* LINE: allocation */
	native_watch((const void *)field, ELEMENTS * sizeof(*field), "field");
	crew_work(write_all, scatter);
	return 0;
}
