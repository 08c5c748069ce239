/* SPDX-License-Identifier: BSD-3-Clause */
/* Adds the contents of a chunk to its process or thread. */
#ifndef MEMPHIS_CHUNKS_H
#define MEMPHIS_CHUNKS_H

#include "read/process.h"
#include "read/reader.h"

/* Returns whether a chunk of a thread file adds to tables that files share. If not, it concerns the thread alone. Unknown types count as shared. */
bool memphis_chunk_is_shared(unsigned int type);

/*
 * Reads the chunk's payload and adds it to the process or the thread; `thread` is NULL if the chunk is from a process file. Ignores chunks
 * that are not shared, and other types. Returns 0, or a negative errno with a message in *error: -EBADMSG if the payload is malformed.
 */
int memphis_chunk_load(struct memphis_processes *processes, struct memphis_process *process,
		       struct memphis_thread *thread, struct memphis_file *file,
		       struct memphis_chunk_view *chunk, struct memphis_error *error);

/* Does the same for a chunk that concerns the thread alone. */
int memphis_chunk_load_own(struct memphis_thread *thread, struct memphis_file *file,
			   struct memphis_chunk_view *chunk, struct memphis_error *error);

/*
 * Counts the samples of a chunk. Also stores the chunk's offset if enough data precedes it for a separate
 * reader. Returns 0 or -ENOMEM.
 */
int memphis_chunk_count_samples(struct memphis_thread *thread, const struct memphis_chunk_view *chunk);

/*
 * Stores the time at which a stack was first used; this time selects the maps for its PCs. Returns 0 or
 * -ENOMEM.
 */
int memphis_process_note_stack(struct memphis_process *process, uint32_t stack, uint64_t time_ns);

#endif
