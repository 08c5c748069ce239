/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads of a process: their accounting, and how many there are. */
#ifndef MEMPHIS_READ_THREAD_H
#define MEMPHIS_READ_THREAD_H

#include "read/process.h"

void memphis_accounting_add(struct memphis_accounting *sum, const struct memphis_accounting *more);

/* Returns true if the number of interrupts is the sum of the samples kept, lost and filtered. */
bool memphis_accounting_balance(const struct memphis_accounting *sum);

/*
 * Returns true if the accounting of a thread is consistent and agrees with the number of samples in its file.
 * If the file was not closed, it may hold more samples than its last accounting record counts, but never
 * fewer.
 */
bool memphis_thread_balances(const struct memphis_thread *thread);

/* Returns the number of threads of which the files contain no data. */
size_t memphis_threads_without_data(const struct memphis_process *process);

/*
 * Returns the number of threads that the process had. It may exceed thread_count, as it includes the threads
 * without data and memphis_thread.others.
 */
size_t memphis_process_threads(const struct memphis_process *process);

/* Frees the contents of the thread, and sets it to zeros. */
void memphis_thread_close(struct memphis_thread *thread);

/* Returns true if the sum is over calls of I/O functions, not of MPI functions. */
static inline bool memphis_mpi_sum_is_io(const struct memphis_mpi_sum *sum)
{
	return sum->partner >= MEMPHIS_MPI_FILE;
}

/* Adds the numbers in *more to *sum. */
void memphis_mpi_sum_add(struct memphis_mpi_sum *sum, const struct memphis_mpi_sum *more);

#endif
