/* SPDX-License-Identifier: BSD-3-Clause */
/* Adds the contents of a chunk to its process or thread. */
#ifndef MEMPHIS_CHUNKS_H
#define MEMPHIS_CHUNKS_H

#include "read/process.h"
#include "read/reader.h"

/*
 * Adds the chunk's payload to the process, or to the thread (`thread` NULL: the chunk is from a process
 * file). Other chunk types, including samples, are ignored. Returns 0, -ENOMEM, or -EBADMSG for a malformed
 * payload; only maps store a reason in *error.
 */
int memphis_chunk_load(struct memphis_processes *processes, struct memphis_process *process,
		       struct memphis_thread *thread, const struct memphis_chunk_view *chunk,
		       struct memphis_error *error);

/*
 * Counts the samples of a chunk, and records its offset if it begins a part of the file that is large enough
 * for a separate reader. Returns 0 or -ENOMEM.
 */
int memphis_chunk_count_samples(struct memphis_thread *thread, const struct memphis_chunk_view *chunk);

/* Records the time of a stack's first use, which selects the maps for its PCs. Returns 0 or -ENOMEM. */
int memphis_process_note_stack(struct memphis_process *process, uint32_t stack, uint64_t time_ns);

#endif
