/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Descriptors that stay open in a program that does not know of them. Programs close what is not theirs, and get the
 * number for files of their own: so each use asks first whether the number still means our file. And they count on the
 * low numbers, and on as many as their limit allows: ours lie above it, where the hard limit has room.
 */
#ifndef MEMPHIS_FD_H
#define MEMPHIS_FD_H

#include <sys/resource.h>
#include <sys/stat.h>

#include "base/sys.h"

struct memphis_fd {
	int fd; /* -1: none */
	__u64 device, inode;
};

/*
 * Around what makes a descriptor: it does not fail for want of one while the hard limit has room. Returns the number
 * from which on ours lie.
 */
int memphis_fd_raise(struct rlimit *before);
void memphis_fd_restore(const struct rlimit *before);

/* In the child of a fork: the thread that may have raised the limit exists in the parent only. */
void memphis_fd_forked(void);

/* As open(2), but see above; the number may be a low one. */
int memphis_fd_open(const char *path, int flags);

/* The same file under one of our numbers; the one given is closed, if there is another. */
int memphis_fd_move(int fd);

/* Take over `fd`: moved, close-on-exec, its identity remembered. 0 or -errno (then closed). */
int memphis_fd_take(struct memphis_fd *own, int fd);

/*
 * Remembers the identity of what open(2) of `path` has given; own->fd is -1, memphis_fd_move() comes next. 0, or -errno (then
 * closed). -EBADF: it is not that file any more, as the program has closed it meanwhile and perhaps taken the number again; then
 * it stays open, and *own has the identity of the file.
 */
int memphis_fd_identify(struct memphis_fd *own, int fd, const char *path);

/* The number if it is still our file, else -1; with what the system says of the file in *st. */
int memphis_fd_get(const struct memphis_fd *own);
int memphis_fd_stat(const struct memphis_fd *own, struct stat *st);

/*
 * The number of that file, opened where it is not open: for what is read time and again, since whoever opens a file has one
 * of the low numbers for a moment. -1: errno says why.
 */
int memphis_fd_keep(struct memphis_fd *own, const char *path, int flags);

/* Close it if it is still ours. */
void memphis_fd_close(struct memphis_fd *own);

#endif
