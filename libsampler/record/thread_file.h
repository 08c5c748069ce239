/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread's file: when it is made and finished, and what it contains of the thread itself. Used by the drain alone. */
#ifndef MEMPHIS_THREAD_FILE_H
#define MEMPHIS_THREAD_FILE_H

#include "core/thread.h"

/* A session begins: no thread has a file. */
void memphis_thread_file_open(void);

/* Make the thread's file if there is none yet. 0, or -errno if it can't be made or written. */
int memphis_thread_file_need(struct memphis_thread *thread);

/* Chunks THREAD, TLS and FRAMES: what has become known or has changed. `ended`: the thread has ended. */
void memphis_thread_file_metadata(struct memphis_thread *thread, int ended);

/* Chunk NAMES: explicit names that the thread has given since the last call. */
void memphis_thread_file_names(struct memphis_thread *thread);

/* Write the last metadata, and finish the file if there is one. */
void memphis_thread_file_finish(struct memphis_thread *thread, int ended);

#endif
