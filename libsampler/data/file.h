/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One sample file being written: chunks are staged in memory and committed together, so that a reader
 * sees either all of a commit or nothing, wherever the writer was killed.
 */
#ifndef MEMPHIS_FILE_H
#define MEMPHIS_FILE_H

#include <pthread.h>

#include <memphis/format.h>

#include "base/fd.h"

#define MEMPHIS_STAGE_BYTES (2u << 20)

/* Memory for the chunks of one commit; shared by files that one thread writes. */
struct memphis_stage {
	unsigned char *data; /* MEMPHIS_STAGE_BYTES */
	size_t used;
	size_t open; /* where the chunk being built starts */
	bool aside; /* in a call of the system that a file system may hold up for ever; for the child of a fork */
};

/*
 * A lock that the calling thread holds, and that others wait for: it is given up around such calls. What it protects is then
 * as a child can start from. NULL: none.
 */
extern __thread pthread_mutex_t *memphis_file_yields __attribute__((tls_model("initial-exec")));

/* What the headers of all files of one process have in common. */
struct memphis_run {
	__u64 id[2];
	__u32 pid;
};

struct memphis_file {
	struct memphis_stage *stage;
	char *path;           /* absolute; owned by the creator */
	struct memphis_fd fd; /* closed between commits without keep_open */
	int keep_open;
	__u64 offset; /* all before it is committed */
	int error;    /* -errno of the write that ended this file, else 0 */
	__u64 bytes_left_out;
};

/*
 * Make the file; `path` must not exist (-EEXIST) and must live as long as `file`. 0 or -errno.
 * `keep_open`: keep the descriptor between commits.
 */
int memphis_file_create(struct memphis_file *file, struct memphis_stage *stage, char *path,
			const struct memphis_run *run, __u16 kind, __u32 tid, int keep_open);

/*
 * Stage a chunk: begin returns where its payload goes and room for `bytes_max` of it, or NULL when even an
 * empty stage is too small; end tells what it has become. Commits by itself when the stage is full.
 */
void *memphis_file_chunk_begin(struct memphis_file *file, __u16 type, size_t bytes_max);
void memphis_file_chunk_end(struct memphis_file *file, size_t payload_bytes, __u32 count);
/* Both in one, for a payload that exists already; cuts nothing, so at most MEMPHIS_STAGE_BYTES / 2. */
void memphis_file_chunk(struct memphis_file *file, __u16 type, const void *payload, size_t payload_bytes,
			__u32 count);

/* Write what is staged. Returns 0 or the error that ended this file, now or before. */
int memphis_file_commit(struct memphis_file *file);

/* The same around calls of other modules. */
void memphis_file_step_aside(struct memphis_stage *stage);
void memphis_file_step_back(struct memphis_stage *stage);

/* Commit with an END chunk, and close. */
void memphis_file_finish(struct memphis_file *file);
/* Let go of the descriptor, write nothing. */
void memphis_file_drop(struct memphis_file *file);
/*
 * The same in the child of a fork, for the parent's file. Where the parent was in the middle of such a call, that one may not come
 * back, nor may the end of a descriptor: it stays open then, until the child executes another program or ends.
 */
void memphis_file_forked(struct memphis_file *file);

#endif
