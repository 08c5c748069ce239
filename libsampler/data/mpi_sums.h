/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sums over the MPI and I/O calls of one thread, by region and partner. Written by the thread, read by the drain: each number is that of some recent
 * moment, and all are exact once the thread has ended.
 */
#ifndef MEMPHIS_MPI_SUMS_H
#define MEMPHIS_MPI_SUMS_H

#include <stdbool.h>

#include <memphis/format.h>

#include "base/sys.h"

#define MEMPHIS_MPI_SUMS_MAX 4096 /* sums per thread */
/* Beyond this number, new partners of a region share a sum. */
#define MEMPHIS_MPI_PARTNERS_MAX 3072

struct memphis_mpi_cell {
	struct memphis_mpi_sum sum; /* with a time in units of stamps (base/clock.h) */
	__u64 written;              /* used by the drain: checksum of the last record */
};

/* The initial state is all zeros: no calls. */
struct memphis_mpi_sums {
	struct memphis_mpi_cell *cells;
	__u32 count; /* set after the cell */
	struct memphis_mpi_cell *last;
};

/*
 * Called by the thread itself: adds to the sum of the same region and partner. Does nothing if memory is exhausted.
 * Async-signal-safe.
 */
void memphis_mpi_sums_add(struct memphis_mpi_sums *sums, const struct memphis_mpi_sum *more);

/* Called by the drain: returns whether the sum `at` is one over calls of I/O functions. */
static inline bool memphis_mpi_sums_is_io(const struct memphis_mpi_sums *sums, __u32 at)
{
	return sums->cells[at].sum.partner >= MEMPHIS_MPI_FILE;
}

/* Called by the drain: copies the sum `at`, with its time in ns. Returns false if it has not changed since the last time. */
bool memphis_mpi_sums_take(struct memphis_mpi_sums *sums, __u32 at, struct memphis_mpi_sum *to);

/* Returns the number of sums. */
static inline __u32 memphis_mpi_sums_count(const struct memphis_mpi_sums *sums)
{
	return __atomic_load_n(&sums->count, __ATOMIC_ACQUIRE);
}

/* Forgets everything, and frees the memory. The thread must have ended or be the caller. */
void memphis_mpi_sums_close(struct memphis_mpi_sums *sums);

#endif
