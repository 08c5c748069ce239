// SPDX-License-Identifier: BSD-3-Clause
/* Counts samples by owner, instruction and access, in a hash table with linear probing. At most half of the slots are in use. */
#include "profile/counts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/pool.h"

_Static_assert(sizeof(struct memphis_count_key) == 48, "keys are compared as bytes: no padding");

static struct memphis_count *slot_of(const struct memphis_counts *counts, const struct memphis_count_key *key)
{
	size_t at = memphis_hash(key, sizeof(*key)) & (counts->slots - 1);

	while (counts->cells[at].count && memcmp(&counts->cells[at].key, key, sizeof(*key)) != 0)
		at = (at + 1) & (counts->slots - 1);
	return &counts->cells[at];
}

static int widen(struct memphis_counts *counts)
{
	struct memphis_counts wide = {.slots = counts->slots ? counts->slots * 2 : 1024,
				      .used = counts->used};
	size_t i;

	wide.cells = calloc(wide.slots, sizeof(*wide.cells));
	if (!wide.cells)
		return -ENOMEM;
	for (i = 0; i < counts->slots; i++)
		if (counts->cells[i].count)
			*slot_of(&wide, &counts->cells[i].key) = counts->cells[i];
	free(counts->cells);
	*counts = wide;
	return 0;
}

static struct memphis_count *find_cell(struct memphis_counts *counts, const struct memphis_count_key *key)
{
	struct memphis_count *cell;

	if (counts->used * 2 >= counts->slots && widen(counts))
		return NULL;
	cell = slot_of(counts, key);
	if (!cell->count) {
		cell->key = *key;
		counts->used++;
	}
	return cell;
}

int memphis_counts_add(struct memphis_counts *counts, const struct memphis_count *cell)
{
	struct memphis_count *sum = find_cell(counts, &cell->key);

	if (!sum)
		return -ENOMEM;
	if (!sum->count || cell->low < sum->low)
		sum->low = cell->low;
	if (!sum->count || cell->high > sum->high)
		sum->high = cell->high;
	if (cell->latency_max_cycles > sum->latency_max_cycles)
		sum->latency_max_cycles = cell->latency_max_cycles;
	sum->count += cell->count;
	sum->accesses += cell->accesses;
	sum->latency_cycles += cell->latency_cycles;
	return 0;
}

int memphis_counts_merge(struct memphis_counts *counts, const struct memphis_counts *from)
{
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < from->slots; i++)
		if (from->cells[i].count)
			rc = memphis_counts_add(counts, &from->cells[i]);
	return rc;
}

void memphis_counts_close(struct memphis_counts *counts)
{
	free(counts->cells);
	memset(counts, 0, sizeof(*counts));
}
