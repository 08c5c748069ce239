/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Thread files: creates and finishes them, and writes their metadata. The data of a thread is held in memory while the thread is new; if
 * it ends by then, its data goes to a file that ended threads share, otherwise to a file of its own. Used by the drain only.
 */
#ifndef MEMPHIS_THREAD_FILE_H
#define MEMPHIS_THREAD_FILE_H

#include "core/thread.h"

/* Prepares for a new session, in which no thread has a file yet. Returns 0 or -ENOMEM. */
int memphis_thread_file_open(void);

/* Begins the thread's data if there is none yet. Returns 0, or -errno if it can't be held or written. */
int memphis_thread_file_need(struct memphis_thread_record *thread);

/* Begins the thread's data if the thread has had interrupts, or if samples of others may be of its memory. */
void memphis_thread_file_look(struct memphis_thread_record *thread);

/* Gives a thread whose task exists a file of its own if its data should not be held any longer, or `now`. */
void memphis_thread_file_place(struct memphis_thread_record *thread, bool now);
void memphis_thread_file_next_pass(void);

/* Number of threads that were attached and have, so far, no data. */
__u64 memphis_thread_file_without_data(void);

/* Returns the current file of ended threads, for its losses; its members are zero before there is one. */
const struct memphis_sample_file *memphis_thread_file_of_ended(void);

/* Finishes the file of ended threads. */
void memphis_thread_file_close(void);

/* Fork handler of the child: forgets the parent's file of ended threads. */
void memphis_thread_file_forked(void);

/*
 * Writes chunks THREAD, TLS and FRAMES with the facts that are new or have changed. `ended`: the thread has
 * ended.
 */
void memphis_thread_file_metadata(struct memphis_thread_record *thread, int ended);

/* Writes a chunk NAMES with the explicit names that the thread has given since the last call. */
void memphis_thread_file_names(struct memphis_thread_record *thread);

/*
 * Writes chunks REGION_TIMES and MPI with the numbers that have changed since the last call, if it is time or `now`. `regions`: the last one that
 * the process file contains. `ended`: the thread has ended.
 */
void memphis_thread_file_times(struct memphis_thread_record *thread, __u32 regions, bool ended, bool now);

/* Writes chunks MPI_EVENTS with the events that ended up to the stamp `until`. */
void memphis_thread_file_mpi_events(struct memphis_thread_record *thread, __u64 until);

/* Writes chunks SPANS with the spans that ended up to the stamp `until`, and with the open ones if it is time or `now`. */
void memphis_thread_file_spans(struct memphis_thread_record *thread, __u64 until, bool now);

/* Writes the last metadata and finishes the thread's data, if there is any. */
void memphis_thread_file_finish(struct memphis_thread_record *thread, int ended);

#endif
