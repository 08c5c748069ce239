/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Descriptors that stay open in a program that does not know of them. Programs close what is not theirs, and get the
 * number for files of their own: so each use asks first whether the number still means our file.
 */
#ifndef MEMPHIS_FD_H
#define MEMPHIS_FD_H

#include "sys.h"

struct memphis_fd {
	int fd; /* -1: none */
	__u64 device, inode;
};

/* Take over `fd`: moved to a high number, close-on-exec, its identity remembered. 0 or -errno (then closed). */
int memphis_fd_take(struct memphis_fd *own, int fd);

/* The number if it is still our file, else -1. */
int memphis_fd_get(const struct memphis_fd *own);

/* Close it if it is still ours. */
void memphis_fd_close(struct memphis_fd *own);

#endif
