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

#include "sys.h"

#define MEMPHIS_EVENT_BLOCK_BYTES 65536
#define MEMPHIS_EVENT_BYTES_MAX   (96u << 20) /* of blocks, in the whole process */

struct memphis_event_block {
	_Atomic(struct memphis_event_block *) next;
	_Atomic __u32 count;
	struct memphis_allocation events[];
};

#define MEMPHIS_EVENTS_PER_BLOCK \
	((MEMPHIS_EVENT_BLOCK_BYTES - sizeof(struct memphis_event_block)) / sizeof(struct memphis_allocation))

struct memphis_events {
	struct memphis_event_block *last;            /* producer's */
	__u32 blocks_until_squeeze;                  /* producer's */
	_Atomic(struct memphis_event_block *) first; /* consumer's, once it is set */
	__u32 taken;                                 /* consumer's: of the first block */
	pthread_mutex_t squeeze_lock;                /* held while the list is taken from or squeezed */
};

void memphis_events_init(struct memphis_events *events);

/* Append a record; -ENOBUFS when the bound is reached (releases have a reserve that allocations can't use). */
int memphis_events_push(struct memphis_events *events, const struct memphis_allocation *event);

/* Producer: no more will come. Returns 1 if nothing is left to take. */
int memphis_events_end(struct memphis_events *events);

/* Give all memory back; nobody uses it any more. */
void memphis_events_free(struct memphis_events *events);

/*
 * Consumer: take up to `max` records to `out`, not beyond the first whose time (a stamp, see clock.h) is later
 * than `upto`; returns how many. Frees what is used up.
 */
size_t memphis_events_take(struct memphis_events *events, struct memphis_allocation *out, size_t max,
			   __u64 upto);

/* In the child of a fork: the pool of blocks is nobody's. */
void memphis_events_forked(void);

/* Anyone: is there a record to take? */
int memphis_events_waiting(struct memphis_events *events);

/*
 * Set once the drain runs. Before, records pile up, and the producer squeezes its own list now and then:
 * a block that is released before any sample was taken explains nothing.
 */
extern _Atomic int memphis_events_drained;

#endif
