/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages and collective calls of one thread. */
#include <string.h>

#include "base/clock.h"
#include "data/mpi_events.h"

#define RING_BYTES (MEMPHIS_MPI_EVENTS_RING * sizeof(struct memphis_mpi_event))

void memphis_mpi_events_put(struct memphis_mpi_events *events, const struct memphis_mpi_event *event)
{
	const __u64 head = events->head;

	if (!events->ring)
		__atomic_store_n(&events->ring, sys_map(RING_BYTES), __ATOMIC_RELEASE);
	if (!events->ring ||
	    head - __atomic_load_n(&events->tail, __ATOMIC_ACQUIRE) >= MEMPHIS_MPI_EVENTS_RING) {
		/* Only the thread writes: no locked instruction is needed. */
		atomic_store_explicit(&events->lost,
				      atomic_load_explicit(&events->lost, memory_order_relaxed) + 1,
				      memory_order_relaxed);
		return;
	}
	events->ring[head % MEMPHIS_MPI_EVENTS_RING] = *event;
	__atomic_store_n(&events->head, head + 1, __ATOMIC_RELEASE);
}

__u32 memphis_mpi_events_take(struct memphis_mpi_events *events, __u64 until, struct memphis_mpi_event *to,
			      __u32 room)
{
	const __u64 head = __atomic_load_n(&events->head, __ATOMIC_ACQUIRE);
	__u64 tail = events->tail;
	__u32 count;

	for (count = 0; count < room && tail < head; count++, tail++) {
		to[count] = events->ring[tail % MEMPHIS_MPI_EVENTS_RING];
		if (to[count].end_ns > until)
			break;
		to[count].begin_ns = memphis_clock_ns(to[count].begin_ns);
		to[count].end_ns = memphis_clock_ns(to[count].end_ns);
	}
	__atomic_store_n(&events->tail, tail, __ATOMIC_RELEASE);
	return count;
}

void memphis_mpi_events_close(struct memphis_mpi_events *events)
{
	sys_unmap(events->ring, RING_BYTES);
	memset(events, 0, sizeof(*events));
}
