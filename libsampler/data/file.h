/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writer of a sample file. Chunks are staged in memory and committed together. A reader sees either all or
 * nothing of a commit, even if the writer is killed. Only one thread may use a file at a time. The functions
 * are not async-signal-safe.
 */
#ifndef MEMPHIS_FILE_H
#define MEMPHIS_FILE_H

#include <memphis/format.h>

#include "base/fd.h"
#include "base/lock.h"

#define MEMPHIS_STAGE_BYTES (2u << 20)

/* Memory for the chunks of one commit. All files that one thread writes share a stage. */
struct memphis_stage {
	unsigned char *data; /* MEMPHIS_STAGE_BYTES */
	size_t used;         /* bytes of complete chunks */
	size_t open;         /* offset of the chunk that is being built */
	/*
	 * The drain's working directory is the output directory. The drain then finds its files even if the
	 * program changes what their paths refer to.
	 */
	bool is_entered;
	bool may_block; /* in a system call that a file system may block for an unlimited time; read in
			 * forked children */
	/*
	 * A lock that is held by the thread that uses the stage, or NULL. Other threads may wait for it, for
	 * example to fork. The lock is released around system calls that may block. While it is released, the
	 * data that it protects must be consistent enough for a forked child.
	 */
	struct memphis_lock *lock;
};

/*
 * Commits that wait in memory for a file: the header of their thread's file, and then complete chunks. Data
 * and sizes are in one allocation, so that a forked child finds them consistent.
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
	struct memphis_file_held *held; /* commits go to this memory; NULL: they go to the file */
	int error;            /* 0, or -errno of the first write that failed; nothing is written after it */
	__u64 bytes_left_out; /* bytes of payload that could not be staged or written */
};

/*
 * Creates the file and writes its header. Returns 0, -EEXIST if `path` exists, or another -errno. `path` must
 * stay valid as long as `file` is used. `keep_open`: keep the descriptor open between commits.
 */
int memphis_file_create(struct memphis_sample_file *file, struct memphis_stage *stage, char *path,
			const struct memphis_run *run, __u16 kind, __u32 tid, int keep_open);

/* Begins a file without a path. Its commits are held in memory. Returns 0 or -ENOMEM. */
int memphis_file_hold(struct memphis_sample_file *file, struct memphis_stage *stage,
		      const struct memphis_run *run, __u32 tid);
/*
 * Write the data that `held` keeps in memory to `to`, and free that memory. `held` keeps its counts of
 * losses. memphis_file_release() writes the chunks. memphis_file_release_member() writes the header and the
 * chunks. Both return 0 or -errno, as memphis_file_commit() does.
 */
int memphis_file_release(struct memphis_sample_file *to, struct memphis_sample_file *held);
int memphis_file_release_member(struct memphis_sample_file *to, struct memphis_sample_file *held);

/*
 * Stage a chunk. memphis_file_chunk_begin() returns memory for a payload of up to `bytes_max` bytes, or NULL
 * if even an empty stage is too small. If the stage is full, it first commits the staged chunks.
 * memphis_file_chunk_end() completes the chunk with its actual size and its number of records.
 */
void *memphis_file_chunk_begin(struct memphis_sample_file *file, __u16 type, size_t bytes_max);
void memphis_file_chunk_end(struct memphis_sample_file *file, size_t payload_bytes, __u32 count);
/* Stages a chunk with a copy of `payload`, which must not exceed MEMPHIS_STAGE_BYTES / 2 bytes. */
void memphis_file_write_chunk(struct memphis_sample_file *file, __u16 type, const void *payload,
			      size_t payload_bytes, __u32 count);

/* Writes the staged chunks. Returns 0, or -errno if this write or an earlier one failed. Nothing is written after a failure. */
int memphis_file_commit(struct memphis_sample_file *file);

/* Release and take the stage's lock around system calls that may block. Other modules call these functions, too. */
void memphis_file_yield(struct memphis_stage *stage);
void memphis_file_resume(struct memphis_stage *stage);

/*
 * Opens the file again after memphis_file_drop(). Does nothing if the file was never created, or if it is
 * closed between commits. If opening fails, the next commit tries again.
 */
void memphis_file_open_again(struct memphis_sample_file *file);

/* Appends an END chunk, commits, and closes the descriptor. Data that is held in memory stays there. */
void memphis_file_finish(struct memphis_sample_file *file);
/* Closes the descriptor and frees the data that is held in memory. Writes nothing. */
void memphis_file_drop(struct memphis_sample_file *file);
/*
 * Fork handler of the child. Closes the descriptor of the parent's file, unless the parent was in a system
 * call that may block. In that case close(2) might block, too, so the descriptor stays open until the child
 * executes another program or ends.
 */
void memphis_file_forked(struct memphis_sample_file *file);

#endif
