// SPDX-License-Identifier: BSD-3-Clause
/*
 * Replays the allocations, releases, namings and holders of all threads in order of time, and writes down
 * each block with its lifetime.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "attribute/ended.h"
#include "attribute/history.h"
#include "read/fork_blocks.h"
#include "attribute/live_blocks.h"

#define HOLDERS_MAX 16 /* slots remembered per block */
#define CONFLICT    UINT32_MAX
/* Largest difference between the times of one event in the files of a process and of its child, as each converts clocks itself. */
#define TWICE_NS 10000u

/* What a thread released last, with its pieces: if realloc moves it, its identity goes along. */
struct released {
	uint64_t address, end, time_ns;
	struct memphis_live_block *pieces;
	size_t count, room;
};

/* Holders of blocks of that call stack that the parent had released before it forked. */
struct held_before {
	uint32_t stack, holders;
};

/* All processes of a build; and those that have a parent, sorted by parent and time of the fork. */
struct build {
	struct memphis_blocks *const *blocks;
	struct memphis_process *list;
	struct memphis_process **children;
	size_t child_count;
};

struct replay {
	const struct build *build;
	struct memphis_blocks *blocks;
	struct memphis_process *process;
	struct memphis_live_blocks live[MEMPHIS_BLOCK_TABLES];
	struct memphis_ended ended;
	struct released *released; /* of each source */
	uint32_t source_count;
	struct held_before *held_before;
	size_t held_before_count, held_before_room;
	struct released *released_before; /* what each source of the parent had released last */
	size_t released_before_count, released_before_room;
};

static int insert_piece(struct memphis_live_blocks *live, struct memphis_live_block piece, uint64_t start,
			uint64_t end, uint64_t from_ns)
{
	if (end <= start)
		return 0;
	piece.start = start;
	piece.end = end;
	piece.from_ns = from_ns;
	return memphis_live_blocks_insert(live, &piece);
}

/*
 * Ends everything in [low, high) at `time_ns`; what sticks out lives on if `keep_rest`. With `name`, the part
 * inside lives on under it (0, the empty one: as if it had never been named). *touched counts blocks.
 */
static int cut(struct replay *replay, enum memphis_block_table table, uint64_t low, uint64_t high,
	       uint64_t time_ns, bool keep_rest, const uint32_t *name, size_t *touched)
{
	struct memphis_live_blocks *live = &replay->live[table];
	struct memphis_live_block *at, piece;
	int rc = 0;

	*touched = 0;
	while (!rc && low < high && (at = memphis_live_blocks_at(live, low)) && at->start < high) {
		piece = *at;
		++*touched;
		rc = memphis_ended_add(&replay->ended, &piece, table, time_ns);
		memphis_live_blocks_remove(live, piece.start);
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
		    uint64_t low, uint64_t high, uint64_t time_ns)
{
	struct memphis_live_block *at, *piece;

	released->address = released->end = low;
	released->time_ns = time_ns;
	released->count = 0;
	while ((at = memphis_live_blocks_at(&replay->live[table], released->end)) &&
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
static int insert_moved(struct memphis_live_blocks *live, const struct released *released,
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

static bool is_close(uint64_t a_ns, uint64_t b_ns)
{
	return (a_ns > b_ns ? a_ns - b_ns : b_ns - a_ns) <= TWICE_NS;
}

/* What the parent had not written yet when it forked is in the files of both. */
static bool may_be_told_twice(const struct replay *replay, uint64_t time_ns)
{
	const struct memphis_process *process = replay->process;

	return process->parent && (time_ns < process->forked_ns || is_close(time_ns, process->forked_ns));
}

static bool is_told_again(struct replay *replay, enum memphis_block_table table,
			  const struct memphis_live_block *block)
{
	const struct memphis_live_block *at;

	if (!may_be_told_twice(replay, block->from_ns))
		return false;
	at = memphis_live_blocks_at(&replay->live[table], block->start);
	return at && at->start == block->start && at->parent == block->start &&
	       is_close(at->from_ns, block->from_ns);
}

/* If a release is in the files of both, the first record has the pieces. */
static const struct released *released_by(const struct replay *replay, const struct released *own)
{
	const struct released *one;
	uint32_t i;

	for (i = 0; !own->count && may_be_told_twice(replay, own->time_ns) && i < replay->source_count; i++) {
		one = &replay->released[i];
		if (one->count && one->address == own->address && is_close(one->time_ns, own->time_ns))
			return one;
	}
	return own;
}

/* The latest block at `address` that a thread of the parent had released when the child inherited; NULL if there is none. */
static const struct released *released_before(const struct replay *replay, uint64_t address)
{
	const struct released *one, *last = NULL;
	size_t i;

	for (i = 0; i < replay->released_before_count; i++) {
		one = &replay->released_before[i];
		if (one->address == address && (!last || one->time_ns > last->time_ns))
			last = one;
	}
	return last;
}

/* The block that realloc() moved, or NULL if it is not known. */
static const struct released *moved_from(const struct replay *replay, const struct released *own,
					 uint64_t previous)
{
	const struct released *released;

	if (!previous)
		return NULL;
	released = own->address == previous ? released_by(replay, own) : released_before(replay, previous);
	return released && released->count ? released : NULL;
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

	if (block.end <= block.start || is_told_again(replay, table, &block))
		return 0;
	/* mmap may replace parts of maps; malloc over a live block means that its release was not recorded. */
	rc = cut(replay, table, block.start, block.end, event->time_ns, map, NULL, &touched);
	if (rc)
		return rc;
	if (!map)
		replay->blocks->overlapped += touched;
	released = moved_from(replay, released, event->previous);
	if (released)
		return insert_moved(&replay->live[table], released, &block);
	return memphis_live_blocks_insert(&replay->live[table], &block);
}

/* All pieces of the block that was allocated at `address`. */
static int replay_free(struct replay *replay, uint64_t address, uint64_t time_ns)
{
	struct memphis_live_blocks *live = &replay->live[MEMPHIS_BLOCKS_HEAP];
	struct memphis_live_block *at, piece;
	uint64_t next = address;
	int rc = 0;

	while (!rc && (at = memphis_live_blocks_at(live, next)) && at->start == next &&
	       at->parent == address) {
		piece = *at;
		rc = memphis_ended_add(&replay->ended, &piece, MEMPHIS_BLOCKS_HEAP, time_ns);
		memphis_live_blocks_remove(live, piece.start);
		next = piece.end;
	}
	return rc;
}

/* Where the map ends that was made at `address`: pieces of it may have gone. */
static uint64_t end_of_map(struct replay *replay, uint64_t address)
{
	const struct memphis_live_block *at;
	uint64_t end = address;

	while ((at = memphis_live_blocks_at(&replay->live[MEMPHIS_BLOCKS_MAP], end)) && at->parent == address)
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
		rc = remember(replay, released, MEMPHIS_BLOCKS_HEAP, event->address, 0, event->time_ns);
		return rc ? rc : replay_free(replay, event->address, event->time_ns);
	case MEMPHIS_ALLOCATION_UNMAP:
		if (!event->size_bytes)
			end = end_of_map(replay, event->address);
		rc = remember(replay, released, MEMPHIS_BLOCKS_MAP, event->address, end, event->time_ns);
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
	return rc || !naming->name ? rc
				   : memphis_live_blocks_insert(&replay->live[MEMPHIS_BLOCKS_NAMED], &block);
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
		block = memphis_live_blocks_at(&replay->live[table], holder->block);
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

/* Events of ancestors have the ancestor's numbers of strings. */
static int replay_next(struct replay *replay, const struct memphis_event_source *source)
{
	struct memphis_process *process = replay->process;
	struct memphis_allocation event;
	struct memphis_naming naming;

	switch (source->kind) {
	case MEMPHIS_EVENT_ALLOCATION:
		event = source->allocations[source->next];
		if (source->process != process)
			event.stack = memphis_inherit_stack(process, source->process, event.stack);
		return event.stack == MEMPHIS_NO_STRING ? -ENOMEM
							: replay_event(replay, &event, source->number);
	case MEMPHIS_EVENT_NAMING:
		naming = source->process->namings[source->next];
		if (source->process != process)
			naming.name = memphis_inherit_name(process, source->process, naming.name);
		return naming.name == MEMPHIS_NO_STRING ? -ENOMEM : replay_naming(replay, &naming);
	case MEMPHIS_EVENT_HOLDER:
		break;
	}
	return replay_holder(replay, &source->process->holders[source->next]);
}

static int add_held_before(struct replay *replay, struct memphis_translation *translation, uint32_t stack,
			   uint32_t holders)
{
	struct held_before *held;

	if (!stack || !holders)
		return 0;
	held = memphis_append(replay->held_before, replay->held_before_count, replay->held_before_room);
	if (!held)
		return -ENOMEM;
	held->stack = stack;
	held->holders = holders;
	return memphis_translate_stack(translation, &held->stack) ||
			       memphis_translate_holders(translation, &held->holders)
		       ? -ENOMEM
		       : 0;
}

static int translate_block(struct memphis_translation *translation, struct memphis_live_block *block)
{
	return memphis_translate_stack(translation, &block->stack) ||
			       memphis_translate_name(translation, &block->name) ||
			       memphis_translate_holders(translation, &block->holders)
		       ? -ENOMEM
		       : 0;
}

/* Keeps a released block: if realloc() is moving it, its allocation is replayed in the child. */
static int add_released_before(struct replay *replay, struct memphis_translation *translation,
			       const struct released *from)
{
	struct released *kept;
	size_t i;
	int rc = 0;

	if (!from->count)
		return 0;
	kept = memphis_append(replay->released_before, replay->released_before_count,
			      replay->released_before_room);
	if (!kept)
		return -ENOMEM;
	*kept = *from;
	kept->pieces = calloc(from->count, sizeof(*kept->pieces));
	if (!kept->pieces)
		return -ENOMEM;
	memcpy(kept->pieces, from->pieces, from->count * sizeof(*kept->pieces));
	for (i = 0; !rc && i < kept->count; i++)
		rc = translate_block(translation, &kept->pieces[i]);
	return rc;
}

/* What lives in the parent, what it has just released, and what it knows of call stacks. */
static int inherit(struct replay *replay, const struct replay *parent)
{
	struct memphis_translation translation;
	const struct memphis_group *group;
	struct memphis_live_block *at;
	struct memphis_live_blocks *live;
	uint64_t next;
	size_t i;
	int rc = memphis_translation_open(&translation, replay->process, parent->process,
					  &replay->blocks->holders, &parent->blocks->holders);

	for (live = replay->live; !rc && live < replay->live + MEMPHIS_BLOCK_TABLES; live++) {
		rc = memphis_live_blocks_copy(live, &parent->live[live - replay->live]);
		for (next = 0; !rc && (at = memphis_live_blocks_at(live, next)); next = at->end)
			rc = translate_block(&translation, at);
	}
	for (i = 0; !rc && i < parent->source_count; i++)
		rc = add_released_before(replay, &translation, &parent->released[i]);
	for (i = 0; !rc && i < parent->released_before_count; i++)
		rc = add_released_before(replay, &translation, &parent->released_before[i]);
	for (i = 0; !rc && i < parent->blocks->group_count; i++) {
		group = &parent->blocks->groups[i];
		rc = add_held_before(replay, &translation, group->stack, group->holders);
	}
	for (i = 0; !rc && i < parent->held_before_count; i++)
		rc = add_held_before(replay, &translation, parent->held_before[i].stack,
				     parent->held_before[i].holders);
	memphis_translation_close(&translation);
	return rc;
}

static int build_one(const struct build *build, struct memphis_process *process, const struct replay *parent);

/* The first of the children that has this parent. */
static size_t first_child(const struct build *build, const struct memphis_process *parent)
{
	size_t low = 0, high = build->child_count, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (build->children[middle]->parent < parent)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Children are built when the replay has come to what they inherit. */
static int replay_all(struct replay *replay)
{
	const struct build *build = replay->build;
	size_t child = first_child(build, replay->process);
	const struct memphis_event_source *source;
	struct memphis_process *next;
	struct memphis_history history;
	int rc;

	rc = memphis_history_open(&history, replay->process);
	replay->source_count = history.sources;
	replay->released = calloc((size_t)history.sources + 1, sizeof(*replay->released));
	if (!replay->released)
		rc = -ENOMEM;
	while (!rc) {
		source = memphis_history_next(&history);
		next = child < build->child_count ? build->children[child] : NULL;
		if (next && next->parent == replay->process &&
		    (!source || next->inherits_ns <= source->time_ns)) {
			rc = build_one(build, next, replay);
			child++;
			continue;
		}
		if (!source)
			break;
		rc = replay_next(replay, source);
		memphis_history_pass(&history);
	}
	memphis_history_close(&history);
	return rc;
}

static int end_all(struct replay *replay)
{
	struct memphis_live_blocks *live;
	struct memphis_live_block *at;
	uint64_t next;
	int table, rc = 0;

	for (table = 0; table < MEMPHIS_BLOCK_TABLES; table++) {
		live = &replay->live[table];
		for (next = 0; !rc && (at = memphis_live_blocks_at(live, next)); next = at->end)
			rc = memphis_ended_add(&replay->ended, at, (enum memphis_block_table)table,
					       UINT64_MAX);
	}
	return rc;
}

static void agree(uint32_t *known, uint32_t holders)
{
	*known = !*known || *known == holders ? holders : CONFLICT;
}

/*
 * A block that lived too short for its holder to be seen: if all blocks of the same call stack that were seen had the
 * same holders, it had them too.
 */
static int find_stack_holders(const struct replay *replay)
{
	struct memphis_blocks *blocks = replay->blocks;
	const size_t stacks = replay->process->stacks.count;
	const struct held_before *held;
	size_t i;

	blocks->stack_holders = calloc(stacks + 1, sizeof(*blocks->stack_holders));
	if (!blocks->stack_holders)
		return -ENOMEM;
	for (i = 0; i < replay->held_before_count; i++) {
		held = &replay->held_before[i];
		agree(&blocks->stack_holders[held->stack], held->holders);
	}
	for (i = 0; i < blocks->group_count; i++)
		if (blocks->groups[i].holders && blocks->groups[i].stack)
			agree(&blocks->stack_holders[blocks->groups[i].stack], blocks->groups[i].holders);
	for (i = 0; i < stacks; i++)
		if (blocks->stack_holders[i] == CONFLICT)
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

static void sort_events(struct memphis_process *process)
{
	if (process->naming_count)
		qsort(process->namings, process->naming_count, sizeof(*process->namings), compare_namings);
	if (process->holder_count)
		qsort(process->holders, process->holder_count, sizeof(*process->holders), compare_holders);
}

static int build_one(const struct build *build, struct memphis_process *process, const struct replay *parent)
{
	struct memphis_blocks *blocks = build->blocks[process - build->list];
	struct replay replay = {
		.build = build, .blocks = blocks, .process = process, .ended = {.blocks = blocks}};
	size_t i;
	int rc = 0;

	if (memphis_strings_add(&blocks->holders, "", 0))
		return -ENOMEM;
	if (parent)
		rc = inherit(&replay, parent);
	if (!rc)
		rc = replay_all(&replay);
	if (!rc)
		rc = end_all(&replay);
	if (!rc)
		rc = memphis_ended_fold(&replay.ended);
	if (!rc)
		rc = find_stack_holders(&replay);
	for (i = 0; i < MEMPHIS_BLOCK_TABLES; i++)
		memphis_live_blocks_close(&replay.live[i]);
	for (i = 0; replay.released && i < replay.source_count; i++)
		free(replay.released[i].pieces);
	free(replay.released);
	for (i = 0; i < replay.released_before_count; i++)
		free(replay.released_before[i].pieces);
	free(replay.released_before);
	free(replay.held_before);
	memphis_ended_close(&replay.ended);
	return rc;
}

static int compare_children(const void *a, const void *b)
{
	const struct memphis_process *x = *(struct memphis_process *const *)a;
	const struct memphis_process *y = *(struct memphis_process *const *)b;

	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	if (x->inherits_ns != y->inherits_ns)
		return x->inherits_ns < y->inherits_ns ? -1 : 1;
	return x < y ? -1 : x > y;
}

int memphis_blocks_build(struct memphis_blocks *const *blocks, struct memphis_process *list, size_t count)
{
	struct build build = {.blocks = blocks, .list = list};
	size_t i;
	int rc = 0;

	for (i = 0; i < count; i++) {
		memset(blocks[i], 0, sizeof(*blocks[i]));
		sort_events(&list[i]);
	}
	build.children = calloc(count + 1, sizeof(struct memphis_process *));
	if (!build.children)
		return -ENOMEM;
	for (i = 0; i < count; i++)
		if (list[i].parent)
			build.children[build.child_count++] = &list[i];
	qsort(build.children, build.child_count, sizeof(struct memphis_process *), compare_children);
	for (i = 0; !rc && i < count; i++)
		if (!list[i].parent)
			rc = build_one(&build, &list[i], NULL);
	free(build.children);
	return rc;
}
