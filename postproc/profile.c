// SPDX-License-Identifier: BSD-3-Clause
/* Counts of samples by (node, variable, instruction). */
#include "profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "pool.h"

_Static_assert(sizeof(struct memphis_cell_key) == 40, "keys are compared as bytes: no padding");

static struct memphis_cell *slot_of(const struct memphis_profile *profile, const struct memphis_cell_key *key)
{
	size_t at = memphis_hash(key, sizeof(*key)) & (profile->slots - 1);

	while (profile->cells[at].count && memcmp(&profile->cells[at].key, key, sizeof(*key)) != 0)
		at = (at + 1) & (profile->slots - 1);
	return &profile->cells[at];
}

static int widen(struct memphis_profile *profile)
{
	struct memphis_profile wide = {.slots = profile->slots ? profile->slots * 2 : 1024,
				       .used = profile->used};
	size_t i;

	wide.cells = calloc(wide.slots, sizeof(*wide.cells));
	if (!wide.cells)
		return -ENOMEM;
	for (i = 0; i < profile->slots; i++)
		if (profile->cells[i].count)
			*slot_of(&wide, &profile->cells[i].key) = profile->cells[i];
	free(profile->cells);
	*profile = wide;
	return 0;
}

struct memphis_cell *memphis_profile_cell(struct memphis_profile *profile, const struct memphis_cell_key *key)
{
	struct memphis_cell *cell;

	if (profile->used * 2 >= profile->slots && widen(profile))
		return NULL;
	cell = slot_of(profile, key);
	if (!cell->count) {
		cell->key = *key;
		profile->used++;
	}
	return cell;
}

int memphis_profile_add(struct memphis_profile *profile, const struct memphis_cell_key *key, uint64_t address)
{
	struct memphis_cell *cell = memphis_profile_cell(profile, key);

	if (!cell)
		return -ENOMEM;
	memphis_cell_count(cell, address);
	return 0;
}

int memphis_profile_merge(struct memphis_profile *profile, const struct memphis_profile *from)
{
	const struct memphis_cell *cell;
	struct memphis_cell *sum;
	size_t i;

	for (i = 0; i < from->slots; i++) {
		cell = &from->cells[i];
		if (!cell->count)
			continue;
		sum = memphis_profile_cell(profile, &cell->key);
		if (!sum)
			return -ENOMEM;
		if (!sum->count || cell->low < sum->low)
			sum->low = cell->low;
		if (!sum->count || cell->high > sum->high)
			sum->high = cell->high;
		sum->count += cell->count;
	}
	return 0;
}

void memphis_profile_close(struct memphis_profile *profile)
{
	free(profile->cells);
	memset(profile, 0, sizeof(*profile));
}
