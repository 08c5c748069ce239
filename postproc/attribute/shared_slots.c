// SPDX-License-Identifier: BSD-3-Clause
/* Finds pointers that held parts of several allocating lines, or a part and a block that is no part. */
#include "attribute/shared_slots.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

struct use {
	uint64_t slot;
	uint32_t stack;
	bool part;
};

static int compare_uses(const void *a, const void *b)
{
	const struct use *x = a, *y = b;

	if (x->slot != y->slot)
		return x->slot < y->slot ? -1 : 1;
	if (x->part != y->part)
		return x->part ? -1 : 1;
	return x->stack < y->stack ? -1 : x->stack > y->stack;
}

static bool is_part(const struct memphis_group *group)
{
	return group->table >= MEMPHIS_BLOCKS_PART;
}

int memphis_shared_slots_find(struct memphis_blocks *blocks)
{
	struct use *uses = NULL, *use;
	size_t count = 0, room = 0, i, j, slots;
	const struct memphis_group *group;
	bool parts = false;
	uint64_t *shared;
	int rc = 0;

	for (i = 0; i < blocks->group_count; i++)
		parts |= is_part(&blocks->groups[i]) && blocks->groups[i].holders;
	for (i = 0; !rc && parts && i < blocks->group_count; i++) {
		group = &blocks->groups[i];
		slots = memphis_strings_bytes(&blocks->holders, group->holders) / 8;
		for (j = 0; !rc && j < slots; j++) {
			use = memphis_append(uses, count, room);
			if (!use) {
				rc = -ENOMEM;
				break;
			}
			memcpy(&use->slot, memphis_strings_get(&blocks->holders, group->holders) + j * 8, 8);
			use->part = is_part(group);
			use->stack = group->stack;
		}
	}
	if (count)
		qsort(uses, count, sizeof(*uses), compare_uses);
	for (i = 0; !rc && i < count; i = j) {
		/* Parts come first. */
		for (j = i + 1; j < count && uses[j].slot == uses[i].slot; j++)
			;
		if (!uses[i].part || (uses[j - 1].part && uses[j - 1].stack == uses[i].stack))
			continue;
		shared = memphis_append(blocks->shared_slots, blocks->shared_slot_count,
					blocks->shared_slot_room);
		if (shared)
			*shared = uses[i].slot;
		else
			rc = -ENOMEM;
	}
	free(uses);
	return rc;
}

bool memphis_shared_slots_has(const struct memphis_blocks *blocks, uint64_t slot)
{
	size_t low = 0, high = blocks->shared_slot_count, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (blocks->shared_slots[middle] < slot)
			low = middle + 1;
		else
			high = middle;
	}
	return low < blocks->shared_slot_count && blocks->shared_slots[low] == slot;
}
