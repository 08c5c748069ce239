/* SPDX-License-Identifier: BSD-3-Clause */
/* Thread files: creates and finishes them, and writes their metadata. Used by the drain only. */
#ifndef MEMPHIS_THREAD_FILE_H
#define MEMPHIS_THREAD_FILE_H

#include "core/thread.h"

/* Prepares for a new session, in which no thread has a file yet. */
void memphis_thread_file_open(void);

/* Creates the thread's file if it does not exist yet. Returns 0, or -errno if it can't be created or written. */
int memphis_thread_file_need(struct memphis_thread *thread);

/*
 * Writes chunks THREAD, TLS and FRAMES with the facts that are new or have changed. `ended`: the thread has
 * ended.
 */
void memphis_thread_file_metadata(struct memphis_thread *thread, int ended);

/* Writes a chunk NAMES with the explicit names that the thread has given since the last call. */
void memphis_thread_file_names(struct memphis_thread *thread);

/*
 * Writes chunks REGION_TIMES and MPI with the numbers that have changed since the last call, if it is time or `now`. `regions`: the last one that
 * the process file contains. `ended`: the thread has ended.
 */
void memphis_thread_file_times(struct memphis_thread *thread, __u32 regions, bool ended, bool now);

/* Writes chunks MPI_EVENTS with the events that ended up to the stamp `until`. */
void memphis_thread_file_mpi_events(struct memphis_thread *thread, __u64 until);

/* Writes chunks SPANS with the spans that ended up to the stamp `until`, and with the open ones if it is time or `now`. */
void memphis_thread_file_spans(struct memphis_thread *thread, __u64 until, bool now);

/* Writes the last metadata and finishes the file, if there is one. */
void memphis_thread_file_finish(struct memphis_thread *thread, int ended);

#endif
