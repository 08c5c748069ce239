// SPDX-License-Identifier: BSD-3-Clause
/* Assigns ended blocks to groups, one per variable, and combines blocks with the same addresses into one block with several lifetimes. */
#include "attribute/ended.h"

#include <errno.h>
#include <stdlib.h>

#include "base/uthash.h"

struct memphis_ended_block {
	uint64_t start, end, from_ns, to_ns;
	uint32_t group, thread;
};

/* The attributes that all blocks of a group share; no padding, as keys are hashed and compared as bytes. */
struct group_key {
	uint32_t name, pool, stack, holders, table, shared, small;
};

struct memphis_group_entry {
	struct group_key key;
	uint32_t number; /* index in memphis_blocks.groups */
	UT_hash_handle hh;
};

static int add_group(struct memphis_ended *ended, const struct group_key *key,
		     const struct memphis_group *group, uint32_t *number)
{
	struct memphis_blocks *blocks = ended->blocks;
	struct memphis_group_entry *entry = calloc(1, sizeof(*entry));
	struct memphis_group *added;

	if (!entry)
		return -ENOMEM;
	entry->key = *key;
	entry->number = (uint32_t)blocks->group_count;
	HASH_ADD(hh, ended->groups, key, sizeof(entry->key), entry);
	if (!entry->hh.tbl) {
		free(entry);
		return -ENOMEM;
	}
	added = memphis_append(blocks->groups, blocks->group_count, blocks->group_room);
	if (!added)
		return -ENOMEM;
	*added = *group;
	*number = entry->number;
	return 0;
}

static int group_of(struct memphis_ended *ended, const struct memphis_live_block *block,
		    enum memphis_block_table table, uint32_t *number)
{
	const struct group_key key = {block->name, block->pool_name, block->stack,          block->holders,
				      table,       block->shared,    block->mean_bytes != 0};
	const struct memphis_group group = {.name = block->name,
					    .pool = block->pool_name,
					    .stack = block->stack,
					    .holders = block->holders,
					    .table = table,
					    .shared = block->shared,
					    .small = block->mean_bytes != 0,
					    .first_address = block->start,
					    .first_bytes = block->end - block->start,
					    .first_ns = block->from_ns};
	struct memphis_group_entry *entry;
	struct memphis_group *known;

	HASH_FIND(hh, ended->groups, &key, sizeof(key), entry);
	if (!entry)
		return add_group(ended, &key, &group, number);
	*number = entry->number;
	known = &ended->blocks->groups[entry->number];
	if (block->from_ns < known->first_ns) {
		known->first_ns = block->from_ns;
		known->first_address = block->start;
		known->first_bytes = block->end - block->start;
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
	return group_of(ended, block, table, &one->group) ||
			       (block->mean_bytes && add_small(ended->blocks, one, block->mean_bytes))
		       ? -ENOMEM
		       : 0;
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
		lifetime->thread = one->thread;
		block->lifetime_count++;
	}
	for (i = 0; i < MEMPHIS_BLOCK_TABLES; i++)
		memphis_intervals_sort(&blocks->index[i]);
	return 0;
}

void memphis_ended_close(struct memphis_ended *ended)
{
	struct memphis_group_entry *entry, *next;

	HASH_ITER (hh, ended->groups, entry, next) {
		HASH_DEL(ended->groups, entry);
		free(entry);
	}
	free(ended->list);
}
