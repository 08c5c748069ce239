/* SPDX-License-Identifier: BSD-3-Clause */
/* Transfer of allocation events to the thread files, and the table of live blocks. */
#include <string.h>

#include "base/clock.h"
#include "core/session.h"
#include "data/short_lived.h"
#include "data/byte_sampler.h"
#include "data/taken.h"
#include "record/allocations.h"
#include "record/chunk.h"
#include "record/thread_file.h"
#include "settings/env.h"

#define TAKE_EVENTS MEMPHIS_SHORT_LIVED_EVENTS

_Static_assert(TAKE_EVENTS * sizeof(struct memphis_allocation) < MEMPHIS_STAGE_BYTES / 2,
	       "a chunk of allocations fits the stage");

static struct {
	struct memphis_tracked_blocks blocks;
	struct memphis_event *events;       /* buffer for TAKE_EVENTS events of a thread */
	struct memphis_allocation *records; /* buffer for the same number of records of the file */
	__u64 records_granted, left_out;
	/*
	 * The fields down to `pool_max` do the same for parts of pools. Parts and blocks share the limit of
	 * records.
	 * - resets: times of the resets since the table of parts was last updated
	 * - last_resets: pools that were reset after the limit of records was reached
	 * - pool_max: highest pool number of a written part
	 */
	struct memphis_tracked_blocks parts, resets, last_resets;
	__u32 pool_max;
	/*
	 * The fields down to `small_left_out` do the same for small blocks. Small blocks have their own limit
	 * of records, and no search for their holders.
	 */
	struct memphis_tracked_blocks small;
	__u64 small_granted, small_left_out;
	__u64 records_next,
		live_next; /* the library doubles the mean distance of small blocks at these numbers */
} allocations;

static _Atomic __u64 block_changes;

/* Limit for the records of small blocks and their releases. */
static __u64 small_records_max(void)
{
	return memphis_settings.alloc_max_records / 2;
}

int memphis_allocations_open(void)
{
	struct memphis_thread_record *thread;

	allocations.records_granted = allocations.left_out = 0;
	allocations.pool_max = 0;
	memphis_blocks_free(&allocations.resets);
	memphis_blocks_free(&allocations.last_resets);
	allocations.small_granted = allocations.small_left_out = 0;
	allocations.records_next = small_records_max() / 2;
	allocations.live_next = MEMPHIS_TAKEN_BUCKETS * MEMPHIS_TAKEN_SLOTS / 4;
	if (!allocations.events)
		allocations.events = sys_map(TAKE_EVENTS * sizeof(*allocations.events));
	if (!allocations.records)
		allocations.records = sys_map(TAKE_EVENTS * sizeof(*allocations.records));
	if (!allocations.events || !allocations.records || memphis_short_lived_open())
		return -ENOMEM;
	memphis_withheld_open();
	for (thread = memphis_thread_first(); thread; thread = thread->next)
		thread->withheld = (struct memphis_withheld){0};
	return 0;
}

void memphis_allocations_forked(bool past_handlers)
{
	/*
	 * Keep the blocks that the child inherits, since the library still searches for their holders. If the
	 * fork bypassed the handlers, the tables may be inconsistent, so free them.
	 */
	if (past_handlers) {
		memphis_blocks_free(&allocations.blocks);
		memphis_blocks_free(&allocations.parts);
		memphis_blocks_free(&allocations.resets);
		memphis_blocks_free(&allocations.last_resets);
		memphis_blocks_free(&allocations.small);
	}
}

const struct memphis_tracked_blocks *memphis_allocations_blocks(void)
{
	return &allocations.blocks;
}

/* Marks the parts of the pools that were reset as released in the table of parts. */
static void apply_resets(void)
{
	if (!allocations.resets.used)
		return;
	memphis_blocks_reset(&allocations.parts, &allocations.resets);
	memphis_blocks_free(&allocations.resets);
}

const struct memphis_tracked_blocks *memphis_allocations_parts(void)
{
	apply_resets();
	return &allocations.parts;
}

__u64 memphis_allocations_left_out(void)
{
	return allocations.left_out;
}

__u64 memphis_allocations_small_left_out(void)
{
	return allocations.small_left_out;
}

__u64 memphis_allocations_block_changes(void)
{
	return atomic_load(&block_changes);
}

int memphis_allocations_are_waiting(void)
{
	struct memphis_thread_record *thread;

	for (thread = memphis_thread_first(); thread; thread = thread->next)
		if (!thread->done && memphis_events_waiting(&thread->events))
			return 1;
	return 0;
}

static const struct memphis_tracked_blocks *live_table(__u32 kind)
{
	return memphis_is_of_part(kind) ? &allocations.parts : &allocations.blocks;
}

/*
 * Decides about small blocks, as admit_event() does about all other blocks. Handles the allocation of a small
 * block, and the release of a block that is in the table of small blocks. Small blocks may use half as many
 * records as all other blocks. Returns 1 if the record should be written, 0 if not, and -1 if the block is
 * not small. `stamp`: time of the event before its conversion to nanoseconds.
 */
static int admit_small(const struct memphis_allocation *event, __u64 stamp)
{
	const struct memphis_tracked_block *block = memphis_blocks_find(&allocations.small, event->address);
	int was_live = block && block->is_live;

	if (memphis_is_of_part(event->kind))
		return -1;
	if (event->kind == MEMPHIS_ALLOCATION_SMALL) {
		if (allocations.small_granted + 2 > small_records_max() ||
		    memphis_blocks_put(&allocations.small, event->address, event->time_ns, 1)) {
			allocations.small_left_out++;
			memphis_taken_note_loss(stamp);
			return 0;
		}
		allocations.small_granted += 2;
		return 1;
	}
	if (!was_live)
		return -1;
	memphis_blocks_put(&allocations.small, event->address, event->time_ns, 0);
	return event->kind == MEMPHIS_ALLOCATION_FREE ? 1 : -1;
}

/* Updates the table of live blocks or the one of live parts. */
static void update_live_block(const struct memphis_allocation *event)
{
	__u64 is_live = (__u64)memphis_allocates(event->kind);

	if (!memphis_is_of_part(event->kind)) {
		memphis_blocks_put(&allocations.blocks, event->address, event->time_ns, is_live);
		return;
	}
	if (memphis_blocks_is_full(&allocations.parts))
		apply_resets();
	memphis_blocks_put(&allocations.parts, event->address, event->time_ns,
			   is_live * MEMPHIS_PART_POOL(event->previous));
}

/*
 * Decides about the reset of a pool, as admit_event() does about blocks. `full`: the limit of records is
 * reached, so no more parts are written. From then on, each pool needs at most one more record of a reset,
 * and only if the file may contain parts of the pool.
 */
static int admit_reset(const struct memphis_allocation *event, int full)
{
	const __u32 pool = MEMPHIS_PART_POOL(event->previous);

	memphis_session.output.allocations_unsampled +=
		memphis_withheld_drop_pool(pool, event->address, event->size_bytes, event->time_ns);
	memphis_blocks_put(&allocations.resets, (__u64)pool * 16, event->time_ns, 1);
	if (full &&
	    (pool > allocations.pool_max || memphis_blocks_find(&allocations.last_resets, (__u64)pool * 16)))
		return 0;
	if (full)
		memphis_blocks_put(&allocations.last_resets, (__u64)pool * 16, event->time_ns, 1);
	else
		allocations.records_granted++;
	return 1;
}

/*
 * Updates the table of live blocks. Returns 1 if the record should be written. The number of records is
 * limited. The record of an allocation also reserves the record of the later release.
 */
static int admit_event(const struct memphis_allocation *event)
{
	int full = allocations.records_granted >= memphis_settings.alloc_max_records;
	const struct memphis_tracked_block *block;
	int has_room;

	if (event->kind == MEMPHIS_ALLOCATION_POOL_RESET)
		return admit_reset(event, full);
	block = memphis_blocks_find(live_table(event->kind), event->address);
	has_room = memphis_releases_block(event->kind) && block && block->is_live;
	if (full && memphis_allocates(event->kind)) {
		allocations.left_out++;
		return 0;
	}
	if (full && memphis_releases_block(event->kind) && !has_room)
		return 0;
	update_live_block(event);
	if (!has_room)
		allocations.records_granted += memphis_allocates_block(event->kind) ? 2 : 1;
	if (event->kind == MEMPHIS_ALLOCATION_PART &&
	    MEMPHIS_PART_POOL(event->previous) > allocations.pool_max)
		allocations.pool_max = MEMPHIS_PART_POOL(event->previous);
	return 1;
}

/*
 * Returns 1 if the event is withheld or dropped.
 *
 * All blocks may use the first half of the records. After that, the record of a block of the allocator, or of
 * a part of a pool, is withheld until a sample falls into it. Records of maps are never withheld. A block
 * without a sample needs no record, whether it was released or is still live at the end. If realloc() moves a
 * block, the block keeps its identity, so both of its records are written.
 */
static int withhold_event(struct memphis_thread_record *thread, const struct memphis_allocation *event,
			  int is_moved)
{
	int dropped;

	if (memphis_releases_block(event->kind)) {
		if (is_moved)
			memphis_withheld_touch(event->address);
		dropped = !is_moved && memphis_withheld_drop(event->address, memphis_is_of_part(event->kind));
		memphis_session.output.allocations_unsampled += (__u64)dropped;
		if (dropped)
			update_live_block(event);
		return dropped > 0;
	}
	if (!memphis_allocates_block(event->kind) || memphis_is_moved(event) ||
	    allocations.records_granted < memphis_settings.alloc_max_records / 2 ||
	    memphis_short_lived_is_touched(event->address, event->size_bytes))
		return 0;
	dropped = memphis_withheld_add(&thread->withheld, event);
	if (dropped < 0)
		return 0;
	memphis_session.output.allocations_unsampled += (__u64)dropped;
	/* Enter the block in the table nevertheless, so that its holders are found. */
	update_live_block(event);
	return 1;
}

/*
 * Sorts by time with an insertion sort. The events are nearly sorted: only the events of a signal handler may
 * be out of order with the events of the call that the signal interrupted.
 */
static void sort_events(struct memphis_allocation *events, size_t count)
{
	size_t i, j;

	for (i = 1; i < count; i++) {
		struct memphis_allocation event = events[i];

		for (j = i; j && events[j - 1].time_ns > event.time_ns; j--)
			events[j] = events[j - 1];
		events[j] = event;
	}
}

static void write_records(struct memphis_thread_record *thread, size_t count)
{
	if (!count || memphis_thread_file_ensure(thread))
		return;
	sort_events(allocations.records, count);
	memphis_chunk_write_stacks(&thread->stacks, &thread->file, MEMPHIS_CHUNK_STACKS);
	memphis_file_write_chunk(&thread->file, MEMPHIS_CHUNK_ALLOCATIONS, allocations.records,
				 count * sizeof(*allocations.records), (__u32)count);
	memphis_chunk_commit(&thread->file);
}

void memphis_allocations_write_withheld(struct memphis_thread_record *thread, int all)
{
	size_t count, kept, i;

	while ((count = memphis_withheld_take(&thread->withheld, allocations.records, TAKE_EVENTS, all))) {
		for (i = kept = 0; i < count; i++)
			if (admit_event(&allocations.records[i]))
				allocations.records[kept++] = allocations.records[i];
		write_records(thread, kept);
	}
}

/*
 * Doubles the mean distance of the small blocks taken whenever half of the remaining records are used, or the
 * table of live blocks fills up further.
 */
static void take_fewer_small_blocks(void)
{
	if (allocations.small_granted > allocations.records_next) {
		allocations.records_next += (small_records_max() - allocations.records_next) / 2;
		memphis_small_double_mean();
	} else if (memphis_taken_blocks > allocations.live_next) {
		allocations.live_next += MEMPHIS_TAKEN_BUCKETS * MEMPHIS_TAKEN_SLOTS / 16;
		memphis_small_double_mean();
	}
}

void memphis_allocations_write(struct memphis_thread_record *thread, __u64 upto, int complete)
{
	size_t taken, stay, kept, i;
	int is_moved, admitted;

	memphis_allocations_write_withheld(thread, 0);
	memphis_session.output.allocations_unsampled += atomic_exchange(&thread->events.unsampled, 0);
	do {
		taken = memphis_events_take(&thread->events, allocations.events, TAKE_EVENTS, upto);
		stay = complete ? memphis_short_lived_drop(allocations.events, taken,
							   &memphis_session.output.allocations_unsampled)
				: taken;
		for (i = kept = 0; i < stay; i++) {
			allocations.records[kept] = allocations.events[i].record;
			allocations.records[kept].time_ns =
				memphis_clock_ns(allocations.records[kept].time_ns);
			is_moved = i + 1 < stay && memphis_moves(&allocations.records[kept],
								 &allocations.events[i + 1].record);
			admitted =
				admit_small(&allocations.records[kept], allocations.events[i].record.time_ns);
			if (admitted < 0 &&
			    !withhold_event(thread, &allocations.records[kept], is_moved || !complete))
				admitted = admit_event(&allocations.records[kept]);
			kept += admitted > 0;
		}
		write_records(thread, kept);
	} while (taken == TAKE_EVENTS);
	atomic_store(&block_changes, allocations.blocks.changes + allocations.parts.changes);
	take_fewer_small_blocks();
}
