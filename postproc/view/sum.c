// SPDX-License-Identifier: BSD-3-Clause
#include "view/sum.h"

struct memphis_sum memphis_sum_of(const struct memphis_waiting *waiting, const struct memphis_cell *cell)
{
	struct memphis_sum sum = {
		.count = cell->count,
		.accesses = cell->accesses,
		.lines = memphis_moves_line(&cell->key.access) ? cell->accesses : 0,
		.latency_cycles = cell->latency_cycles,
		.latency_max_cycles = cell->latency_max_cycles,
		.doubt_ppm = cell->doubt_ppm,
		.stores = cell->key.access.flags & MEMPHIS_FLAG_STORE ? cell->count : 0,
		.hitm = cell->key.access.flags & MEMPHIS_FLAG_HITM ? cell->count : 0,
		.low = cell->low,
		.high = cell->high,
	};

	memphis_waits_add_cell(&sum.waits, waiting, cell);
	return sum;
}

void memphis_sum_add(struct memphis_sum *sum, const struct memphis_sum *more)
{
	if (!sum->count || more->low < sum->low)
		sum->low = more->low;
	if (!sum->count || more->high > sum->high)
		sum->high = more->high;
	sum->count += more->count;
	sum->accesses += more->accesses;
	sum->lines += more->lines;
	sum->latency_cycles += more->latency_cycles;
	if (more->latency_max_cycles > sum->latency_max_cycles)
		sum->latency_max_cycles = more->latency_max_cycles;
	sum->stores += more->stores;
	sum->doubt_ppm += more->doubt_ppm;
	sum->hitm += more->hitm;
	memphis_waits_add(&sum->waits, &more->waits);
}
