/* SPDX-License-Identifier: BSD-3-Clause */
/* Loads the contents of a chunk into the process or thread to which it belongs. */
#ifndef MEMPHIS_CHUNKS_H
#define MEMPHIS_CHUNKS_H

#include "read/process.h"
#include "read/reader.h"

/*
 * Returns true if a chunk of a thread file adds to tables that several files share, such as the call stacks
 * of the process. Returns false if the chunk concerns only its own thread. Unknown types count as shared.
 */
bool memphis_chunk_is_shared(unsigned int type);

/*
 * Reads the payload of a shared chunk (see above) and adds it to the process or the thread. `thread` is NULL
 * if the chunk is from a process file. Ignores chunks of other types. Returns 0, or a negative errno with a
 * message in *error: -EBADMSG if the payload is malformed.
 */
int memphis_chunk_load(struct memphis_processes *processes, struct memphis_process *process,
		       struct memphis_thread *thread, struct memphis_file *file,
		       struct memphis_chunk_view *chunk, struct memphis_error *error);

/* Reads the payload of a chunk that concerns only its thread, and adds it to the thread. Returns as memphis_chunk_load() does. */
int memphis_chunk_load_own(struct memphis_thread *thread, struct memphis_file *file,
			   struct memphis_chunk_view *chunk, struct memphis_error *error);

/*
 * Counts the samples of a chunk. Also stores the chunk's offset as the start of a new part if the current
 * part is large enough for a separate reader. Returns 0 or -ENOMEM.
 */
int memphis_chunk_count_samples(struct memphis_thread *thread, const struct memphis_chunk_view *chunk);

/*
 * Stores the time at which a call stack was first used. This time selects the memory maps in which the
 * stack's PCs are looked up. Returns 0 or -ENOMEM.
 */
int memphis_process_note_stack(struct memphis_process *process, uint32_t stack, uint64_t time_ns);

#endif
