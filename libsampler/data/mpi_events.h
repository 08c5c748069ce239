/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages and collective calls of one thread. The thread puts them into a ring, without locks and, after the first one, without system calls;
 * the drain takes them. If the ring is full, events are lost and counted.
 */
#ifndef MEMPHIS_MPI_EVENTS_H
#define MEMPHIS_MPI_EVENTS_H

#include <stdatomic.h>
#include <stdbool.h>

#include <memphis/format.h>

#include "base/sys.h"

#define MEMPHIS_MPI_EVENTS_RING 65536 /* events that a thread's ring holds; a power of two */

/* The initial state is all zeros: no events. */
struct memphis_mpi_events {
	/* times are stamps (base/clock.h); NULL: no event yet, or no memory */
	struct memphis_mpi_event *ring;
	__u64 head;         /* number of events that were put into the ring; written by the thread */
	__u64 tail;         /* number of events that were taken from the ring; written by the drain */
	_Atomic __u64 lost; /* events that found no room */
};

/* Called by the thread itself. */
void memphis_mpi_events_put(struct memphis_mpi_events *events, const struct memphis_mpi_event *event);

/* Called by the drain: takes up to `room` events that ended up to the stamp `until`, with times in ns. Returns their number. */
__u32 memphis_mpi_events_take(struct memphis_mpi_events *events, __u64 until, struct memphis_mpi_event *to,
			      __u32 room);

static inline bool memphis_mpi_events_are_there(const struct memphis_mpi_events *events)
{
	return __atomic_load_n(&events->head, __ATOMIC_ACQUIRE) != events->tail;
}

/* Forgets everything, and frees the memory. The thread must have ended or be the caller. */
void memphis_mpi_events_close(struct memphis_mpi_events *events);

#endif
