// SPDX-License-Identifier: BSD-3-Clause
#include "view/sum.h"

struct memphis_sum memphis_sum_of(const struct memphis_waiting *waiting, const struct memphis_cell *cell)
{
	struct memphis_sum sum = {
		.measure = cell->measure,
		.lines = memphis_moves_line(&cell->key.access) ? cell->measure.accesses : 0,
		.stores = cell->key.access.flags & MEMPHIS_FLAG_STORE ? cell->measure.count : 0,
		.hitm = cell->key.access.flags & MEMPHIS_FLAG_HITM ? cell->measure.count : 0,
	};

	memphis_waits_add_cell(&sum.waits, waiting, cell);
	return sum;
}

void memphis_sum_add(struct memphis_sum *sum, const struct memphis_sum *more)
{
	memphis_measure_add(&sum->measure, &more->measure);
	sum->lines += more->lines;
	sum->stores += more->stores;
	sum->hitm += more->hitm;
	memphis_waits_add(&sum->waits, &more->waits);
}
