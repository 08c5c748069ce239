/* SPDX-License-Identifier: BSD-3-Clause */
/* Table of tracked blocks: a hash table with linear probing. */
#include <string.h>

#include "data/blocks.h"

#define SIZE_MIN       4096
#define SIZE_MAX_SLOTS (1u << 24)
/*
 * Releases are kept in the table for this time. An earlier allocation at the same address may arrive later,
 * from another thread, and must not make the block live again.
 */
#define END_MEMORY_NS 10000000000u

static struct memphis_tracked_block *find_slot(struct memphis_tracked_block *slots, size_t size,
					       __u64 address)
{
	size_t at = (address >> 4) * 0x9e3779b97f4a7c15u >> 24;

	for (;; at++) {
		struct memphis_tracked_block *slot = &slots[at & (size - 1)];

		if (slot->address == address || !slot->address)
			return slot;
	}
}

/*
 * Makes room in the table. Drops blocks that were released long ago, and resizes the table so that at most a
 * quarter of it is in use. Returns 0 or -ENOMEM.
 */
static int rehash(struct memphis_tracked_blocks *blocks, __u64 now)
{
	size_t i, keep = 0, size = SIZE_MIN;
	struct memphis_tracked_block *slots, *slot;

	for (i = 0; i < blocks->size; i++) {
		slot = &blocks->slots[i];
		if (slot->address && !slot->is_live && slot->time_ns + END_MEMORY_NS < now)
			slot->is_live = UINT64_MAX; /* marks the slot so that it is not copied below */
		else if (slot->address)
			keep++;
	}
	while (size < 4 * keep)
		size *= 2;
	if (size > SIZE_MAX_SLOTS)
		return -ENOMEM;
	slots = sys_map(size * sizeof(*slots));
	if (!slots)
		return -ENOMEM;
	for (i = 0; i < blocks->size; i++) {
		slot = &blocks->slots[i];
		if (slot->address && slot->is_live != UINT64_MAX)
			*find_slot(slots, size, slot->address) = *slot;
	}
	sys_unmap(blocks->slots, blocks->size * sizeof(*slots));
	blocks->slots = slots;
	blocks->size = size;
	blocks->used = keep;
	return 0;
}

int memphis_blocks_is_full(const struct memphis_tracked_blocks *blocks)
{
	return 2 * blocks->used >= blocks->size;
}

void memphis_blocks_reset(struct memphis_tracked_blocks *parts, const struct memphis_tracked_blocks *resets)
{
	const struct memphis_tracked_block *reset;
	struct memphis_tracked_block *part;

	for (part = parts->slots; part < parts->slots + parts->size; part++) {
		reset = part->is_live ? memphis_blocks_find(resets, part->is_live * 16) : NULL;
		if (!reset || reset->time_ns < part->time_ns)
			continue;
		part->is_live = 0;
		part->time_ns = reset->time_ns;
	}
}

int memphis_blocks_put(struct memphis_tracked_blocks *blocks, __u64 address, __u64 time_ns, __u64 is_live)
{
	struct memphis_tracked_block *slot;

	if (!address)
		return 0;
	if (memphis_blocks_is_full(blocks) && rehash(blocks, time_ns) && blocks->used + 1 >= blocks->size)
		return -ENOMEM;
	slot = find_slot(blocks->slots, blocks->size, address);
	if (slot->address && slot->time_ns > time_ns)
		return 0;
	if (!slot->address) {
		blocks->used++;
		if (!blocks->low || address < blocks->low)
			blocks->low = address;
		if (address > blocks->high)
			blocks->high = address;
	}
	slot->address = address;
	slot->time_ns = time_ns;
	slot->is_live = is_live;
	blocks->changes += is_live != 0;
	return 0;
}

const struct memphis_tracked_block *memphis_blocks_find(const struct memphis_tracked_blocks *blocks,
							__u64 address)
{
	const struct memphis_tracked_block *slot;

	if (!blocks->size || address < blocks->low || address > blocks->high)
		return NULL;
	slot = find_slot(blocks->slots, blocks->size, address);
	return slot->address ? slot : NULL;
}

void memphis_blocks_free(struct memphis_tracked_blocks *blocks)
{
	sys_unmap(blocks->slots, blocks->size * sizeof(*blocks->slots));
	memset(blocks, 0, sizeof(*blocks));
}
