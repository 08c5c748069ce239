/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Creates and finishes the thread files, and writes their metadata. The data of a new thread is first held in
 * memory. If the thread ends while its data is held, the data goes to a file that ended threads share.
 * Otherwise the thread gets its own file. Used by the drain only.
 */
#ifndef MEMPHIS_THREAD_FILE_H
#define MEMPHIS_THREAD_FILE_H

#include "core/thread.h"

/* Prepares for a new session, in which no thread has a file yet. Returns 0 or -ENOMEM. */
int memphis_thread_file_open(void);

/*
 * Creates the buffer or file for the thread's data, if it does not exist yet. Returns 0, or -errno if the
 * data can't be held or written.
 */
int memphis_thread_file_ensure(struct memphis_thread_record *thread);

/* Calls memphis_thread_file_ensure() if the thread has had interrupts, or if other threads may have sampled its memory. */
void memphis_thread_file_ensure_if_used(struct memphis_thread_record *thread);

/*
 * Gives a thread its own file if the thread's data should not be held any longer, or if `now` is set. The
 * thread's task must exist.
 */
void memphis_thread_file_give_own(struct memphis_thread_record *thread, bool now);

/* Called before the threads of a pass are visited. Resets the number of bytes that are held in memory. */
void memphis_thread_file_begin_pass(void);

/* Returns the number of attached threads that have no data so far. */
__u64 memphis_thread_file_without_data(void);

/* Returns the current file of ended threads, whose losses the caller reads. Before there is such a file, all members are zero. */
const struct memphis_sample_file *memphis_thread_file_of_ended(void);

/* Finishes the file of ended threads. */
void memphis_thread_file_close(void);

/* Fork handler of the child: forgets the parent's file of ended threads. */
void memphis_thread_file_forked(void);

/* Writes the chunks THREAD, TLS and FRAMES if their facts are new or have changed. `ended`: the thread has ended. */
void memphis_thread_file_write_metadata(struct memphis_thread_record *thread, int ended);

/* Writes a chunk NAMES with the explicit names that the thread has given since the last call. */
void memphis_thread_file_write_names(struct memphis_thread_record *thread);

/*
 * Writes the chunks REGION_TIMES and MPI with the numbers that have changed since the last call. Without
 * `now`, writes them at most once per interval. `regions`: id of the last region that the process file
 * contains. `ended`: the thread has ended.
 */
void memphis_thread_file_write_times(struct memphis_thread_record *thread, __u32 regions, bool ended,
				     bool now);

/* Writes chunks MPI_EVENTS with the events that ended up to the stamp `until`. */
void memphis_thread_file_write_mpi_events(struct memphis_thread_record *thread, __u64 until);

/*
 * Writes chunks SPANS with the spans that ended up to the stamp `until`. Also writes the open spans, at most
 * once per interval or if `now` is set.
 */
void memphis_thread_file_write_spans(struct memphis_thread_record *thread, __u64 until, bool now);

/* Writes the last metadata and finishes the thread's data, if there is any. */
void memphis_thread_file_finish(struct memphis_thread_record *thread, int ended);

#endif
