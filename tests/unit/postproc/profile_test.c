// SPDX-License-Identifier: BSD-3-Clause
/* If this fails, samples are counted wrongly. */
#include "profile.h"

#include "../tap.h"

static struct memphis_cell_key key(uint64_t pc, uint32_t node)
{
	struct memphis_cell_key result;

	memset(&result, 0, sizeof(result));
	result.pc = pc;
	result.node = node;
	return result;
}

static const struct memphis_cell *find(const struct memphis_profile *profile, uint64_t pc, uint32_t node)
{
	struct memphis_cell_key wanted = key(pc, node);
	size_t i;

	for (i = 0; i < profile->slots; i++)
		if (profile->cells[i].count && !memcmp(&profile->cells[i].key, &wanted, sizeof(wanted)))
			return &profile->cells[i];
	return NULL;
}

int main(void)
{
	struct memphis_profile a = {0}, b = {0};
	const struct memphis_cell *cell;
	struct memphis_cell_key one;
	uint64_t i, wrong = 0;

	for (i = 0; i < 30000; i++) {
		one = key(i % 3000, i % 2);
		memphis_profile_add(i % 5 ? &a : &b, &one, 1000000 - i);
	}
	ok(!memphis_profile_merge(&a, &b), "two profiles are merged");
	ok(a.used == 3000, "there is one cell for each distinct key");
	for (i = 0; i < 3000; i++) {
		cell = find(&a, i, i % 2);
		wrong += !cell || cell->count != 10 || cell->high != 1000000 - i ||
			 cell->low != 1000000 - i - 27000;
	}
	ok(!wrong, "each has the right count, lowest and highest address");
	ok(!find(&a, 0, 1), "what was not counted is not there");
	memphis_profile_close(&a);
	memphis_profile_close(&b);
	return finish();
}
