// SPDX-License-Identifier: BSD-3-Clause
/*
 * Replays the allocations, releases, namings and holders of all threads in order of time, and writes down
 * each block with its lifetime.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "blocks.h"
#include "live.h"

#define HOLDERS_MAX 16 /* slots remembered per block */

/* A block that has ended, before equal ones are folded. */
struct ended {
	uint64_t start, end, from_ns, to_ns;
	uint32_t group;
};

/* What a thread released last, with its pieces: if realloc moves it, its identity goes along. */
struct released {
	uint64_t address, end;
	struct memphis_live_block *pieces;
	size_t count, room;
};

struct replay {
	struct memphis_blocks *blocks;
	struct memphis_process *process;
	struct memphis_live live[MEMPHIS_BLOCK_TABLES];
	struct ended *ended;
	size_t ended_count, ended_room;
	uint32_t *group_slots; /* open addressing: group + 1, or 0 */
	size_t group_slot_count;
	struct released *released; /* of each source */
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

static int rehash_groups(struct replay *replay)
{
	size_t count = replay->group_slot_count ? replay->group_slot_count * 2 : 256, at, i;
	uint32_t *slots = calloc(count, sizeof(*slots));

	if (!slots)
		return -ENOMEM;
	for (i = 0; i < replay->blocks->group_count; i++) {
		at = group_hash(&replay->blocks->groups[i]) & (count - 1);
		while (slots[at])
			at = (at + 1) & (count - 1);
		slots[at] = (uint32_t)i + 1;
	}
	free(replay->group_slots);
	replay->group_slots = slots;
	replay->group_slot_count = count;
	return 0;
}

static int group_of(struct replay *replay, const struct memphis_live_block *block,
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
	struct memphis_blocks *blocks = replay->blocks;
	struct memphis_group *known;
	size_t at;

	if (blocks->group_count * 2 >= replay->group_slot_count && rehash_groups(replay))
		return -ENOMEM;
	at = group_hash(&group) & (replay->group_slot_count - 1);
	for (; replay->group_slots[at]; at = (at + 1) & (replay->group_slot_count - 1)) {
		*number = replay->group_slots[at] - 1;
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
	replay->group_slots[at] = *number + 1;
	return 0;
}

/* Writes the end of a live block down. It stays in the tree. */
static int end_block(struct replay *replay, const struct memphis_live_block *block,
		     enum memphis_block_table table, uint64_t to_ns)
{
	struct ended *ended;

	if (to_ns <= block->from_ns)
		return 0;
	ended = memphis_append(replay->ended, replay->ended_count, replay->ended_room);
	if (!ended)
		return -ENOMEM;
	ended->start = block->start;
	ended->end = block->end;
	ended->from_ns = block->from_ns;
	ended->to_ns = to_ns;
	return group_of(replay, block, table, &ended->group);
}

static int insert_piece(struct memphis_live *live, struct memphis_live_block piece, uint64_t start,
			uint64_t end, uint64_t from_ns)
{
	if (end <= start)
		return 0;
	piece.start = start;
	piece.end = end;
	piece.from_ns = from_ns;
	return memphis_live_insert(live, &piece);
}

/*
 * Ends everything in [low, high) at `time_ns`; what sticks out lives on if `keep_rest`. With `name`, the part
 * inside lives on under it (0, the empty one: as if it had never been named). *touched counts blocks.
 */
static int cut(struct replay *replay, enum memphis_block_table table, uint64_t low, uint64_t high,
	       uint64_t time_ns, bool keep_rest, const uint32_t *name, size_t *touched)
{
	struct memphis_live *live = &replay->live[table];
	struct memphis_live_block *at, piece;
	int rc = 0;

	*touched = 0;
	while (!rc && low < high && (at = memphis_live_at(live, low)) && at->start < high) {
		piece = *at;
		++*touched;
		rc = end_block(replay, &piece, table, time_ns);
		memphis_live_remove(live, piece.start);
		if (!rc && keep_rest)
			rc = insert_piece(live, piece, piece.start, low, time_ns);
		if (!rc && keep_rest)
			rc = insert_piece(live, piece, high, piece.end, time_ns);
		if (!rc && name) {
			uint32_t old = piece.name;

			piece.name = *name;
			rc = insert_piece(live, piece, piece.start > low ? piece.start : low,
					  piece.end < high ? piece.end : high, time_ns);
			piece.name = old;
		}
		low = piece.end;
	}
	return rc;
}

/* Remembers the pieces of [low, high), or with high = 0 those of the block that was allocated at `low`. */
static int remember(struct replay *replay, struct released *released, enum memphis_block_table table,
		    uint64_t low, uint64_t high)
{
	struct memphis_live_block *at, *piece;

	released->address = released->end = low;
	released->count = 0;
	while ((at = memphis_live_at(&replay->live[table], released->end)) &&
	       (high ? at->start < high : at->start == released->end && at->parent == low)) {
		piece = memphis_append(released->pieces, released->count, released->room);
		if (!piece)
			return -ENOMEM;
		*piece = *at;
		released->end = at->end;
	}
	return 0;
}

/* The block that realloc made of another one is that other one: same names, same holders, same allocation site. */
static int insert_moved(struct memphis_live *live, const struct released *released,
			const struct memphis_live_block *block)
{
	struct memphis_live_block piece, rest = *block;
	uint64_t low = block->start, start, end;
	size_t i;
	int rc = 0;

	rest.stack = released->pieces[0].stack;
	rest.shared = released->pieces[0].shared;
	if (released->count == 1) {
		rest.name = released->pieces[0].name;
		rest.holders = released->pieces[0].holders;
	}
	for (i = 0; !rc && i < released->count && released->count > 1; i++) {
		piece = released->pieces[i];
		piece.parent = block->parent;
		start = piece.start > released->address ? piece.start - released->address : 0;
		end = piece.end - released->address;
		if (start >= block->end - block->start)
			break;
		start += block->start;
		end = end < block->end - block->start ? end + block->start : block->end;
		rc = insert_piece(live, rest, low, start, block->from_ns);
		if (!rc)
			rc = insert_piece(live, piece, start, end, block->from_ns);
		low = end;
	}
	return rc ? rc : insert_piece(live, rest, low, block->end, block->from_ns);
}

static int replay_allocation(struct replay *replay, const struct memphis_allocation *event,
			     const struct released *released)
{
	bool map = event->kind != MEMPHIS_ALLOCATION_MALLOC;
	enum memphis_block_table table = map ? MEMPHIS_BLOCKS_MAP : MEMPHIS_BLOCKS_HEAP;
	struct memphis_live_block block = {.start = event->address,
					   .end = event->address + event->size_bytes,
					   .from_ns = event->time_ns,
					   .parent = event->address,
					   .stack = event->stack,
					   .shared = event->kind == MEMPHIS_ALLOCATION_SHARE};
	size_t touched;
	int rc;

	if (block.end <= block.start)
		return 0;
	/* mmap may replace parts of maps; malloc over a live block means that its release was not recorded. */
	rc = cut(replay, table, block.start, block.end, event->time_ns, map, NULL, &touched);
	if (rc)
		return rc;
	if (!map)
		replay->blocks->overlapped += touched;
	if (event->previous && event->previous == released->address && released->count)
		return insert_moved(&replay->live[table], released, &block);
	return memphis_live_insert(&replay->live[table], &block);
}

/* All pieces of the block that was allocated at `address`. */
static int replay_free(struct replay *replay, uint64_t address, uint64_t time_ns)
{
	struct memphis_live *live = &replay->live[MEMPHIS_BLOCKS_HEAP];
	struct memphis_live_block *at, piece;
	uint64_t next = address;
	int rc = 0;

	while (!rc && (at = memphis_live_at(live, next)) && at->start == next && at->parent == address) {
		piece = *at;
		rc = end_block(replay, &piece, MEMPHIS_BLOCKS_HEAP, time_ns);
		memphis_live_remove(live, piece.start);
		next = piece.end;
	}
	return rc;
}

/* Where the map ends that was made at `address`: pieces of it may have gone. */
static uint64_t end_of_map(struct replay *replay, uint64_t address)
{
	const struct memphis_live_block *at;
	uint64_t end = address;

	while ((at = memphis_live_at(&replay->live[MEMPHIS_BLOCKS_MAP], end)) && at->parent == address)
		end = at->end;
	return end;
}

static int replay_event(struct replay *replay, const struct memphis_allocation *event, uint32_t source)
{
	struct released *released = &replay->released[source];
	uint64_t end = event->address + event->size_bytes;
	size_t touched;
	int rc;

	switch (event->kind) {
	case MEMPHIS_ALLOCATION_MALLOC:
	case MEMPHIS_ALLOCATION_MAP:
	case MEMPHIS_ALLOCATION_SHARE:
		return replay_allocation(replay, event, released);
	case MEMPHIS_ALLOCATION_FREE:
		rc = remember(replay, released, MEMPHIS_BLOCKS_HEAP, event->address, 0);
		return rc ? rc : replay_free(replay, event->address, event->time_ns);
	case MEMPHIS_ALLOCATION_UNMAP:
		if (!event->size_bytes)
			end = end_of_map(replay, event->address);
		rc = remember(replay, released, MEMPHIS_BLOCKS_MAP, event->address, end);
		if (rc)
			return rc;
		return cut(replay, MEMPHIS_BLOCKS_MAP, event->address, end, event->time_ns, true, NULL,
			   &touched);
	}
	return 0;
}

static int replay_naming(struct replay *replay, const struct memphis_naming *naming)
{
	uint64_t low = naming->address, high = low + naming->bytes;
	struct memphis_live_block block = {
		.start = low, .end = high, .from_ns = naming->time_ns, .parent = low, .name = naming->name};
	size_t touched;
	int table, rc;

	if (high <= low)
		return 0;
	for (table = MEMPHIS_BLOCKS_HEAP; table <= MEMPHIS_BLOCKS_MAP; table++) {
		rc = cut(replay, (enum memphis_block_table)table, low, high, naming->time_ns, true,
			 &naming->name, &touched);
		if (rc || touched)
			return rc;
	}
	rc = cut(replay, MEMPHIS_BLOCKS_NAMED, low, high, naming->time_ns, true, NULL, &touched);
	return rc || !naming->name ? rc : memphis_live_insert(&replay->live[MEMPHIS_BLOCKS_NAMED], &block);
}

/* Adds `slot` to the set of slots `set`; gives the number of the new set. */
static uint32_t add_slot(struct memphis_strings *sets, uint32_t set, uint64_t slot)
{
	size_t bytes = memphis_strings_bytes(sets, set), count = bytes / 8, i;
	uint64_t slots[HOLDERS_MAX + 1];

	if (bytes)
		memcpy(slots, memphis_strings_get(sets, set), bytes);
	for (i = 0; i < count && slots[i] < slot; i++)
		;
	if ((i < count && slots[i] == slot) || count == HOLDERS_MAX)
		return set;
	memmove(slots + i + 1, slots + i, (count - i) * 8);
	slots[i] = slot;
	return memphis_strings_add(sets, slots, bytes + 8);
}

static int replay_holder(struct replay *replay, const struct memphis_holder *holder)
{
	struct memphis_live_block *block;
	uint32_t set;
	int table;

	for (table = MEMPHIS_BLOCKS_HEAP; table <= MEMPHIS_BLOCKS_MAP; table++) {
		block = memphis_live_at(&replay->live[table], holder->block);
		if (!block || block->start != holder->block)
			continue;
		set = add_slot(&replay->blocks->holders, block->holders, holder->slot);
		if (set == MEMPHIS_NO_STRING)
			return -ENOMEM;
		block->holders = set;
		return 0;
	}
	return 0;
}

/* One list of events in order of time: a thread's allocations, all namings, all holders, all inherited. */
struct source {
	uint64_t time_ns; /* of the next event */
	uint32_t rank;    /* at equal times: releases, allocations, namings, holders */
	uint32_t number;
	size_t next, count;
};

/* A thread's allocation, or an inherited one. */
static const struct memphis_allocation *allocation_of(const struct memphis_process *process,
						      const struct source *source)
{
	if (source->number < process->thread_count)
		return &process->threads[source->number].log->allocations[source->next];
	return &process->inherited[source->next];
}

static size_t events_of(const struct memphis_process *process, size_t number)
{
	if (number < process->thread_count)
		return process->threads[number].log->allocation_count;
	if (number == process->thread_count)
		return process->naming_count;
	return number == process->thread_count + 1 ? process->holder_count : process->inherited_count;
}

static void look_ahead(const struct memphis_process *process, struct source *source)
{
	const struct memphis_allocation *event;

	if (source->next == source->count)
		return;
	if (source->number < process->thread_count || source->number == process->thread_count + 2) {
		event = allocation_of(process, source);
		source->time_ns = event->time_ns;
		source->rank =
			event->kind != MEMPHIS_ALLOCATION_FREE && event->kind != MEMPHIS_ALLOCATION_UNMAP;
	} else if (source->number == process->thread_count) {
		source->time_ns = process->namings[source->next].time_ns;
		source->rank = 2;
	} else {
		source->time_ns = process->holders[source->next].time_ns;
		source->rank = 3;
	}
}

static bool earlier(const struct source *a, const struct source *b)
{
	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns;
	if (a->rank != b->rank)
		return a->rank < b->rank;
	return a->number < b->number;
}

static void sift_down(struct source *heap, size_t count, size_t at)
{
	struct source moved = heap[at];
	size_t child;

	for (; (child = 2 * at + 1) < count; at = child) {
		if (child + 1 < count && earlier(&heap[child + 1], &heap[child]))
			child++;
		if (!earlier(&heap[child], &moved))
			break;
		heap[at] = heap[child];
	}
	heap[at] = moved;
}

static int replay_next(struct replay *replay, const struct source *source)
{
	struct memphis_process *process = replay->process;

	if (source->number < process->thread_count || source->number == process->thread_count + 2)
		return replay_event(replay, allocation_of(process, source), source->number);
	if (source->number == process->thread_count)
		return replay_naming(replay, &process->namings[source->next]);
	return replay_holder(replay, &process->holders[source->next]);
}

static int replay_all(struct replay *replay)
{
	struct memphis_process *process = replay->process;
	size_t sources = process->thread_count + 3, count = 0, i;
	struct source *heap = calloc(sources, sizeof(*heap));
	int rc = 0;

	replay->released = calloc(sources, sizeof(*replay->released));
	if (!heap || !replay->released) {
		free(heap);
		return -ENOMEM;
	}
	for (i = 0; i < sources; i++) {
		heap[count].number = (uint32_t)i;
		heap[count].next = 0;
		heap[count].count = events_of(process, i);
		look_ahead(process, &heap[count]);
		count += heap[count].count > 0;
	}
	for (i = count; i-- > 0;)
		sift_down(heap, count, i);
	while (!rc && count) {
		rc = replay_next(replay, heap);
		heap->next++;
		look_ahead(process, heap);
		if (heap->next == heap->count)
			heap[0] = heap[--count];
		if (count)
			sift_down(heap, count, 0);
	}
	free(heap);
	return rc;
}

static int end_all(struct replay *replay)
{
	struct memphis_live *live;
	struct memphis_live_block *at;
	uint64_t next;
	int table, rc = 0;

	for (table = 0; table < MEMPHIS_BLOCK_TABLES; table++) {
		live = &replay->live[table];
		for (next = 0; !rc && (at = memphis_live_at(live, next)); next = at->end)
			rc = end_block(replay, at, (enum memphis_block_table)table, UINT64_MAX);
	}
	return rc;
}

static int compare_ended(const void *a, const void *b)
{
	const struct ended *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->end != y->end)
		return x->end < y->end ? -1 : 1;
	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	return x->from_ns < y->from_ns ? -1 : x->from_ns > y->from_ns;
}

/* Blocks that came again at the same place become one with several lifetimes. */
static int fold(struct replay *replay)
{
	struct memphis_blocks *blocks = replay->blocks;
	struct memphis_block *block = NULL;
	struct memphis_lifetime *lifetime;
	const struct ended *ended;
	size_t i;

	if (replay->ended_count)
		qsort(replay->ended, replay->ended_count, sizeof(*replay->ended), compare_ended);
	for (i = 0; i < replay->ended_count; i++) {
		ended = &replay->ended[i];
		if (!block || block->start != ended->start || block->end != ended->end ||
		    block->group != ended->group) {
			block = memphis_append(blocks->list, blocks->count, blocks->room);
			if (!block)
				return -ENOMEM;
			block->start = ended->start;
			block->end = ended->end;
			block->group = ended->group;
			block->lifetime = blocks->lifetime_count;
			if (memphis_intervals_add(&blocks->index[blocks->groups[ended->group].table],
						  block->start, block->end, (uint32_t)blocks->count - 1))
				return -ENOMEM;
		}
		lifetime = memphis_append(blocks->lifetimes, blocks->lifetime_count, blocks->lifetime_room);
		if (!lifetime)
			return -ENOMEM;
		lifetime->from_ns = ended->from_ns;
		lifetime->to_ns = ended->to_ns;
		block->lifetime_count++;
	}
	for (i = 0; i < MEMPHIS_BLOCK_TABLES; i++)
		memphis_intervals_sort(&blocks->index[i]);
	return 0;
}

/*
 * A block that lived too short for its holder to be seen: if all blocks of the same call stack that were seen had the
 * same holders, it had them too.
 */
static int find_stack_holders(struct memphis_blocks *blocks, const struct memphis_process *process)
{
	const uint32_t conflict = UINT32_MAX;
	const struct memphis_group *group;
	uint32_t *known;
	size_t i;

	blocks->stack_holders = calloc(process->stacks.count + 1, sizeof(*blocks->stack_holders));
	if (!blocks->stack_holders)
		return -ENOMEM;
	for (i = 0; i < blocks->group_count; i++) {
		group = &blocks->groups[i];
		known = &blocks->stack_holders[group->stack];
		if (!group->holders || !group->stack)
			continue;
		*known = !*known || *known == group->holders ? group->holders : conflict;
	}
	for (i = 0; i < process->stacks.count; i++)
		if (blocks->stack_holders[i] == conflict)
			blocks->stack_holders[i] = 0;
	return 0;
}

static int compare_namings(const void *a, const void *b)
{
	const struct memphis_naming *x = a, *y = b;

	return x->time_ns < y->time_ns ? -1 : x->time_ns > y->time_ns;
}

static int compare_holders(const void *a, const void *b)
{
	const struct memphis_holder *x = a, *y = b;

	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	return x->slot < y->slot ? -1 : x->slot > y->slot;
}

int memphis_blocks_build(struct memphis_blocks *blocks, struct memphis_process *process)
{
	struct replay replay = {.blocks = blocks, .process = process};
	size_t i;
	int rc;

	memset(blocks, 0, sizeof(*blocks));
	if (memphis_strings_add(&blocks->holders, "", 0))
		return -ENOMEM;
	if (process->naming_count)
		qsort(process->namings, process->naming_count, sizeof(*process->namings), compare_namings);
	if (process->holder_count)
		qsort(process->holders, process->holder_count, sizeof(*process->holders), compare_holders);
	rc = replay_all(&replay);
	if (!rc)
		rc = end_all(&replay);
	if (!rc)
		rc = fold(&replay);
	if (!rc)
		rc = find_stack_holders(blocks, process);
	for (i = 0; i < MEMPHIS_BLOCK_TABLES; i++)
		memphis_live_close(&replay.live[i]);
	for (i = 0; replay.released && i < process->thread_count + 3; i++)
		free(replay.released[i].pieces);
	free(replay.released);
	free(replay.ended);
	free(replay.group_slots);
	return rc;
}
