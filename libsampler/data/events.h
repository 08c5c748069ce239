/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Queue of a thread's allocation events: a single-producer, single-consumer queue of linked blocks. The
 * thread is the producer, the drain is the consumer. The producer takes a lock only when it compacts its own
 * list.
 */
#ifndef MEMPHIS_EVENTS_H
#define MEMPHIS_EVENTS_H

#include <memphis/device.h>
#include <stdatomic.h>

#include <memphis/format.h>

#include "base/lock.h"

/*
 * A filter that tells whether parts of pools have been recorded in a range of memory. The release of a block
 * also ends the parts in it, including those that other threads recorded. The events of a block that may
 * contain parts must therefore not be dropped, because its parts would then remain live.
 */

/* Must be called before the event of the part is recorded. Adds the memory of the part. */
void memphis_part_regions_add(__u64 low, __u64 bytes);

/* 1 after the first call of memphis_part_regions_add(). */
extern _Atomic int memphis_part_regions_any __attribute__((visibility("hidden")));

/* Slow path of memphis_part_regions_has(), for programs with parts. */
int memphis_part_regions_look_up(__u64 low, __u64 bytes);

/* Returns 0 if no part was ever recorded in this memory, otherwise 1. In rare cases, returns 1 although there was no part. */
static inline int memphis_part_regions_has(__u64 low, __u64 bytes)
{
	return atomic_load_explicit(&memphis_part_regions_any, memory_order_acquire) &&
	       memphis_part_regions_look_up(low, bytes);
}

#define MEMPHIS_EVENT_BLOCK_BYTES 65536
/* in tags: the thread number is above this bit, the event number below */
#define MEMPHIS_EVENT_THREAD_SHIFT 40
#define MEMPHIS_EVENT_BYTES_MAX    (96u << 20) /* limit for all blocks of the process */

/*
 * An allocation record as in the file, except that time_ns is a stamp (base/clock.h) until the drain converts
 * it to nanoseconds.
 */
struct memphis_event {
	struct memphis_allocation record;
	/*
	 * Tells which events belong together.
	 * - Allocation: a number that is unique in the process.
	 * - Release: the tag of the latest known allocation at this address by any thread. An allocation and
	 *   a release certainly belong to the same block only if their tags are equal.
	 * - Reset of a pool: the tag of the first part since the previous reset, if one thread allocated all
	 *   parts since then; otherwise 0.
	 */
	__u64 tag;
};

/* `next` is set when the block is full. */
struct memphis_event_block {
	_Atomic(struct memphis_event_block *) next;
	_Atomic __u32 count;
	struct memphis_event events[];
};

#define MEMPHIS_EVENTS_PER_BLOCK \
	((MEMPHIS_EVENT_BLOCK_BYTES - sizeof(struct memphis_event_block)) / sizeof(struct memphis_event))

struct memphis_events {
	/* Used by the producer only. */
	struct memphis_event_block *last;
	__u64 tag;  /* of the next event: thread number in the upper bits, event number in the lower bits */
	__u32 room; /* events that fit in `last` before memphis_events_make_room() is called */
	__u32 checked;              /* number of events in `last` when `digest` was computed */
	__u64 checked_tag;          /* tag of the first event after the checked ones */
	__u64 digest;               /* result of memphis_events_digest() when the events were checked */
	int digest_known;           /* 1: `digest` is valid */
	__u32 blocks_until_compact; /* number of blocks to fill before the whole list is compacted again */
	/* if a compaction did not free enough memory: number of events until the next compaction */
	__u32 events_until_compact;
	/* Shared by producer and consumer. */
	_Atomic(struct memphis_event_block *)
		first;           /* set once by the producer, then advanced by the consumer */
	_Atomic __u64 unsampled; /* allocations that compaction dropped and that no other counter contains
				  * yet */
	__u32 taken;             /* events of `first` that the consumer has removed */
	struct memphis_lock compact_lock; /* held while events are removed or the list is compacted */
};

/*
 * The latest allocation and release of each address, indexed by a hash of the address. A collision overwrites
 * the older entry. Allocated before the first event.
 */
#define MEMPHIS_LATEST_BITS 16
struct memphis_latest {
	__u64 tag;     /* of the latest allocation */
	__u64 release; /* stamp of the latest release, plus MEMPHIS_STAMP_STEP */
};
extern struct memphis_latest *memphis_latest __attribute__((visibility("hidden")));
#define MEMPHIS_STAMP_STEP 8 /* stamps that differ by this value differ by at least a nanosecond */

/*
 * Callback that stores a digest of two numbers: the samples taken and the explicit names given so far.
 * Returns 1, or 0 if the digest can't be computed now. If two digests are equal, no sample was taken and no
 * name was given between them. NULL if no callback is set.
 */
extern int (*memphis_events_digest)(__u64 *digest);

/* Must be called once, before the other functions. Returns 0 or -ENOMEM. */
int memphis_events_setup(void);

void memphis_events_init(struct memphis_events *events);

/*
 * Slow path of memphis_events_room(). Compacts the last block, or adds a new block. Returns the location for
 * the next event, or NULL if the memory limit is reached.
 */
struct memphis_event *memphis_events_make_room(struct memphis_events *events, __u32 kind);

/* Returns 1 if events of this kind start the lifetime of a block. */
static inline int memphis_allocates(__u32 kind)
{
	return kind == MEMPHIS_ALLOCATION_MALLOC || kind == MEMPHIS_ALLOCATION_MAP ||
	       kind == MEMPHIS_ALLOCATION_SHARE || kind == MEMPHIS_ALLOCATION_SMALL ||
	       kind == MEMPHIS_ALLOCATION_PART;
}

/* Returns 1 if an event of this kind starts the lifetime of a block of the allocator, or of a part of a pool. */
static inline int memphis_allocates_block(__u32 kind)
{
	return kind == MEMPHIS_ALLOCATION_MALLOC || kind == MEMPHIS_ALLOCATION_SMALL ||
	       kind == MEMPHIS_ALLOCATION_PART;
}

/* Returns 1 if an event of this kind releases one block of the allocator, or one part of a pool. */
static inline int memphis_releases_block(__u32 kind)
{
	return kind == MEMPHIS_ALLOCATION_FREE || kind == MEMPHIS_ALLOCATION_PART_FREE;
}

/* Returns 1 if the event concerns a part of a pool. A part may have the same address as the block around it. */
static inline int memphis_is_of_part(__u32 kind)
{
	return kind == MEMPHIS_ALLOCATION_PART || kind == MEMPHIS_ALLOCATION_PART_FREE ||
	       kind == MEMPHIS_ALLOCATION_POOL_RESET;
}

/* Returns 1 if realloc() or mremap() has recorded this allocation after the release of the old block. */
static inline int memphis_is_moved(const struct memphis_allocation *record)
{
	return record->kind != MEMPHIS_ALLOCATION_SMALL && !memphis_is_of_part(record->kind) &&
	       record->previous;
}

/*
 * Returns 1 if realloc() has recorded the release `end`. `next` is the event after it, which is then the
 * allocation of the moved block.
 */
static inline int memphis_moves(const struct memphis_allocation *end, const struct memphis_allocation *next)
{
	return memphis_is_moved(next) && next->previous == end->address;
}

/*
 * Returns 1 if these two events are the allocation and the release of the same block or part, and the
 * allocation does not come from realloc(). The release may still be the first half of a realloc().
 */
static inline int memphis_is_pair(const struct memphis_event *begin, const struct memphis_event *end)
{
	return memphis_allocates_block(begin->record.kind) && memphis_releases_block(end->record.kind) &&
	       memphis_is_of_part(begin->record.kind) == memphis_is_of_part(end->record.kind) &&
	       begin->tag == end->tag && begin->record.address == end->record.address &&
	       !memphis_is_moved(&begin->record);
}

/* Returns 1 if the record's block or map may contain parts of pools. Its release also ends these parts. */
static inline int memphis_may_have_parts(const struct memphis_allocation *record)
{
	return !memphis_is_of_part(record->kind) &&
	       memphis_part_regions_has(record->address, record->size_bytes);
}

/* Returns 1 if the event belongs to a part of the pool that is reset. `reset`: an event of kind POOL_RESET. */
static inline int memphis_is_reset_by(const struct memphis_event *event, const struct memphis_event *reset)
{
	return (event->record.kind == MEMPHIS_ALLOCATION_PART ||
		event->record.kind == MEMPHIS_ALLOCATION_PART_FREE) &&
	       MEMPHIS_PART_POOL(event->record.previous) == MEMPHIS_PART_POOL(reset->record.previous);
}

/*
 * Returns the location for the next event, or NULL if there is no room. The caller fills in the event and
 * calls memphis_events_commit().
 */
static inline struct memphis_event *memphis_events_room(struct memphis_events *events, __u32 kind)
{
	struct memphis_event_block *last = events->last;

	if (unlikely(!events->room))
		return memphis_events_make_room(events, kind);
	return &last->events[atomic_load_explicit(&last->count, memory_order_relaxed)];
}

/*
 * Publishes the event at the location from memphis_events_room() to the consumer. Assigns its tag, unless it
 * is the reset of a pool. `kind` is the kind of the event. If it is a constant, the compiler removes the
 * other cases.
 *
 * Raises the stamp of an allocation if necessary, so that it is later than the latest release at the same
 * address. Example: another thread releases a block, and the allocator gives its memory to this thread. The
 * CPU may have read the stamp of the new allocation before the load that showed the release to the allocator.
 */
static inline __attribute__((always_inline)) void
memphis_events_commit(struct memphis_events *events, struct memphis_event *event, __u32 kind)
{
	const __u64 key = memphis_is_of_part(kind) ? ~event->record.address : event->record.address;
	struct memphis_latest *latest =
		&memphis_latest[(key >> 4) * 0x9e3779b97f4a7c15u >> (64 - MEMPHIS_LATEST_BITS)];
	struct memphis_event_block *last = events->last;
	__u64 release;

	if (memphis_allocates(kind)) {
		release = __atomic_load_n(&latest->release, __ATOMIC_RELAXED);
		if (unlikely(event->record.time_ns < release))
			event->record.time_ns = release;
		event->tag = events->tag;
		__atomic_store_n(&latest->tag, events->tag, __ATOMIC_RELAXED);
	} else if (kind != MEMPHIS_ALLOCATION_POOL_RESET) {
		event->tag = __atomic_load_n(&latest->tag, __ATOMIC_RELAXED);
		__atomic_store_n(&latest->release, event->record.time_ns + MEMPHIS_STAMP_STEP,
				 __ATOMIC_RELAXED);
	}
	events->tag++;
	events->room--;
	atomic_store_explicit(&last->count, atomic_load_explicit(&last->count, memory_order_relaxed) + 1,
			      memory_order_release);
}

/* Called by the producer after its last event. Returns 1 if there is nothing left for the consumer. */
int memphis_events_end(struct memphis_events *events);

/* Frees all memory. Neither producer nor consumer may use the queue afterwards. */
void memphis_events_free(struct memphis_events *events);

/*
 * Called by the consumer. Moves up to `max` events to `out`, and stops at the first event that is later than
 * the stamp `upto` (base/clock.h). Frees blocks whose events have all been moved. Returns the number of
 * events.
 */
size_t memphis_events_take(struct memphis_events *events, struct memphis_event *out, size_t max, __u64 upto);

/* Fork handler of the child: releases the lock of the pool, which a thread of the parent may have held. */
void memphis_events_forked(void);

/* Returns 1 if the queue contains events. Callable by any thread. */
int memphis_events_waiting(struct memphis_events *events);

/*
 * Set when the drain starts to run. Until then, events accumulate, and the producer compacts its own list
 * from time to time. A block that is released before sampling starts can't contain a sample.
 */
extern _Atomic int memphis_events_drained;

#endif
