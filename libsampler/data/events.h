/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A thread's allocation events on their way to the drain: blocks of records, one producer (the thread),
 * one consumer (the drain), no lock between them.
 */
#ifndef MEMPHIS_EVENTS_H
#define MEMPHIS_EVENTS_H

#include <pthread.h>
#include <stdatomic.h>

#include <memphis/format.h>

#include "base/sys.h"

#define MEMPHIS_EVENT_BLOCK_BYTES 65536
#define MEMPHIS_EVENT_BYTES_MAX   (96u << 20) /* of blocks, in the whole process */

/* The record as it goes to the file, but for its time, which is a stamp (base/clock.h) until the drain converts it. */
struct memphis_event {
	struct memphis_allocation record;
	/*
	 * Of an allocation: its number, unique in the process. Of a release: that of the latest allocation at the
	 * address, by whatever thread, as far as it is known: only these two are surely one life.
	 */
	__u64 tag;
};

struct memphis_event_block {
	_Atomic(struct memphis_event_block *) next;
	_Atomic __u32 count;
	struct memphis_event events[];
};

#define MEMPHIS_EVENTS_PER_BLOCK \
	((MEMPHIS_EVENT_BLOCK_BYTES - sizeof(struct memphis_event_block)) / sizeof(struct memphis_event))

struct memphis_events {
	/* The producer's. */
	struct memphis_event_block *last;
	__u64 tag;         /* of the next event: the thread's number, then its own */
	__u32 room;        /* events that `last` takes before memphis_events_more() is asked */
	__u32 checked;     /* events of `last` that came before `digest` was taken */
	__u64 checked_tag; /* of the event behind them */
	__u64 digest;      /* of what was sampled and named by then ... */
	int digest_known;  /* ... if that could be told */
	__u32 blocks_until_compact;
	/* Shared. */
	_Atomic(struct memphis_event_block *) first; /* the consumer's, once it is set */
	_Atomic __u64 unsampled;      /* allocations compacted out, not yet counted elsewhere */
	__u32 taken;                  /* consumer's: of the first block */
	pthread_mutex_t compact_lock; /* held while the list is taken from or compacted */
};

/* The latest allocations, by a hash of the address: their tags. Set once, before the first event. */
#define MEMPHIS_ADDRESS_TAG_BITS 16
extern __u64 *memphis_address_tags;

/*
 * A digest of all samples and explicit names of the process up to now; 0 when it can't be told. Two equal ones: none came
 * in between. NULL: nobody can tell.
 */
extern int (*memphis_events_digest)(__u64 *digest);

/* Once, before all others. 0 or -ENOMEM. */
int memphis_events_setup(void);

void memphis_events_init(struct memphis_events *events);

/* Room for one more event, which memphis_events_commit() makes known; NULL: the bound is reached. The slow half. */
struct memphis_event *memphis_events_more(struct memphis_events *events, __u32 kind);

static inline int memphis_allocates(__u32 kind)
{
	return kind == MEMPHIS_ALLOCATION_MALLOC || kind == MEMPHIS_ALLOCATION_MAP ||
	       kind == MEMPHIS_ALLOCATION_SHARE;
}

static inline struct memphis_event *memphis_events_room(struct memphis_events *events, __u32 kind)
{
	struct memphis_event_block *last = events->last;

	if (unlikely(!events->room))
		return memphis_events_more(events, kind);
	return &last->events[atomic_load_explicit(&last->count, memory_order_relaxed)];
}

static inline void memphis_events_commit(struct memphis_events *events, struct memphis_event *event)
{
	__u64 *slot = &memphis_address_tags[(event->record.address >> 4) * 0x9e3779b97f4a7c15u >>
					    (64 - MEMPHIS_ADDRESS_TAG_BITS)];
	struct memphis_event_block *last = events->last;

	if (memphis_allocates(event->record.kind)) {
		event->tag = events->tag;
		__atomic_store_n(slot, events->tag, __ATOMIC_RELAXED);
	} else {
		event->tag = __atomic_load_n(slot, __ATOMIC_RELAXED);
	}
	events->tag++;
	events->room--;
	atomic_store_explicit(&last->count, atomic_load_explicit(&last->count, memory_order_relaxed) + 1,
			      memory_order_release);
}

/* Both; -ENOBUFS when the bound is reached (releases have a reserve that allocations can't use). */
static inline int memphis_events_push(struct memphis_events *events, const struct memphis_allocation *record)
{
	struct memphis_event *event = memphis_events_room(events, record->kind);

	if (unlikely(!event))
		return -ENOBUFS;
	event->record = *record;
	memphis_events_commit(events, event);
	return 0;
}

/* Producer: no more will come. Returns 1 if nothing is left to take. */
int memphis_events_end(struct memphis_events *events);

/* Give all memory back; nobody uses it any more. */
void memphis_events_free(struct memphis_events *events);

/*
 * Consumer: take up to `max` records to `out`, not beyond the first whose time (a stamp, see base/clock.h) is later
 * than `upto`; returns how many. Frees what is used up.
 */
size_t memphis_events_take(struct memphis_events *events, struct memphis_event *out, size_t max, __u64 upto);

/* In the child of a fork: the pool of blocks is nobody's. */
void memphis_events_forked(void);

/* Anyone: is there a record to take? */
int memphis_events_waiting(struct memphis_events *events);

/*
 * Set once the drain runs. Before, records pile up, and the producer compacts its own list now and then:
 * a block that is released before any sample was taken explains nothing.
 */
extern _Atomic int memphis_events_drained;

#endif
