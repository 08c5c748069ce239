/* SPDX-License-Identifier: BSD-3-Clause */
/* What the chunks of a file add to its process or thread. */
#ifndef MEMPHIS_CHUNKS_H
#define MEMPHIS_CHUNKS_H

#include "read/process.h"
#include "read/reader.h"

/*
 * Adds the chunk's payload to the process, or to the thread (NULL: the chunk is from a process file). Chunks of other types, samples
 * among them, are ignored. 0, -ENOMEM, or -EBADMSG where the payload is malformed; only maps give a reason in *error.
 */
int memphis_chunk_load(struct memphis_processes *processes, struct memphis_process *process,
		       struct memphis_thread *thread, const struct memphis_chunk_view *chunk,
		       struct memphis_error *error);

/*
 * Counts the samples of a chunk, and records the chunk's offset where a part of the file begins that is large enough for a reader of
 * its own. 0 or -ENOMEM.
 */
int memphis_chunk_count_samples(struct memphis_thread *thread, const struct memphis_chunk_view *chunk);

/* Records the time when a stack was met first: its PCs are looked up in the maps of that time. 0 or -ENOMEM. */
int memphis_process_note_stack(struct memphis_process *process, uint32_t stack, uint64_t time_ns);

#endif
