// SPDX-License-Identifier: BSD-3-Clause
/*
 * Assigns ended blocks to groups, one group per variable. Combines blocks of a group with the same addresses
 * into one block with several lifetimes.
 */
#include "attribute/ended.h"

#include <errno.h>
#include <stdlib.h>

#include "base/order.h"

struct memphis_ended_block {
	uint64_t start, end, from_ns, to_ns;
	uint32_t group, thread;
};

/* Sets *number to the index of the group with the attributes of the block. Adds the group if there is none. */
static int find_or_add_group(struct memphis_ended *ended, const struct memphis_live_block *block,
			     enum memphis_block_table table, uint32_t *number)
{
	const uint32_t key[] = {block->name, block->pool_name, block->stack,          block->holders,
				table,       block->shared,    block->mean_bytes != 0};
	struct memphis_blocks *blocks = ended->blocks;
	const uint32_t found = memphis_strings_add(&ended->groups, key, sizeof(key));
	struct memphis_block_group *group;

	if (found == MEMPHIS_NO_STRING)
		return -ENOMEM;
	*number = found - 1;
	if (*number == blocks->group_count) {
		group = memphis_append(blocks->groups, blocks->group_count, blocks->group_room);
		if (!group)
			return -ENOMEM;
		*group = (struct memphis_block_group){.name = block->name,
						      .pool = block->pool_name,
						      .stack = block->stack,
						      .holders = block->holders,
						      .table = table,
						      .shared = block->shared,
						      .small = block->mean_bytes != 0,
						      .first_ns = UINT64_MAX};
	}
	group = &blocks->groups[*number];
	if (block->from_ns < group->first_ns) {
		group->first_ns = block->from_ns;
		group->first_address = block->start;
		group->first_bytes = block->end - block->start;
	}
	return 0;
}

static int add_small(struct memphis_blocks *blocks, const struct memphis_ended_block *ended,
		     uint64_t mean_bytes)
{
	struct memphis_small_block *small =
		memphis_append(blocks->small, blocks->small_count, blocks->small_room);

	if (!small)
		return -ENOMEM;
	*small = (struct memphis_small_block){ended->start, ended->end, ended->from_ns,
					      ended->to_ns, mean_bytes, ended->group};
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
	one->thread = block->thread;
	return find_or_add_group(ended, block, table, &one->group) ||
			       (block->mean_bytes && add_small(ended->blocks, one, block->mean_bytes))
		       ? -ENOMEM
		       : 0;
}

static int compare_ended(const void *a, const void *b)
{
	const struct memphis_ended_block *x = a, *y = b;

	return memphis_order(x->start, y->start) ?:
	       memphis_order(x->end, y->end) ?:
	       memphis_order(x->group, y->group) ?:
	       memphis_order(x->from_ns, y->from_ns);
}

int memphis_ended_fold(struct memphis_ended *ended)
{
	struct memphis_blocks *blocks = ended->blocks;
	struct memphis_block *block = NULL;
	struct memphis_lifetime *lifetime;
	const struct memphis_ended_block *one;
	size_t i;

	memphis_sort(ended->list, ended->count, compare_ended);
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
		lifetime->thread = one->thread;
		block->lifetime_count++;
	}
	for (i = 0; i < MEMPHIS_BLOCK_TABLES; i++)
		memphis_intervals_sort(&blocks->index[i]);
	return 0;
}

void memphis_ended_close(struct memphis_ended *ended)
{
	memphis_strings_close(&ended->groups);
	free(ended->list);
}
