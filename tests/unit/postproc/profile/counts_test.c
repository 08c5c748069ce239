// SPDX-License-Identifier: BSD-3-Clause
/* The hash table of counts. If this fails, samples are counted wrongly. */
#include "profile/counts.h"

#include "../../tap.h"

static struct memphis_count_key key(uint64_t pc, uint16_t node)
{
	struct memphis_count_key result;

	memset(&result, 0, sizeof(result));
	result.pc = pc;
	result.access.node = node;
	return result;
}

static const struct memphis_count *find(const struct memphis_counts *counts, uint64_t pc, uint16_t node)
{
	struct memphis_count_key wanted = key(pc, node);
	size_t i;

	for (i = 0; i < counts->count; i++)
		if (!memcmp(&counts->cells[i].key, &wanted, sizeof(wanted)))
			return &counts->cells[i];
	return NULL;
}

int main(void)
{
	struct memphis_counts a = {0}, b = {0};
	const struct memphis_count *cell;
	uint64_t i, wrong = 0, failed = 0;
	struct memphis_count one;

	for (i = 0; i < 30000; i++) {
		one = (struct memphis_count){.key = key(i % 3000, (uint16_t)(i % 2)),
					     .measure.count = 2,
					     .measure.accesses = 14,
					     .measure.latency_cycles = i / 3000 + 1,
					     .measure.latency_max_cycles = i / 3000,
					     .measure.latency_squares = i / 3000 + 2,
					     .measure.low = 1000000 - i,
					     .measure.high = 1000008 - i};
		failed += memphis_counts_add(i % 5 ? &a : &b, &one) != 0;
	}
	ok(!failed, "cells are added");
	ok(!memphis_counts_merge(&a, &b), "two sets of counts are merged");
	ok(a.count == 3000, "there is one cell for each distinct key");
	for (i = 0; i < 3000; i++) {
		cell = find(&a, i, (uint16_t)(i % 2));
		wrong += !cell || cell->measure.count != 20 || cell->measure.high != 1000008 - i ||
			 cell->measure.low != 1000000 - i - 27000 || cell->measure.accesses != 140 ||
			 cell->measure.latency_cycles != 55 || cell->measure.latency_squares != 65 ||
			 cell->measure.latency_max_cycles != 9;
	}
	ok(!wrong, "each cell has the right count, lowest and highest address, accesses and latencies");
	ok(!find(&a, 0, 1), "a key that was not counted has no cell");
	memphis_counts_close(&a);
	memphis_counts_close(&b);
	return finish();
}
