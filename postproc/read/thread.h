/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads of a process: their accounting, and how many there are. */
#ifndef MEMPHIS_READ_THREAD_H
#define MEMPHIS_READ_THREAD_H

#include "read/process.h"

void memphis_accounting_add(struct memphis_accounting *sum, const struct memphis_accounting *more);

/* Returns whether the number of interrupts is the sum of those kept, lost and filtered. */
bool memphis_accounting_balance(const struct memphis_accounting *sum);

/*
 * Returns whether the accounting of a thread adds up and agrees with the samples in its file. A file that was not closed may hold more samples
 * than its last accounting record counts, never fewer.
 */
bool memphis_thread_balances(const struct memphis_thread *thread);

/* Returns the number of threads that have nothing in the files. */
size_t memphis_threads_without_data(const struct memphis_process *process);

/* Returns the number of threads that the process had. It may exceed thread_count (struct memphis_thread.others, and those without data). */
size_t memphis_process_threads(const struct memphis_process *process);

/* Frees the contents of the thread, and sets it to zeros. */
void memphis_thread_close(struct memphis_thread *thread);

/* Returns whether the sum is one over calls of I/O functions. */
static inline bool memphis_mpi_sum_is_io(const struct memphis_mpi_sum *sum)
{
	return sum->partner >= MEMPHIS_MPI_FILE;
}

/* Adds the numbers of a sum over MPI calls. */
void memphis_mpi_sum_add(struct memphis_mpi_sum *sum, const struct memphis_mpi_sum *more);

#endif
