/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * File descriptors of the library, protected against a program that does not know them.
 *
 * Some programs close descriptors that they did not open, and may then get the same number for their own
 * file. Each use of a descriptor therefore first checks device and inode. Programs also rely on low numbers,
 * and on having as many numbers as RLIMIT_NOFILE allows. The library therefore moves its descriptors above
 * the soft limit if the hard limit has room.
 *
 * On success, the functions return a descriptor or 0. On failure, they return -errno or, where stated, -1
 * with errno set.
 */
#ifndef MEMPHIS_FD_H
#define MEMPHIS_FD_H

#include <sys/resource.h>
#include <sys/stat.h>

#include "base/sys.h"

/* A descriptor, and the identity of the file for which it was opened. */
struct memphis_fd {
	int fd; /* -1: none */
	__u64 device, inode;
};

/*
 * Called before and after system calls that create a descriptor. The soft limit is raised in between, so that
 * the calls do not fail with EMFILE while the hard limit has room. memphis_fd_raise() returns the lowest
 * number for the library's descriptors, and saves the program's limit in *before. memphis_fd_restore()
 * preserves errno.
 */
int memphis_fd_raise(struct rlimit *before);
void memphis_fd_restore(const struct rlimit *before);

/* Fork handler of the child. Clears the flag that a thread of the parent has set if it had raised the limit. */
void memphis_fd_forked(void);

/* Calls open(2) with O_CLOEXEC. After EMFILE, tries again with a raised limit. The returned number may be low. */
int memphis_fd_open(const char *path, int flags);

/* Duplicates `fd` to a number in the library's range, and closes `fd`. Returns the new number, or `fd` if that fails. */
int memphis_fd_move(int fd);

/*
 * Takes ownership of `fd`: moves it, sets close-on-exec and records its identity. After an error, closes
 * `fd`. Returns 0 or -errno.
 */
int memphis_fd_take(struct memphis_fd *own, int fd);

/*
 * Records the identity of the file at `path` and sets own->fd to -1. `fd` was opened for this file. The
 * caller then calls memphis_fd_move(). Returns 0, or -errno after closing `fd`. The exception is -EBADF: the
 * program has closed `fd` and may have reused the number. Then `fd` is left open, and *own has the identity
 * of `path`.
 */
int memphis_fd_identify(struct memphis_fd *own, int fd, const char *path);

/*
 * Return the descriptor if it still refers to the library's file, otherwise -1. memphis_fd_stat() stores the
 * file's status in *st.
 */
int memphis_fd_get(const struct memphis_fd *own);
int memphis_fd_stat(const struct memphis_fd *own, struct stat *st);

/*
 * Returns a descriptor of the file at `path`. Opens the file if *own does not refer to it. Returns -1 with
 * errno set on failure. Used for files that are read repeatedly, because each open(2) occupies a low number
 * for a moment.
 */
int memphis_fd_keep(struct memphis_fd *own, const char *path, int flags);

/* Closes the descriptor if it still refers to the library's file. */
void memphis_fd_close(struct memphis_fd *own);

/*
 * Reading of directories. opendir(3) does the same, but allocates memory. Used by companions
 * (base/companion.h) and by threads with enough stack.
 */

struct memphis_directory {
	int fd; /* -1: the directory could not be opened */
	ssize_t used, at;
	char entries[4096] __attribute__((aligned(8)));
};

/* Opens the directory. On failure, sets errno and makes the list empty. */
void memphis_directory_open(struct memphis_directory *directory, const char *path);

/* Returns the next name that does not begin with '.', or NULL at the end. The name is valid until the next call. */
const char *memphis_directory_next(struct memphis_directory *directory);

/* Closes the directory. Preserves errno. */
void memphis_directory_close(struct memphis_directory *directory);

#endif
