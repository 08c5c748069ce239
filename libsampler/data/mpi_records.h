/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sums over the MPI and I/O calls of one thread, by region and partner. The thread writes them and the drain
 * reads them. While the thread runs, the drain may read each number at a slightly different moment. All
 * numbers are exact once the thread has ended.
 */
#ifndef MEMPHIS_MPI_RECORDS_H
#define MEMPHIS_MPI_RECORDS_H

#include <stdatomic.h>
#include <stdbool.h>

#include <memphis/format.h>

#include "base/sys.h"
#include "base/text.h"

#define MEMPHIS_MPI_SUMS_MAX 4096 /* sums per thread */
/* When a thread has this many sums, all new partners of a region share one sum. */
#define MEMPHIS_MPI_PARTNERS_MAX 3072

struct memphis_mpi_cell {
	struct memphis_mpi_sum sum; /* its time is in units of stamps (base/clock.h) */
	__u64 written;              /* used by the drain: sum of all numbers of the last record, to detect
				     * changes */
};

/* The initial state is all zeros: no calls. */
struct memphis_mpi_sums {
	struct memphis_mpi_cell *cells;
	__u32 count; /* number of cells in use; increased after the cell is filled in */
	struct memphis_mpi_cell *last;
};

/*
 * Called by the thread itself. Adds the numbers to the sum of the same region and partner. Does nothing if
 * memory is exhausted. Async-signal-safe.
 */
void memphis_mpi_sums_add(struct memphis_mpi_sums *sums, const struct memphis_mpi_sum *more);

/* Called by the drain. Returns true if the sum `at` is over calls of I/O functions. */
static inline bool memphis_mpi_sums_is_io(const struct memphis_mpi_sums *sums, __u32 at)
{
	return sums->cells[at].sum.partner >= MEMPHIS_MPI_FILE;
}

/* Called by the drain. Copies the sum `at`, with its time in ns. Returns false if the sum has not changed since the last call. */
bool memphis_mpi_sums_take(struct memphis_mpi_sums *sums, __u32 at, struct memphis_mpi_sum *to);

/* Returns the number of sums. */
static inline __u32 memphis_mpi_sums_count(const struct memphis_mpi_sums *sums)
{
	return __atomic_load_n(&sums->count, __ATOMIC_ACQUIRE);
}

/* Forgets everything, and frees the memory. The thread must have ended or be the caller. */
void memphis_mpi_sums_close(struct memphis_mpi_sums *sums);

/*
 * Messages and collective calls of one thread. The thread puts them into a ring, and the drain takes them
 * out. The thread uses no locks, and makes no system calls after the first event. If the ring is full, events
 * are lost and counted.
 */

#define MEMPHIS_MPI_EVENTS_RING 65536 /* events that a thread's ring holds; a power of two */

/* The initial state is all zeros: no events. */
struct memphis_mpi_events {
	/* The times of these events are stamps (base/clock.h). NULL: no event yet, or no memory. */
	struct memphis_mpi_event *ring;
	__u64 head;         /* number of events that were put into the ring; written by the thread */
	__u64 tail;         /* number of events that were taken from the ring; written by the drain */
	_Atomic __u64 lost; /* events that were dropped because the ring was full or could not be
			     * allocated */
};

/* Called by the thread itself. Puts an event into the ring. */
void memphis_mpi_events_put(struct memphis_mpi_events *events, const struct memphis_mpi_event *event);

/*
 * Called by the drain. Takes up to `capacity` events that ended up to the stamp `until`. Converts their times
 * to ns. Returns their number.
 */
__u32 memphis_mpi_events_take(struct memphis_mpi_events *events, __u64 until, struct memphis_mpi_event *to,
			      __u32 capacity);

static inline bool memphis_mpi_events_are_there(const struct memphis_mpi_events *events)
{
	return __atomic_load_n(&events->head, __ATOMIC_ACQUIRE) != events->tail;
}

/* Forgets everything, and frees the memory. The thread must have ended or be the caller. */
void memphis_mpi_events_close(struct memphis_mpi_events *events);

/* Facts about the process that the MPI layer has found. They are written to SETTINGS. */

/* Sets the value of a fact, or changes it. Called by the thread that calls MPI_Init() or MPI_Finalize(). `key` is not copied. */
void memphis_mpi_facts_set(const char *key, __u64 value);

/* Appends a line for each fact. */
void memphis_mpi_facts_add(struct memphis_text_buffer *text);

#endif
