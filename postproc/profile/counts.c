// SPDX-License-Identifier: BSD-3-Clause
/* Counts samples by owner, instruction and access. */
#include "profile/counts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/pool.h"

_Static_assert(sizeof(struct memphis_count_key) == 48, "keys are compared as bytes: no padding");

static bool has_key(const void *cells, uint32_t index, const void *key)
{
	return !memcmp(&((const struct memphis_count *)cells)[index].key, key,
		       sizeof(struct memphis_count_key));
}

struct memphis_count *memphis_counts_cell(struct memphis_counts *counts, const struct memphis_count_key *key)
{
	const uint64_t hash = memphis_hash(key, sizeof(*key));
	struct memphis_table_slot *slot;
	struct memphis_count *cell;

	if (memphis_table_reserve(&counts->table))
		return NULL;
	slot = memphis_table_find(&counts->table, hash, has_key, counts->cells, key);
	if (slot->number)
		return &counts->cells[slot->number - 1];
	cell = memphis_append(counts->cells, counts->count, counts->room);
	if (!cell)
		return NULL;
	cell->key = *key;
	memphis_table_fill(&counts->table, slot, hash, counts->count - 1);
	return cell;
}

int memphis_counts_add(struct memphis_counts *counts, const struct memphis_count *cell)
{
	struct memphis_count *sum = memphis_counts_cell(counts, &cell->key);

	if (!sum)
		return -ENOMEM;
	memphis_measure_add(&sum->measure, &cell->measure);
	return 0;
}

int memphis_counts_merge(struct memphis_counts *counts, const struct memphis_counts *from)
{
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < from->count; i++)
		rc = memphis_counts_add(counts, &from->cells[i]);
	return rc;
}

void memphis_counts_close(struct memphis_counts *counts)
{
	free(counts->cells);
	memphis_table_close(&counts->table);
	memset(counts, 0, sizeof(*counts));
}
