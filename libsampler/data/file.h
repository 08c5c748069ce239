/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writer of a sample file. Chunks are staged in memory and committed together, so that a reader sees a commit
 * either completely or not at all, even if the writer is killed. A file is used by one thread at a time; the
 * functions are not async-signal-safe.
 */
#ifndef MEMPHIS_FILE_H
#define MEMPHIS_FILE_H

#include <memphis/format.h>

#include "base/fd.h"
#include "base/lock.h"

#define MEMPHIS_STAGE_BYTES (2u << 20)

/* Memory for the chunks of one commit, shared by all files that one thread writes. */
struct memphis_stage {
	unsigned char *data; /* MEMPHIS_STAGE_BYTES */
	size_t used;         /* bytes of complete chunks */
	size_t open;         /* offset of the chunk that is being built */
	/* The drain's current directory is that of the files, which it finds there even if the program changes what their paths lead to. */
	bool is_entered;
	bool may_block; /* in a system call that a file system may block forever; read in forked children */
	/*
	 * Held by the thread that uses the stage, while others may wait for it, to fork, for example; or NULL. It is released around system
	 * calls that may block; while it is released, the data that it protects must be consistent enough for a forked child.
	 */
	struct memphis_lock *lock;
};

/*
 * Commits that wait in memory for a file: complete chunks behind the header of their thread. In one piece with its size, so that a forked
 * child finds both consistent.
 */
struct memphis_file_held {
	size_t room, used; /* bytes of `data` */
	unsigned char data[];
};

/* Header fields that all files of a process have in common. */
struct memphis_run {
	__u64 id[2];
	__u32 pid;
};

struct memphis_sample_file {
	struct memphis_stage *stage;
	char *path;           /* absolute; owned by the thread that created the file */
	struct memphis_fd fd; /* closed between commits unless keep_open */
	int keep_open;
	__u64 offset;                   /* end of the committed data */
	struct memphis_file_held *held; /* NULL: commits go to the file */
	int error;            /* 0, or -errno of the write that failed; nothing is written after a failure */
	__u64 bytes_left_out; /* bytes of payload that could not be staged or written */
};

/*
 * Creates the file and writes its header. `path` must not exist (-EEXIST) and must stay valid as long as `file` is used.
 * `keep_open`: keep the descriptor open between commits. Returns 0 or -errno.
 */
int memphis_file_create(struct memphis_sample_file *file, struct memphis_stage *stage, char *path,
			const struct memphis_run *run, __u16 kind, __u32 tid, int keep_open);

/* Begins a file without a path, whose commits are held in memory. Returns 0 or -ENOMEM. */
int memphis_file_hold(struct memphis_sample_file *file, struct memphis_stage *stage,
		      const struct memphis_run *run, __u32 tid);
/*
 * Write what `held` has committed to `to`, and free its memory; its losses remain in `held`. memphis_file_release() writes the chunks,
 * and memphis_file_release_member() the header before them, too. Return 0 or -errno, as memphis_file_commit().
 */
int memphis_file_release(struct memphis_sample_file *to, struct memphis_sample_file *held);
int memphis_file_release_member(struct memphis_sample_file *to, struct memphis_sample_file *held);

/*
 * Stage a chunk. memphis_file_chunk_begin() returns memory for a payload of up to `bytes_max` bytes, or NULL
 * if even an empty stage is too small; it commits first if the stage is full. memphis_file_chunk_end()
 * completes the chunk with its actual size and its number of records.
 */
void *memphis_file_chunk_begin(struct memphis_sample_file *file, __u16 type, size_t bytes_max);
void memphis_file_chunk_end(struct memphis_sample_file *file, size_t payload_bytes, __u32 count);
/* Stages a chunk with a copy of `payload`, which must not exceed MEMPHIS_STAGE_BYTES / 2 bytes. */
void memphis_file_chunk(struct memphis_sample_file *file, __u16 type, const void *payload,
			size_t payload_bytes, __u32 count);

/*
 * Writes the staged chunks. Returns 0, or -errno of this write or of an earlier one, after which nothing is
 * written any more.
 */
int memphis_file_commit(struct memphis_sample_file *file);

/* Release and re-acquire the stage's lock around system calls that may block. Also called by other modules. */
void memphis_file_yield(struct memphis_stage *stage);
void memphis_file_resume(struct memphis_stage *stage);

/*
 * Opens the file again after memphis_file_drop(), unless it was never created, or is closed between commits. If that fails, the next commit tries again.
 */
void memphis_file_open_again(struct memphis_sample_file *file);

/* Appends an END chunk, commits, and closes the descriptor; what is held stays held. */
void memphis_file_finish(struct memphis_sample_file *file);
/* Closes the descriptor, or frees what is held, without writing. */
void memphis_file_drop(struct memphis_sample_file *file);
/*
 * Fork handler of the child: closes the descriptor of the parent's file, except if the parent was in a system
 * call that may block: then close(2) might block too, so the descriptor stays open until the child executes
 * another program or ends.
 */
void memphis_file_forked(struct memphis_sample_file *file);

#endif
