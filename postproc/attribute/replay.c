// SPDX-License-Identifier: BSD-3-Clause
/* Applies the events of a process one by one to its live blocks. Records each block that ends. */
#include "attribute/replay.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "read/fork_blocks.h"

/* Ends live blocks in an address range. The cause is an unmapping, a naming, or an allocation at the same place. */

struct memphis_cut {
	uint64_t low, high, time_ns;
	bool keep_rest; /* the pieces of the blocks outside the range stay alive */
	/* If not NULL, the pieces inside the range stay alive and get this name (0: no name). */
	const uint32_t *name;
};

/*
 * Inserts a copy of `piece` with these bounds, alive from `from_ns` on. Inserts nothing if the range is
 * empty. Returns 0 or -ENOMEM.
 */
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
 * Ends all blocks of the table that overlap [cut->low, cut->high). If `touched` is not NULL, sets *touched to
 * the number of these blocks. Returns 0 or -ENOMEM.
 */
static int cut_blocks(struct memphis_replay *replay, enum memphis_block_table table,
		      const struct memphis_cut *cut, size_t *touched)
{
	const uint64_t high = cut->high, time_ns = cut->time_ns;
	struct memphis_live_blocks *live = &replay->live[table];
	struct memphis_live_block *at, piece;
	size_t count = 0;
	uint64_t low = cut->low;
	int rc = 0;

	while (!rc && low < high && (at = memphis_live_blocks_at(live, low)) && at->start < high) {
		piece = *at;
		count++;
		rc = memphis_ended_add(&replay->ended, &piece, table, time_ns);
		memphis_live_blocks_remove(live, piece.start);
		if (!rc && cut->keep_rest)
			rc = insert_piece(live, piece, piece.start, low, time_ns);
		if (!rc && cut->keep_rest)
			rc = insert_piece(live, piece, high, piece.end, time_ns);
		if (!rc && cut->name) {
			uint32_t old = piece.name;

			piece.name = *cut->name;
			rc = insert_piece(live, piece, piece.start > low ? piece.start : low,
					  piece.end < high ? piece.end : high, time_ns);
			piece.name = old;
		}
		low = piece.end;
	}
	if (touched)
		*touched = count;
	return rc;
}

/* Merges the events of a process and of its ancestors in chronological order, by a k-way merge with a binary heap. */

static uint64_t event_time(const struct memphis_event_source *source, size_t i)
{
	switch (source->kind) {
	case MEMPHIS_EVENT_ALLOCATION:
		return source->allocations[i].time_ns;
	case MEMPHIS_EVENT_NAMING:
		return source->process->log->namings[i].time_ns;
	case MEMPHIS_EVENT_HOLDER:
		break;
	}
	return source->process->log->holders[i].time_ns;
}

static void load_next_event(struct memphis_event_source *source)
{
	const struct memphis_allocation *event;

	if (source->next == source->end)
		return;
	source->time_ns = event_time(source, source->next);
	source->rank = 1 + source->kind;
	if (source->kind != MEMPHIS_EVENT_ALLOCATION)
		return;
	event = &source->allocations[source->next];
	if (event->kind == MEMPHIS_ALLOCATION_FREE || event->kind == MEMPHIS_ALLOCATION_UNMAP ||
	    event->kind == MEMPHIS_ALLOCATION_PART_FREE || event->kind == MEMPHIS_ALLOCATION_POOL_RESET)
		source->rank = 0;
}

static bool is_earlier(const struct memphis_event_source *a, const struct memphis_event_source *b)
{
	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns;
	if (a->rank != b->rank)
		return a->rank < b->rank;
	return a->number < b->number;
}

static void sift_down(struct memphis_event_source *heap, size_t count, size_t at)
{
	struct memphis_event_source moved = heap[at];
	size_t child;

	for (; (child = 2 * at + 1) < count; at = child) {
		if (child + 1 < count && is_earlier(&heap[child + 1], &heap[child]))
			child++;
		if (!is_earlier(&heap[child], &moved))
			break;
		heap[at] = heap[child];
	}
	heap[at] = moved;
}

/* Returns the index of the first event at or after `time_ns`, or `count` if there is none. */
static size_t find_event_since(const struct memphis_event_source *source, size_t count, uint64_t time_ns)
{
	return memphis_bisect(i, count, event_time(source, i) < time_ns);
}

/* Adds a source. Of its `count` events, only those in the time interval [from_ns, to_ns) are used. */
static int add_source(struct memphis_history *history, struct memphis_event_source source, size_t count,
		      uint64_t from_ns, uint64_t to_ns)
{
	struct memphis_event_source *added;

	source.next = from_ns ? find_event_since(&source, count, from_ns) : 0;
	source.end = to_ns == UINT64_MAX ? count : find_event_since(&source, count, to_ns);
	if (source.next >= source.end)
		return 0;
	added = memphis_append(history->heap, history->count, history->room);
	if (!added)
		return -ENOMEM;
	*added = source;
	added->number = history->sources++;
	load_next_event(added);
	return 0;
}

static int add_process(struct memphis_history *history, const struct memphis_process *process,
		       uint64_t from_ns, uint64_t to_ns)
{
	struct memphis_event_source source = {.process = process};
	const struct memphis_thread_log *log;
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < process->thread_count; i++) {
		log = process->threads[i].log;
		source.allocations = log->allocations;
		source.thread = (uint32_t)i;
		rc = add_source(history, source, log->allocation_count, from_ns, to_ns);
	}
	source.kind = MEMPHIS_EVENT_NAMING;
	if (!rc)
		rc = add_source(history, source, process->log->naming_count, from_ns, to_ns);
	source.kind = MEMPHIS_EVENT_HOLDER;
	return rc ? rc : add_source(history, source, process->log->holder_count, from_ns, to_ns);
}

int memphis_history_open(struct memphis_history *history, const struct memphis_process *process)
{
	const struct memphis_process *one;
	uint64_t to_ns = UINT64_MAX;
	size_t i;
	int rc;

	memset(history, 0, sizeof(*history));
	rc = add_process(history, process, 0, to_ns);
	for (one = process; !rc && one->parent; one = one->parent) {
		if (one->forked_ns < to_ns)
			to_ns = one->forked_ns;
		if (process->inherits_ns >= to_ns)
			break;
		rc = add_process(history, one->parent, process->inherits_ns, to_ns);
	}
	for (i = history->count; !rc && i-- > 0;)
		sift_down(history->heap, history->count, i);
	return rc;
}

void memphis_history_advance(struct memphis_history *history)
{
	struct memphis_event_source *heap = history->heap;

	heap->next++;
	load_next_event(heap);
	if (heap->next == heap->end)
		heap[0] = heap[--history->count];
	if (history->count)
		sift_down(heap, history->count, 0);
}

void memphis_history_close(struct memphis_history *history)
{
	free(history->heap);
	memset(history, 0, sizeof(*history));
}

/*
 * The live parts of pools during the replay. A part inside a live part of another pool is one level deeper
 * than that part. The parts of one level never overlap, and each part of a deeper level lies inside a part of
 * the level above. When the outer part ends, the inner one ends too. The functions return 0 or -ENOMEM.
 */

static enum memphis_block_table level_table(int level)
{
	return (enum memphis_block_table)(MEMPHIS_BLOCKS_PART + level);
}

static struct memphis_live_blocks *level_blocks(struct memphis_replay *replay, int level)
{
	return &replay->live[level_table(level)];
}

/* Ends the parts of this level and deeper levels that overlap the range. Sets *touched to the number of parts of this level. */
static int cut_levels(struct memphis_replay *replay, int level, const struct memphis_cut *cut,
		      size_t *touched)
{
	int rc = cut_blocks(replay, level_table(level), cut, touched);

	for (level++; !rc && level < MEMPHIS_PART_LEVELS; level++)
		rc = cut_blocks(replay, level_table(level), cut, NULL);
	return rc;
}

/* Begins a part. Ends parts of the same pool that overlap it, and counts them in blocks->overlapped. */
static int begin_part(struct memphis_replay *replay, const struct memphis_live_block *part)
{
	const struct memphis_cut cut = {.low = part->start, .high = part->end, .time_ns = part->from_ns};
	const struct memphis_live_block *at;
	size_t touched;
	int level, rc;

	for (level = 0; level + 1 < MEMPHIS_PART_LEVELS; level++) {
		at = memphis_live_blocks_at(level_blocks(replay, level), part->start);
		if (!at || at->start > part->start || at->end < part->end || at->pool == part->pool)
			break;
	}
	rc = cut_levels(replay, level, &cut, &touched);
	replay->blocks->overlapped += touched;
	return rc ? rc : memphis_live_blocks_insert(level_blocks(replay, level), part);
}

/* Ends a piece of a part, and the parts inside it. */
static int end_piece(struct memphis_replay *replay, int level, const struct memphis_live_block *piece,
		     uint64_t time_ns)
{
	const struct memphis_cut cut = {.low = piece->start, .high = piece->end, .time_ns = time_ns};

	return cut_levels(replay, level, &cut, NULL);
}

/* Ends the part of the pool that was allocated at `address`, if there is one. */
static int free_part(struct memphis_replay *replay, uint32_t pool, uint64_t address, uint64_t time_ns)
{
	struct memphis_live_block *at, piece;
	uint64_t next = address;
	int level, rc = 0;

	for (level = 0; !rc && level < MEMPHIS_PART_LEVELS && next == address; level++)
		/* The part may consist of several pieces, because a naming divided it. */
		while (!rc && (at = memphis_live_blocks_at(level_blocks(replay, level), next)) &&
		       at->start == next && at->parent == address && at->pool == pool) {
			piece = *at;
			next = piece.end;
			rc = end_piece(replay, level, &piece, time_ns);
		}
	return rc;
}

/* Ends all parts of the pool. They lie in [low, high). */
static int reset_pool(struct memphis_replay *replay, uint32_t pool, uint64_t low, uint64_t high,
		      uint64_t time_ns)
{
	struct memphis_live_block *at, piece;
	uint64_t next;
	int level, rc = 0;

	for (level = 0; level < MEMPHIS_PART_LEVELS; level++)
		for (next = low; !rc && (at = memphis_live_blocks_at(level_blocks(replay, level), next)) &&
				 at->start < high;) {
			piece = *at;
			next = piece.end;
			if (piece.pool == pool)
				rc = end_piece(replay, level, &piece, time_ns);
		}
	return rc;
}

/*
 * Ends all parts of all pools in [low, high), because the memory has a new owner. With `keep_rest`, the
 * pieces outside the range stay alive.
 */
static int clear_parts(struct memphis_replay *replay, uint64_t low, uint64_t high, uint64_t time_ns,
		       bool keep_rest)
{
	const struct memphis_cut cut = {low, high, time_ns, keep_rest, NULL};

	/* If level 0 is empty, the deeper levels are empty too. */
	return level_blocks(replay, 0)->root ? cut_levels(replay, 0, &cut, NULL) : 0;
}

/*
 * If the memory to be named lies in a part, gives the name to the innermost such part, and sets *named to
 * true. Otherwise, sets *named to false.
 */
static int name_part(struct memphis_replay *replay, const struct memphis_naming *naming, bool *named)
{
	const uint64_t low = naming->address, high = low + naming->bytes;
	const struct memphis_cut cut = {low, high, naming->time_ns, true, &naming->name};
	const struct memphis_live_block *at;
	int level;

	*named = false;
	for (level = MEMPHIS_PART_LEVELS; level-- > 0;) {
		at = memphis_live_blocks_at(level_blocks(replay, level), low);
		if (!at || at->start > low || at->end < high)
			continue;
		*named = true;
		return cut_blocks(replay, level_table(level), &cut, NULL);
	}
	return 0;
}

#define HOLDERS_MAX 16 /* maximum number of holders per block */
/*
 * Largest difference between the times of the same event in the files of a process and of its child. They
 * differ because each process converts clocks separately.
 */
#define CLOCKS_DIFFER_NS 10000u

static int cut_range(struct memphis_replay *replay, enum memphis_block_table table, uint64_t low,
		     uint64_t high, uint64_t time_ns, bool keep_rest, const uint32_t *name, size_t *touched)
{
	const struct memphis_cut range = {low, high, time_ns, keep_rest, name};

	return cut_blocks(replay, table, &range, touched);
}

/*
 * Copies the live pieces in [low, high) to `released`. If high is 0, copies the pieces of the block that was
 * allocated at `low`.
 */
static int copy_released(struct memphis_replay *replay, struct memphis_released *released,
			 enum memphis_block_table table, uint64_t low, uint64_t high, uint64_t time_ns)
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

/* Inserts a block that realloc() moved. Each piece keeps the name, holders and call stack that it had in the old block. */
static int insert_moved_block(struct memphis_live_blocks *live, const struct memphis_released *released,
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

static bool is_near_in_time(uint64_t a_ns, uint64_t b_ns)
{
	return (a_ns > b_ns ? a_ns - b_ns : b_ns - a_ns) <= CLOCKS_DIFFER_NS;
}

/*
 * Returns true if the event may be in the files of both parent and child. Both files contain the events that
 * the parent had not yet written at the fork.
 */
static bool may_be_in_both_files(const struct memphis_replay *replay, uint64_t time_ns)
{
	const struct memphis_process *process = replay->process;

	return process->parent &&
	       (time_ns < process->forked_ns || is_near_in_time(time_ns, process->forked_ns));
}

static bool is_duplicate(struct memphis_replay *replay, enum memphis_block_table table,
			 const struct memphis_live_block *block)
{
	const struct memphis_live_block *at;

	if (!may_be_in_both_files(replay, block->from_ns))
		return false;
	at = memphis_live_blocks_at(&replay->live[table], block->start);
	return at && at->start == block->start && at->parent == block->start &&
	       is_near_in_time(at->from_ns, block->from_ns);
}

/*
 * Returns the released block with its pieces. If the release is recorded in the files of both parent and
 * child, only the first of the two records found the pieces alive.
 */
static const struct memphis_released *find_released(const struct memphis_replay *replay,
						    const struct memphis_released *own)
{
	const struct memphis_released *one;
	uint32_t i;

	for (i = 0; !own->count && may_be_in_both_files(replay, own->time_ns) && i < replay->source_count;
	     i++) {
		one = &replay->released[i];
		if (one->count && one->address == own->address && is_near_in_time(one->time_ns, own->time_ns))
			return one;
	}
	return own;
}

/*
 * Returns the latest block at `address` that a thread of the parent released before the child inherited its
 * blocks. Returns NULL if there is none.
 */
static const struct memphis_released *find_released_by_parent(const struct memphis_replay *replay,
							      uint64_t address)
{
	const struct memphis_released *one, *last = NULL;
	size_t i;

	for (i = 0; i < replay->released_before_count; i++) {
		one = &replay->released_before[i];
		if (one->address == address && (!last || one->time_ns > last->time_ns))
			last = one;
	}
	return last;
}

/*
 * Returns the old block if the allocation is a realloc() that moved a block. Returns NULL otherwise, and if the old block
 * is unknown. A small block is known only if it was one of those that are recorded at random. It does not count, because
 * a name must not depend on chance: the new block then has the name of its own line in every run.
 */
static const struct memphis_released *find_moved_block(const struct memphis_replay *replay,
						       const struct memphis_released *own, uint64_t previous)
{
	const struct memphis_released *released;

	if (!previous)
		return NULL;
	released = own->address == previous ? find_released(replay, own)
					    : find_released_by_parent(replay, previous);
	return released && released->count && !released->pieces[0].mean_bytes ? released : NULL;
}

static int replay_allocation(struct memphis_replay *replay, const struct memphis_allocation *event,
			     uint32_t thread, const struct memphis_released *released)
{
	bool stays = event->kind != MEMPHIS_ALLOCATION_SMALL && event->previous == event->address;
	bool small = event->kind == MEMPHIS_ALLOCATION_SMALL;
	bool map = event->kind != MEMPHIS_ALLOCATION_MALLOC && !small;
	enum memphis_block_table table = map ? MEMPHIS_BLOCKS_MAP : MEMPHIS_BLOCKS_HEAP;
	struct memphis_live_block block = {.start = event->address,
					   .end = event->address + event->size_bytes,
					   .from_ns = event->time_ns,
					   .mean_bytes = small ? event->previous : 0,
					   .parent = event->address,
					   .stack = event->stack,
					   .thread = thread,
					   .shared = event->kind == MEMPHIS_ALLOCATION_SHARE};
	size_t touched;
	int rc;

	if (block.end <= block.start || (small && !event->previous) || is_duplicate(replay, table, &block))
		return 0;
	/*
	 * mmap() may replace parts of existing maps. If malloc() returns memory of a live block, the release
	 * of that block was not recorded.
	 */
	rc = cut_range(replay, table, block.start, block.end, event->time_ns, map, NULL, &touched);
	if (rc)
		return rc;
	if (!map)
		replay->blocks->overlapped += touched;
	/* The memory has a new owner. */
	rc = stays ? 0 : clear_parts(replay, block.start, block.end, event->time_ns, map);
	if (rc)
		return rc;
	released = small ? NULL : find_moved_block(replay, released, event->previous);
	if (released)
		return insert_moved_block(&replay->live[table], released, &block);
	return memphis_live_blocks_insert(&replay->live[table], &block);
}

/*
 * Ends all pieces of the block that was allocated at `address`. Parts of pools in the first `kept` bytes of
 * the block stay alive.
 */
static int replay_free(struct memphis_replay *replay, uint64_t address, uint64_t time_ns, uint64_t kept)
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
	if (next - address <= kept)
		return rc;
	return rc ? rc : clear_parts(replay, address + kept, next, time_ns, kept != 0);
}

/*
 * Returns the new size of the block if realloc() or mremap() resized it in place. This is the case if the
 * event after the release is a reallocation of this block at the same address. Otherwise returns 0.
 */
static uint64_t resized_bytes(const struct memphis_event_source *source)
{
	const struct memphis_allocation *event = &source->allocations[source->next], *next = event + 1;

	if (source->next + 1 == source->end || next->address != event->address ||
	    next->previous != event->address ||
	    (next->kind != MEMPHIS_ALLOCATION_MALLOC && next->kind != MEMPHIS_ALLOCATION_MAP))
		return 0;
	return next->size_bytes;
}

/*
 * Returns the number, in the replayed process's names, of the name that has the part name number `number` in
 * the files of the process `from`.
 */
static uint32_t translate_name(struct memphis_replay *replay, const struct memphis_process *from,
			       uint32_t number)
{
	uint32_t name = number < from->log->part_name_count ? from->log->part_names[number] : 0;

	if (!name || from == replay->process)
		return name;
	return memphis_inherit_name(replay->process, from, name);
}

static int replay_part(struct memphis_replay *replay, const struct memphis_allocation *event, uint32_t thread,
		       const struct memphis_process *from)
{
	struct memphis_live_block part = {
		.start = event->address,
		.end = event->address + event->size_bytes,
		.from_ns = event->time_ns,
		.parent = event->address,
		.name = translate_name(replay, from, MEMPHIS_PART_NAME(event->previous)),
		.pool = MEMPHIS_PART_POOL(event->previous),
		.pool_name = translate_name(replay, from, MEMPHIS_PART_POOL_NAME(event->previous)),
		.stack = event->stack,
		.thread = thread};
	int table;

	if (part.name == MEMPHIS_NO_STRING || part.pool_name == MEMPHIS_NO_STRING)
		return -ENOMEM;
	if (part.end <= part.start || !part.pool)
		return 0;
	for (table = MEMPHIS_BLOCKS_PART; table < MEMPHIS_BLOCK_TABLES; table++)
		if (is_duplicate(replay, (enum memphis_block_table)table, &part))
			return 0;
	return begin_part(replay, &part);
}

/* Returns the end of the last piece that remains of the map at `address`. Other pieces may have been unmapped. */
static uint64_t find_map_end(struct memphis_replay *replay, uint64_t address)
{
	const struct memphis_live_block *at;
	uint64_t end = address;

	while ((at = memphis_live_blocks_at(&replay->live[MEMPHIS_BLOCKS_MAP], end)) && at->parent == address)
		end = at->end;
	return end;
}

static int replay_event(struct memphis_replay *replay, const struct memphis_allocation *event,
			const struct memphis_event_source *source)
{
	struct memphis_released *released = &replay->released[source->number];
	const uint32_t thread = source->process == replay->process ? source->thread + 1 : 0;
	uint64_t end = event->address + event->size_bytes, kept;
	int rc;

	switch (event->kind) {
	case MEMPHIS_ALLOCATION_MALLOC:
	case MEMPHIS_ALLOCATION_SMALL:
	case MEMPHIS_ALLOCATION_MAP:
	case MEMPHIS_ALLOCATION_SHARE:
		return replay_allocation(replay, event, thread, released);
	case MEMPHIS_ALLOCATION_FREE:
		rc = copy_released(replay, released, MEMPHIS_BLOCKS_HEAP, event->address, 0, event->time_ns);
		return rc ? rc : replay_free(replay, event->address, event->time_ns, resized_bytes(source));
	case MEMPHIS_ALLOCATION_PART:
		return replay_part(replay, event, thread, source->process);
	case MEMPHIS_ALLOCATION_PART_FREE:
		return free_part(replay, MEMPHIS_PART_POOL(event->previous), event->address, event->time_ns);
	case MEMPHIS_ALLOCATION_POOL_RESET:
		return reset_pool(replay, MEMPHIS_PART_POOL(event->previous), event->address, end,
				  event->time_ns);
	case MEMPHIS_ALLOCATION_UNMAP:
		if (!event->size_bytes)
			end = find_map_end(replay, event->address);
		rc = copy_released(replay, released, MEMPHIS_BLOCKS_MAP, event->address, end, event->time_ns);
		kept = resized_bytes(source);
		if (!rc && event->address + kept < end)
			rc = clear_parts(replay, event->address + kept, end, event->time_ns, true);
		if (rc)
			return rc;
		return cut_range(replay, MEMPHIS_BLOCKS_MAP, event->address, end, event->time_ns, true, NULL,
				 NULL);
	}
	return 0;
}

static int replay_naming(struct memphis_replay *replay, const struct memphis_naming *naming)
{
	uint64_t low = naming->address, high = low + naming->bytes;
	struct memphis_live_block block = {
		.start = low, .end = high, .from_ns = naming->time_ns, .parent = low, .name = naming->name};
	size_t touched;
	int table, rc;
	bool named;

	if (high <= low)
		return 0;
	rc = name_part(replay, naming, &named);
	if (rc || named)
		return rc;
	for (table = MEMPHIS_BLOCKS_HEAP; table <= MEMPHIS_BLOCKS_MAP; table++) {
		rc = cut_range(replay, (enum memphis_block_table)table, low, high, naming->time_ns, true,
			       &naming->name, &touched);
		if (rc || touched)
			return rc;
	}
	rc = cut_range(replay, MEMPHIS_BLOCKS_NAMED, low, high, naming->time_ns, true, NULL, NULL);
	return rc || !naming->name ? rc
				   : memphis_live_blocks_insert(&replay->live[MEMPHIS_BLOCKS_NAMED], &block);
}

/* Adds the address `slot` to the set number `set`, unless the set is full. Returns the number of the resulting set. */
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

static int add_holder(struct memphis_replay *replay, struct memphis_live_block *block, uint64_t slot)
{
	const uint32_t set = add_slot(&replay->blocks->holders, block->holders, slot);

	if (set == MEMPHIS_NO_STRING)
		return -ENOMEM;
	block->holders = set;
	return 0;
}

/* One pointer may hold the address of both a block and a part that begins at the same address (attribute/blocks.h). */
static int replay_holder(struct memphis_replay *replay, const struct memphis_holder *holder)
{
	struct memphis_live_block *block;
	bool in_heap = false;
	int table, rc = 0;

	for (table = MEMPHIS_BLOCKS_HEAP; !rc && table < MEMPHIS_BLOCK_TABLES; table++) {
		block = memphis_live_blocks_at(&replay->live[table], holder->block);
		if (!block || block->start != holder->block || table == MEMPHIS_BLOCKS_NAMED ||
		    (table == MEMPHIS_BLOCKS_MAP && in_heap))
			continue;
		in_heap |= table == MEMPHIS_BLOCKS_HEAP;
		rc = add_holder(replay, block, holder->slot);
	}
	return rc;
}

/* If the event is an ancestor's, first translates its stack and name, because their numbers refer to the ancestor's tables. */
int memphis_replay_event(struct memphis_replay *replay, const struct memphis_event_source *source)
{
	struct memphis_process *process = replay->process;
	struct memphis_allocation event;
	struct memphis_naming naming;

	switch (source->kind) {
	case MEMPHIS_EVENT_ALLOCATION:
		event = source->allocations[source->next];
		if (source->process != process)
			event.stack = memphis_inherit_stack(process, source->process, event.stack);
		return event.stack == MEMPHIS_NO_STRING ? -ENOMEM : replay_event(replay, &event, source);
	case MEMPHIS_EVENT_NAMING:
		naming = source->process->log->namings[source->next];
		if (source->process != process)
			naming.name = memphis_inherit_name(process, source->process, naming.name);
		return naming.name == MEMPHIS_NO_STRING ? -ENOMEM : replay_naming(replay, &naming);
	case MEMPHIS_EVENT_HOLDER:
		break;
	}
	return replay_holder(replay, &source->process->log->holders[source->next]);
}

int memphis_replay_end(struct memphis_replay *replay)
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

void memphis_replay_close(struct memphis_replay *replay)
{
	size_t i;

	for (i = 0; i < MEMPHIS_BLOCK_TABLES; i++)
		memphis_live_blocks_close(&replay->live[i]);
	for (i = 0; replay->released && i < replay->source_count; i++)
		free(replay->released[i].pieces);
	free(replay->released);
	for (i = 0; i < replay->released_before_count; i++)
		free(replay->released_before[i].pieces);
	free(replay->released_before);
	memphis_ended_close(&replay->ended);
}
