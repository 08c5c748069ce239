/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Queue of a thread's allocation events: linked blocks with a single producer and a single consumer.
 * Compaction drops the events of blocks that can't contain a sample.
 */
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "data/events.h"

/*
 * The filter marks the regions of memory that contain parts. A part of up to 2^SMALL_SHIFT * SMALL_MAX bytes
 * marks small regions of 2^SMALL_SHIFT bytes, so that it affects few other blocks. A larger part marks large
 * regions of 2^LARGE_SHIFT bytes.
 */
#define SMALL_SHIFT 14
#define SMALL_MAX   256
#define LARGE_SHIFT 22
#define REGIONS_MAX \
	65536       /* a part with more regions counts as present everywhere; a larger block counts as having
	       * parts */
#define WORDS 16384 /* of 64 bits */

static _Atomic __u64 regions[WORDS];
_Atomic int memphis_part_regions_any;
static _Atomic int everywhere;

static __u64 last_region(__u64 low, __u64 bytes, unsigned int shift)
{
	return (low + (bytes ? bytes - 1 : 0)) >> shift;
}

/* Returns the region's bit. Stores the index of the word that contains the bit in *word. */
static inline __u64 region_bit(__u64 region, unsigned int shift, size_t *word)
{
	const __u64 hash = (region << 8 | shift) * 0x9e3779b97f4a7c15u >> 44;

	*word = hash / 64;
	return 1ull << hash % 64;
}

void memphis_part_regions_add(__u64 low, __u64 bytes)
{
	const unsigned int shift = bytes > (__u64)SMALL_MAX << SMALL_SHIFT ? LARGE_SHIFT : SMALL_SHIFT;
	const __u64 last = last_region(low, bytes, shift);
	__u64 region = low >> shift, bit;
	size_t word;

	if (last - region >= REGIONS_MAX) {
		atomic_store_explicit(&everywhere, 1, memory_order_relaxed);
		region = last;
	}
	for (; region <= last; region++) {
		bit = region_bit(region, shift, &word);
		if (!(atomic_load_explicit(&regions[word], memory_order_relaxed) & bit))
			atomic_fetch_or_explicit(&regions[word], bit, memory_order_relaxed);
	}
	if (!atomic_load_explicit(&memphis_part_regions_any, memory_order_relaxed))
		atomic_store_explicit(&memphis_part_regions_any, 1, memory_order_release);
}

static int has_region(__u64 low, __u64 bytes, unsigned int shift)
{
	const __u64 last = last_region(low, bytes, shift);
	__u64 region = low >> shift, bit;
	size_t word;

	if (last - region >= REGIONS_MAX)
		return 1;
	for (; region <= last; region++) {
		bit = region_bit(region, shift, &word);
		if (atomic_load_explicit(&regions[word], memory_order_relaxed) & bit)
			return 1;
	}
	return 0;
}

int memphis_part_regions_look_up(__u64 low, __u64 bytes)
{
	return atomic_load_explicit(&everywhere, memory_order_relaxed) ||
	       has_region(low, bytes, LARGE_SHIFT) || has_region(low, bytes, SMALL_SHIFT);
}

#define COMPACT_BLOCKS 16
#define RETRY_SHARE \
	16         /* after a compaction that frees too little: compact again after as many further events,
		    * recorded or not, as fill 1/16 of the list */
#define STRIDE 256 /* events between compactions of the last block; few enough to remain in the cache */

_Atomic int memphis_events_drained;
struct memphis_latest *memphis_latest;
int (*memphis_events_digest)(__u64 *digest);
static _Atomic __u64 threads;
static _Atomic __u64 bytes_used;

/* Free list of blocks, shared by all threads. Reused blocks cause no page faults. */
#define POOL 256
static struct memphis_event_block *pool[POOL];
static int pooled;
static MEMPHIS_AT_FORK atomic_flag pool_busy = ATOMIC_FLAG_INIT;

/* Returns a block of the pool. Returns NULL, without waiting, if the pool is empty or another thread uses it. */
static struct memphis_event_block *take_from_pool(void)
{
	struct memphis_event_block *block = NULL;

	if (!atomic_flag_test_and_set_explicit(&pool_busy, memory_order_acquire)) {
		if (pooled)
			block = pool[--pooled];
		atomic_flag_clear_explicit(&pool_busy, memory_order_release);
	}
	return block;
}

/* Returns 1 if the pool takes the block. Returns 0, without waiting, if the pool is full or another thread uses it. */
static int give_to_pool(struct memphis_event_block *block)
{
	int taken = 0;

	if (!atomic_flag_test_and_set_explicit(&pool_busy, memory_order_acquire)) {
		if (pooled < POOL) {
			pool[pooled++] = block;
			taken = 1;
		}
		atomic_flag_clear_explicit(&pool_busy, memory_order_release);
	}
	return taken;
}

/*
 * Returns a new block, or NULL if the memory limit is reached. Allocations may use three quarters of the
 * memory. The rest is reserved for other events, such as releases.
 */
static struct memphis_event_block *allocate_block(__u32 kind)
{
	struct memphis_event_block *block;
	__u64 bound = MEMPHIS_EVENT_BYTES_MAX;

	if (memphis_allocates(kind))
		bound -= bound / 4;
	if (atomic_load_explicit(&bytes_used, memory_order_relaxed) > bound)
		return NULL;
	block = take_from_pool();
	if (block)
		return block;
	if (atomic_fetch_add(&bytes_used, MEMPHIS_EVENT_BLOCK_BYTES) + MEMPHIS_EVENT_BLOCK_BYTES <= bound)
		block = sys_map(MEMPHIS_EVENT_BLOCK_BYTES);
	if (!block)
		atomic_fetch_sub(&bytes_used, MEMPHIS_EVENT_BLOCK_BYTES);
	return block;
}

/* Empties a block that is not used any more, and returns it to the pool or unmaps it. */
static void free_block(struct memphis_event_block *block)
{
	atomic_store_explicit(&block->next, NULL, memory_order_relaxed);
	atomic_store_explicit(&block->count, 0, memory_order_relaxed);
	if (give_to_pool(block))
		return;
	sys_unmap(block, MEMPHIS_EVENT_BLOCK_BYTES);
	atomic_fetch_sub(&bytes_used, MEMPHIS_EVENT_BLOCK_BYTES);
}

void memphis_events_forked(void)
{
	atomic_flag_clear(&pool_busy);
}

int memphis_events_setup(void)
{
	if (!memphis_latest)
		memphis_latest = sys_map(sizeof(*memphis_latest) << MEMPHIS_LATEST_BITS);
	return memphis_latest ? 0 : -ENOMEM;
}

void memphis_events_init(struct memphis_events *events)
{
	memset(events, 0, sizeof(*events));
	events->tag = (atomic_fetch_add(&threads, 1) + 1) << MEMPHIS_EVENT_THREAD_SHIFT;
	memphis_lock_reset(&events->compact_lock);
	events->blocks_until_compact = COMPACT_BLOCKS;
}

/* Slot of a hash table. compact_list() looks up the allocation of each release in this table. */
struct pairing {
	__u64 tag;
	struct memphis_event *event;
	struct memphis_event_block *block; /* contains the event */
};

/*
 * Returns 1 if these two events are the whole lifetime of a block without parts, and neither of them belongs
 * to a realloc(). `next` is the event after the release, or NULL.
 */
static int is_whole_lifetime(const struct memphis_event *begin, const struct memphis_event *end,
			     const struct memphis_event *next)
{
	return memphis_is_pair(begin, end) && (!next || !memphis_moves(&end->record, &next->record)) &&
	       !memphis_may_have_parts(&begin->record);
}

/* Drops the events in [from, to) that belong to the reset pool. Returns the number of dropped parts. */
static __u32 drop_pool(struct memphis_event *from, const struct memphis_event *to,
		       const struct memphis_event *reset)
{
	__u32 dropped = 0;

	for (; from < to; from++)
		if (memphis_is_reset_by(from, reset)) {
			dropped += from->record.kind == MEMPHIS_ALLOCATION_PART;
			from->record.kind = 0;
		}
	return dropped;
}

#define SEVERAL UINT64_MAX /* tag of a slot that several pools would use */

/*
 * Returns the slot of the event's pool. The slot refers to the first part of the pool since the thread's last
 * reset of this pool. The tag of the slot is the number of the pool.
 */
static struct pairing *find_pool_slot(struct pairing *pools, size_t mask, const struct memphis_event *event)
{
	const __u64 pool = MEMPHIS_PART_POOL(event->record.previous);
	struct pairing *slot = &pools[pool & mask];

	if (slot->tag && slot->tag != pool)
		slot->tag = SEVERAL;
	else
		slot->tag = pool;
	return slot;
}

static void note_first_part(struct pairing *pools, size_t mask, struct memphis_event *event,
			    struct memphis_event_block *block)
{
	struct pairing *slot = find_pool_slot(pools, mask, event);

	if (!slot->event) {
		slot->event = event;
		slot->block = block;
	}
}

/*
 * Drops the event `reset`, which is in the block `last`, and the earlier events of its pool from `first` on.
 * `first` refers to the first part since the pool's previous reset that is still in the list. Returns the
 * number of dropped parts.
 */
static __u32 drop_whole_pool(const struct pairing *first, struct memphis_event_block *last,
			     struct memphis_event *reset)
{
	struct memphis_event_block *block = first->block;
	struct memphis_event *from = first->event;
	__u32 dropped = 0;

	for (; block != last; block = block->next, from = block->events)
		dropped += drop_pool(from, block->events + block->count, reset);
	dropped += drop_pool(from, reset, reset);
	reset->record.kind = 0;
	return dropped;
}

/*
 * Drops a reset if the first part of its pool is no longer in the list because that part was released and its
 * events were dropped. Also drops the later parts of the pool. Does so only if this thread recorded all these
 * parts. Returns the number of dropped parts.
 */
static __u32 drop_reset(const struct memphis_events *events, struct pairing *pools, size_t mask,
			struct memphis_event_block *last, struct memphis_event *reset)
{
	struct pairing *slot = find_pool_slot(pools, mask, reset);
	__u32 dropped = 0;

	if (slot->tag == SEVERAL ||
	    reset->tag >> MEMPHIS_EVENT_THREAD_SHIFT != events->tag >> MEMPHIS_EVENT_THREAD_SHIFT)
		return 0;
	if (slot->event)
		dropped = drop_whole_pool(slot, last, reset);
	reset->record.kind = 0;
	slot->event = NULL;
	return dropped;
}

/*
 * Drops the pairs of an allocation and its release, in all blocks. Returns the number of remaining blocks.
 * The caller holds compact_lock. `table` has mask + 1 slots for allocations, followed by the same number for
 * pools.
 */
static __u32 compact_list(struct memphis_events *events, struct pairing *table, size_t mask)
{
	struct pairing *pools = table + mask + 1;
	struct memphis_event_block *block, *out, *rest;
	__u32 i, n = 0, blocks = 0, dropped = 0;

	for (block = events->first; block; block = block->next)
		for (i = 0; i < block->count; i++) {
			struct memphis_event *event = &block->events[i];
			struct pairing *slot = &table[event->tag & mask];

			if (memphis_allocates_block(event->record.kind)) {
				/* A collision overwrites the slot. Both events of the overwritten pair are then kept. */
				slot->tag = event->tag;
				slot->event = event;
				slot->block = block;
				if (event->record.kind == MEMPHIS_ALLOCATION_PART)
					note_first_part(pools, mask, event, block);
			} else if (event->record.kind == MEMPHIS_ALLOCATION_POOL_RESET) {
				if (slot->event && slot->tag == event->tag)
					dropped += drop_whole_pool(slot, block, event);
				else
					dropped += drop_reset(events, pools, mask, block, event);
			} else if (!slot->event || slot->tag != event->tag) {
				continue;
			} else if (i + 1 < block->count && is_whole_lifetime(slot->event, event, event + 1)) {
				slot->event->record.kind = 0;
				event->record.kind = 0;
				dropped++;
			}
		}
	out = events->first;
	for (block = events->first; block; block = block->next) {
		__u32 count = block->count;

		for (i = 0; i < count; i++) {
			if (!block->events[i].record.kind)
				continue;
			if (n == MEMPHIS_EVENTS_PER_BLOCK) {
				out->count = n;
				out = out->next;
				n = 0;
				blocks++;
			}
			out->events[n++] = block->events[i];
		}
	}
	out->count = n;
	rest = out->next;
	out->next = NULL;
	events->last = out;
	while (rest) {
		block = rest->next;
		free_block(rest);
		rest = block;
	}
	atomic_fetch_add_explicit(&events->unsampled, dropped, memory_order_relaxed);
	return blocks + 1;
}

static void try_compaction(struct memphis_events *events)
{
	size_t entries = 32768;
	struct pairing *table;
	__u32 blocks;

	events->blocks_until_compact = COMPACT_BLOCKS;
	if (atomic_load(&memphis_events_drained) || !events->last || !memphis_lock_try(&events->compact_lock))
		return;
	if (!atomic_load(&memphis_events_drained) && !events->taken) {
		table = sys_map(2 * entries * sizeof(*table));
		if (table) {
			blocks = compact_list(events, table, entries - 1);
			/* If many blocks remain, try again when the list is twice as long. */
			if (blocks > COMPACT_BLOCKS)
				events->blocks_until_compact = blocks;
			sys_unmap(table, 2 * entries * sizeof(*table));
		}
	}
	memphis_lock_release(&events->compact_lock);
}

/*
 * Does the same as compact_list() for the events since the last check, which are all in the last block. The
 * caller knows that nothing was sampled since that check, and holds compact_lock. A program that allocates
 * all the time then reuses memory that is in the cache, and leaves little work for the drain.
 */
static void compact_last(struct memphis_events *events)
{
	struct memphis_event_block *last = events->last;
	__u32 count = atomic_load_explicit(&last->count, memory_order_relaxed), i, n, dropped = 0;
	__u32 from = events->checked;

	if (atomic_load_explicit(&events->first, memory_order_relaxed) == last && events->taken > from)
		from = events->taken;
	/* Skip the last event, because only the event after a release shows whether the release belongs to a realloc(). */
	for (i = from; i + 1 < count; i++) {
		struct memphis_event *event = &last->events[i];
		__u64 begin = event->tag - events->checked_tag + events->checked;

		if (begin < from || begin >= i)
			continue;
		if (event->record.kind == MEMPHIS_ALLOCATION_POOL_RESET) {
			dropped += drop_pool(&last->events[begin], event, event);
			event->record.kind = 0;
		} else if (is_whole_lifetime(&last->events[begin], event, event + 1)) {
			last->events[begin].record.kind = event->record.kind = 0;
			dropped++;
		}
	}
	for (i = n = from; i < count; i++)
		if (last->events[i].record.kind) {
			if (n != i)
				last->events[n] = last->events[i];
			n++;
		}
	atomic_store_explicit(&last->count, n, memory_order_relaxed);
	atomic_fetch_add_explicit(&events->unsampled, dropped, memory_order_relaxed);
}

/*
 * Starts a new stride after the last event in `last`. The next check examines the events of this stride.
 * Returns the location for the next event, or NULL if there is no room.
 */
static struct memphis_event *start_stride(struct memphis_events *events)
{
	struct memphis_event_block *last = events->last;
	__u32 count = atomic_load_explicit(&last->count, memory_order_relaxed);
	__u32 room = MEMPHIS_EVENTS_PER_BLOCK - count;

	events->checked = count;
	events->checked_tag = events->tag;
	/* If the rest of the block is shorter than a quarter of a stride, do not use it. */
	events->room = room > STRIDE ? STRIDE : room < STRIDE / 4 ? 0 : room;
	return events->room ? &last->events[count] : NULL;
}

/* Compacts the last block if no sample was taken and no name was given since the previous check. */
static void compact_if_unsampled(struct memphis_events *events)
{
	__u64 digest = 0;
	int known;

	/*
	 * Keep the CPU from executing the loads for the digest before the RDTSC instructions that took the
	 * stamps in the block.
	 */
	__builtin_ia32_lfence();
	known = memphis_events_digest && memphis_events_digest(&digest);
	if (known && events->digest_known && digest == events->digest &&
	    memphis_lock_try(&events->compact_lock)) {
		compact_last(events);
		memphis_lock_release(&events->compact_lock);
	}
	events->digest = digest;
	events->digest_known = known;
}

/* Returns 1 if it is time to compact the whole list. Called whenever an event finds no room. */
static int is_compaction_due(struct memphis_events *events)
{
	if (events->events_until_compact) {
		events->events_until_compact--;
		return 0;
	}
	return !--events->blocks_until_compact;
}

/*
 * Handles exhausted memory. If the list was just compacted, postpones the next compaction. A compaction for
 * each further event would cost the program milliseconds each time, and would free nothing.
 */
static void wait_for_memory(struct memphis_events *events, int compacted)
{
	if (compacted)
		events->events_until_compact =
			events->blocks_until_compact * (__u32)MEMPHIS_EVENTS_PER_BLOCK / RETRY_SHARE;
	events->blocks_until_compact = 1;
}

static struct memphis_event *provide_event(struct memphis_events *events, __u32 kind)
{
	struct memphis_event_block *last = events->last, *fresh;
	struct memphis_event *next = NULL;
	int compacted = 0;

	if (last) {
		compact_if_unsampled(events);
		next = start_stride(events);
	}
	if (last && !next && is_compaction_due(events)) {
		compacted = 1;
		try_compaction(events);
		last = events->last;
		next = start_stride(events);
	}
	if (next)
		return next;
	fresh = allocate_block(kind);
	if (!fresh) {
		wait_for_memory(events, compacted);
		return NULL;
	}
	if (events->events_until_compact > MEMPHIS_EVENTS_PER_BLOCK)
		events->events_until_compact -= MEMPHIS_EVENTS_PER_BLOCK;
	else
		events->events_until_compact = 0;
	if (last)
		atomic_store_explicit(&last->next, fresh, memory_order_release);
	else
		atomic_store_explicit(&events->first, fresh, memory_order_release);
	events->last = fresh;
	return start_stride(events);
}

/*
 * Blocks signals, because a signal handler may leave by longjmp(3), or its thread may be cancelled. Locks
 * would then remain locked.
 */
struct memphis_event *memphis_events_make_room(struct memphis_events *events, __u32 kind)
{
	const __u64 signals = sys_no_signals();
	struct memphis_event *event = provide_event(events, kind);

	sys_signals(signals);
	return event;
}

size_t memphis_events_take(struct memphis_events *events, struct memphis_event *out, size_t max, __u64 upto)
{
	struct memphis_event_block *block, *next;
	size_t done = 0;

	/* The lock is rarely contended, because the producer only tries to take it and holds it briefly. */
	memphis_lock_take(&events->compact_lock);
	block = atomic_load_explicit(&events->first, memory_order_acquire);
	while (block) {
		__u32 count;

		next = atomic_load_explicit(&block->next, memory_order_acquire);
		/* Load `count` after `next`. A block that has a successor is full, so its count is final. */
		count = atomic_load_explicit(&block->count, memory_order_acquire);
		while (done < max && events->taken < count &&
		       block->events[events->taken].record.time_ns <= upto)
			out[done++] = block->events[events->taken++];
		if (events->taken < count || !next)
			break;
		atomic_store_explicit(&events->first, next, memory_order_relaxed);
		events->taken = 0;
		free_block(block);
		block = next;
	}
	memphis_lock_release(&events->compact_lock);
	return done;
}

int memphis_events_waiting(struct memphis_events *events)
{
	struct memphis_event_block *block;
	int waiting;

	memphis_lock_take(&events->compact_lock);
	block = atomic_load_explicit(&events->first, memory_order_acquire);
	waiting = block && (atomic_load(&block->count) > events->taken || atomic_load(&block->next));
	memphis_lock_release(&events->compact_lock);
	return waiting;
}

int memphis_events_end(struct memphis_events *events)
{
	struct memphis_event_block *block;

	try_compaction(events);
	block = atomic_load(&events->first);
	return !block || (!atomic_load(&memphis_events_drained) && !block->count && !block->next);
}

void memphis_events_free(struct memphis_events *events)
{
	struct memphis_event_block *block, *next;

	memphis_lock_take(&events->compact_lock);
	block = atomic_load(&events->first);
	for (; block; block = next) {
		next = block->next;
		free_block(block);
	}
	atomic_store(&events->first, NULL);
	events->last = NULL;
	events->room = 0;
	events->taken = 0;
	memphis_lock_release(&events->compact_lock);
}
