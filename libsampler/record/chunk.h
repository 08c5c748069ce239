/* SPDX-License-Identifier: BSD-3-Clause */
/* Text chunks and commits, as the drain writes them. Used by the drain alone. */
#ifndef MEMPHIS_CHUNK_H
#define MEMPHIS_CHUNK_H

#include "base/text.h"
#include "data/file.h"

/* Lines of the text chunk under construction; empty between chunks. */
extern struct memphis_text memphis_lines;

/* Write the lines as a chunk, if there are any, and clear them. */
void memphis_lines_chunk(struct memphis_file *file, __u16 type);

/* Commit what is staged. The first error of the session is reported. */
void memphis_chunk_commit(struct memphis_file *file);

/* Whether an error is the session's first, which is the only one to be reported. */
bool memphis_chunk_is_first_error(void);

/* A session begins: no error has been reported. */
void memphis_chunk_open(void);

#endif
