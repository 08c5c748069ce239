/* SPDX-License-Identifier: BSD-3-Clause */
/* Text chunks and commits. Used by the drain only. */
#ifndef MEMPHIS_CHUNK_H
#define MEMPHIS_CHUNK_H

#include "base/text.h"
#include "data/file.h"
#include "unwind/stack.h"

/* Lines of the text chunk that is being built. Empty between chunks. */
extern struct memphis_text_buffer memphis_lines;

/* Writes the lines as a chunk, if there are any, and clears them. */
void memphis_chunk_write_lines(struct memphis_sample_file *file, __u16 type);

/* Commits the staged chunks. Reports the error if it is the first one of the session. */
void memphis_chunk_commit(struct memphis_sample_file *file);

/*
 * Writes the data that `held` keeps in memory to the file `to`. Calls memphis_file_release_member() if
 * `is_member`, otherwise memphis_file_release(). Reports the error if it is the first one of the session.
 */
void memphis_chunk_release(struct memphis_sample_file *to, struct memphis_sample_file *held, bool is_member);

/* Returns true for the first error of a session; only that error is reported. */
bool memphis_chunk_is_first_error(void);

/* Prepares for a new session, in which no error has been reported yet. */
void memphis_chunk_open(void);

/* Chunks of call stacks: of allocations, and of the callers of samples. Used by the drain only. */

/* Writes the stacks that were stored since the last call to chunks of type STACKS or CHAINS. */
void memphis_chunk_write_stacks(struct memphis_stacks *stacks, struct memphis_sample_file *file, __u16 type);

#endif
