// SPDX-License-Identifier: BSD-3-Clause
/* If this fails, samples are counted wrongly. */
#include "counts.h"

#include "../tap.h"

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

	for (i = 0; i < counts->slots; i++)
		if (counts->cells[i].count && !memcmp(&counts->cells[i].key, &wanted, sizeof(wanted)))
			return &counts->cells[i];
	return NULL;
}

int main(void)
{
	struct memphis_counts a = {0}, b = {0};
	const struct memphis_count *cell;
	struct memphis_sample sample = {0};
	struct memphis_count_key one;
	uint64_t i, wrong = 0;

	for (i = 0; i < 30000; i++) {
		one = key(i % 3000, (uint16_t)(i % 2));
		sample.address = 1000000 - i;
		sample.latency_cycles = (uint16_t)(i / 3000);
		memphis_count_add(memphis_counts_cell(i % 5 ? &a : &b, &one), &sample, 7);
	}
	ok(!memphis_counts_merge(&a, &b), "two sets of counts are merged");
	ok(a.used == 3000, "there is one cell for each distinct key");
	for (i = 0; i < 3000; i++) {
		cell = find(&a, i, (uint16_t)(i % 2));
		wrong += !cell || cell->count != 10 || cell->high != 1000000 - i ||
			 cell->low != 1000000 - i - 27000 || cell->accesses != 70 ||
			 cell->latency_cycles != 45 || cell->latency_max_cycles != 9;
	}
	ok(!wrong, "each has the right count, lowest and highest address, accesses and latencies");
	ok(!find(&a, 0, 1), "what was not counted is not there");
	memphis_counts_close(&a);
	memphis_counts_close(&b);
	return finish();
}
