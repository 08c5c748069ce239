// SPDX-License-Identifier: BSD-3-Clause
/* Finds the memory block that contained an address at a given time. */
#include "attribute/blocks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/order.h"

/*
 * A pointer (slot) that held the address of a block. memphis_shared_slots_find() sorts these by slot to find
 * pointers that held blocks of several kinds: parts of a pool that different source lines allocated, or a
 * part and a block that is no part.
 */

struct use {
	uint64_t slot;
	uint32_t stack;
	bool part;
};

static int compare_uses(const void *a, const void *b)
{
	const struct use *x = a, *y = b;

	return memphis_order(x->slot, y->slot) ?:
	       memphis_order(y->part, x->part) ?:
	       memphis_order(x->stack, y->stack);
}

static bool is_part(const struct memphis_block_group *group)
{
	return group->table >= MEMPHIS_BLOCKS_PART;
}

int memphis_shared_slots_find(struct memphis_blocks *blocks)
{
	struct use *uses = NULL, *use;
	size_t count = 0, room = 0, i, j, slots;
	const struct memphis_block_group *group;
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
	memphis_sort(uses, count, compare_uses);
	for (i = 0; !rc && i < count; i = j) {
		/* Of the uses of one slot, those by parts come first, sorted by call stack. */
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
	const size_t at = memphis_bisect(i, blocks->shared_slot_count, blocks->shared_slots[i] < slot);

	return at < blocks->shared_slot_count && blocks->shared_slots[at] == slot;
}

struct lookup {
	const struct memphis_blocks *blocks;
	uint64_t time_ns;
	struct memphis_block_answer *answer;
};

static int check_lifetimes(void *context, const struct memphis_interval *interval)
{
	struct lookup *lookup = context;
	struct memphis_block_answer *answer = lookup->answer;
	const struct memphis_block *block = &lookup->blocks->list[interval->value];
	const struct memphis_lifetime *lifetimes = lookup->blocks->lifetimes + block->lifetime;
	/* The first lifetime that ends after time_ns. */
	const size_t at = memphis_bisect(i, block->lifetime_count, lifetimes[i].to_ns <= lookup->time_ns);

	if (at < block->lifetime_count && lifetimes[at].from_ns <= lookup->time_ns) {
		answer->block = block;
		answer->from_ns = lifetimes[at].from_ns;
		answer->to_ns = lifetimes[at].to_ns;
		answer->thread = lifetimes[at].thread;
		return 1;
	}
	if (at) {
		answer->before = true;
		if (lifetimes[at - 1].to_ns > answer->from_ns)
			answer->from_ns = lifetimes[at - 1].to_ns;
	}
	if (at < block->lifetime_count) {
		answer->after = true;
		if (lifetimes[at].from_ns < answer->to_ns)
			answer->to_ns = lifetimes[at].from_ns;
	}
	return 0;
}

void memphis_blocks_find(const struct memphis_blocks *blocks, enum memphis_block_table table,
			 uint64_t address, uint64_t time_ns, struct memphis_block_answer *answer)
{
	struct lookup lookup = {blocks, time_ns, answer};

	memset(answer, 0, sizeof(*answer));
	answer->to_ns = UINT64_MAX;
	memphis_intervals_find(&blocks->index[table], address, check_lifetimes, &lookup);
}

struct earlier {
	const struct memphis_blocks *blocks;
	uint64_t time_ns, from_ns, to_ns; /* lifetime of `block` */
	const struct memphis_block *block;
};

static int check_earlier_lifetimes(void *context, const struct memphis_interval *interval)
{
	struct earlier *earlier = context;
	const struct memphis_block *block = &earlier->blocks->list[interval->value];
	const struct memphis_lifetime *lifetimes = earlier->blocks->lifetimes + block->lifetime;
	const size_t ended = memphis_bisect(i, block->lifetime_count, lifetimes[i].to_ns <= earlier->time_ns);

	if (ended && lifetimes[ended - 1].to_ns >= earlier->to_ns) {
		earlier->from_ns = lifetimes[ended - 1].from_ns;
		earlier->to_ns = lifetimes[ended - 1].to_ns;
		earlier->block = block;
	}
	return 0;
}

const struct memphis_block *memphis_blocks_earlier(const struct memphis_blocks *blocks,
						   enum memphis_block_table table, uint64_t address,
						   uint64_t time_ns)
{
	struct earlier earlier;
	bool same;

	do {
		earlier = (struct earlier){.blocks = blocks, .time_ns = time_ns};
		memphis_intervals_find(&blocks->index[table], address, check_earlier_lifetimes, &earlier);
		same = earlier.block && earlier.to_ns == time_ns && earlier.from_ns < time_ns;
		time_ns = earlier.from_ns;
	} while (same);
	return earlier.block;
}

void memphis_blocks_close(struct memphis_blocks *blocks)
{
	int table;

	for (table = 0; table < MEMPHIS_BLOCK_TABLES; table++)
		memphis_intervals_close(&blocks->index[table]);
	memphis_strings_close(&blocks->holders);
	free(blocks->shared_slots);
	free(blocks->stack_holders);
	free(blocks->groups);
	free(blocks->list);
	free(blocks->lifetimes);
	free(blocks->small);
	memset(blocks, 0, sizeof(*blocks));
}
