// SPDX-License-Identifier: BSD-3-Clause
/* Assigns ended blocks to groups, one per variable, and combines blocks with the same addresses into one block with several lifetimes. */
#include "attribute/ended.h"

#include <errno.h>
#include <stdlib.h>

struct memphis_ended_block {
	uint64_t start, end, from_ns, to_ns;
	uint32_t group;
};

static size_t group_hash(const struct memphis_group *group)
{
	uint32_t key[4] = {group->name, group->stack, group->holders, group->table};

	return memphis_hash(key, sizeof(key));
}

static bool same_group(const struct memphis_group *a, const struct memphis_group *b)
{
	return a->name == b->name && a->stack == b->stack && a->holders == b->holders &&
	       a->table == b->table && a->shared == b->shared;
}

static int rehash_groups(struct memphis_ended *ended)
{
	size_t count = ended->group_slot_count ? ended->group_slot_count * 2 : 256, at, i;
	uint32_t *slots = calloc(count, sizeof(*slots));

	if (!slots)
		return -ENOMEM;
	for (i = 0; i < ended->blocks->group_count; i++) {
		at = group_hash(&ended->blocks->groups[i]) & (count - 1);
		while (slots[at])
			at = (at + 1) & (count - 1);
		slots[at] = (uint32_t)i + 1;
	}
	free(ended->group_slots);
	ended->group_slots = slots;
	ended->group_slot_count = count;
	return 0;
}

static int group_of(struct memphis_ended *ended, const struct memphis_live_block *block,
		    enum memphis_block_table table, uint32_t *number)
{
	struct memphis_group group = {.name = block->name,
				      .stack = block->stack,
				      .holders = block->holders,
				      .table = table,
				      .shared = block->shared,
				      .first_address = block->start,
				      .first_bytes = block->end - block->start,
				      .first_ns = block->from_ns};
	struct memphis_blocks *blocks = ended->blocks;
	struct memphis_group *known;
	size_t at;

	if (blocks->group_count * 2 >= ended->group_slot_count && rehash_groups(ended))
		return -ENOMEM;
	at = group_hash(&group) & (ended->group_slot_count - 1);
	for (; ended->group_slots[at]; at = (at + 1) & (ended->group_slot_count - 1)) {
		*number = ended->group_slots[at] - 1;
		known = &blocks->groups[*number];
		if (!same_group(known, &group))
			continue;
		if (block->from_ns < known->first_ns) {
			known->first_ns = block->from_ns;
			known->first_address = block->start;
			known->first_bytes = block->end - block->start;
		}
		return 0;
	}
	known = memphis_append(blocks->groups, blocks->group_count, blocks->group_room);
	if (!known)
		return -ENOMEM;
	*known = group;
	*number = (uint32_t)blocks->group_count - 1;
	ended->group_slots[at] = *number + 1;
	return 0;
}

int memphis_ended_add(struct memphis_ended *ended, const struct memphis_live_block *block,
		      enum memphis_block_table table, uint64_t to_ns)
{
	struct memphis_ended_block *one;

	if (to_ns <= block->from_ns)
		return 0;
	one = memphis_append(ended->list, ended->count, ended->room);
	if (!one)
		return -ENOMEM;
	one->start = block->start;
	one->end = block->end;
	one->from_ns = block->from_ns;
	one->to_ns = to_ns;
	return group_of(ended, block, table, &one->group);
}

static int compare_ended(const void *a, const void *b)
{
	const struct memphis_ended_block *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->end != y->end)
		return x->end < y->end ? -1 : 1;
	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	return x->from_ns < y->from_ns ? -1 : x->from_ns > y->from_ns;
}

int memphis_ended_fold(struct memphis_ended *ended)
{
	struct memphis_blocks *blocks = ended->blocks;
	struct memphis_block *block = NULL;
	struct memphis_lifetime *lifetime;
	const struct memphis_ended_block *one;
	size_t i;

	if (ended->count)
		qsort(ended->list, ended->count, sizeof(*ended->list), compare_ended);
	for (i = 0; i < ended->count; i++) {
		one = &ended->list[i];
		if (!block || block->start != one->start || block->end != one->end ||
		    block->group != one->group) {
			block = memphis_append(blocks->list, blocks->count, blocks->room);
			if (!block)
				return -ENOMEM;
			block->start = one->start;
			block->end = one->end;
			block->group = one->group;
			block->lifetime = blocks->lifetime_count;
			if (memphis_intervals_add(&blocks->index[blocks->groups[one->group].table],
						  block->start, block->end, (uint32_t)blocks->count - 1))
				return -ENOMEM;
		}
		lifetime = memphis_append(blocks->lifetimes, blocks->lifetime_count, blocks->lifetime_room);
		if (!lifetime)
			return -ENOMEM;
		lifetime->from_ns = one->from_ns;
		lifetime->to_ns = one->to_ns;
		block->lifetime_count++;
	}
	for (i = 0; i < MEMPHIS_BLOCK_TABLES; i++)
		memphis_intervals_sort(&blocks->index[i]);
	return 0;
}

void memphis_ended_close(struct memphis_ended *ended)
{
	free(ended->list);
	free(ended->group_slots);
}
