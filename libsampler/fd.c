/* SPDX-License-Identifier: BSD-3-Clause */
/* Descriptors that stay open in a program that does not know of them. */
#include <fcntl.h>

#include "fd.h"

#define LOWEST 1024 /* select() has no words for more */
#define PLENTY \
	65536 /* descriptors: nobody uses them all, and the kernel's table would grow to hold one behind them */

int memphis_fd_raise(struct rlimit *before)
{
	struct rlimit more;

	if (getrlimit(RLIMIT_NOFILE, before)) {
		before->rlim_cur = before->rlim_max = RLIM_INFINITY;
		return LOWEST;
	}
	more.rlim_cur = more.rlim_max = before->rlim_max;
	if (before->rlim_cur <= PLENTY && before->rlim_cur < before->rlim_max &&
	    !setrlimit(RLIMIT_NOFILE, &more))
		return (int)before->rlim_cur;
	/* Nothing to restore. */
	more = *before;
	before->rlim_max = before->rlim_cur;
	return (int)(more.rlim_cur > 2 * LOWEST ? LOWEST : more.rlim_cur / 2);
}

void memphis_fd_restore(const struct rlimit *before)
{
	int saved = errno;

	if (before->rlim_cur != before->rlim_max)
		setrlimit(RLIMIT_NOFILE, before);
	errno = saved;
}

int memphis_fd_open(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC, 0644);
	struct rlimit before;

	if (fd >= 0 || errno != EMFILE)
		return fd;
	memphis_fd_raise(&before);
	fd = open(path, flags | O_CLOEXEC, 0644);
	memphis_fd_restore(&before);
	return fd;
}

int memphis_fd_move(int fd)
{
	struct rlimit before;
	int moved = fcntl(fd, F_DUPFD_CLOEXEC, memphis_fd_raise(&before));

	memphis_fd_restore(&before);
	if (moved < 0)
		return fd;
	close(fd);
	return moved;
}

int memphis_fd_take(struct memphis_fd *own, int fd)
{
	struct stat st;
	int err = 0;

	own->fd = memphis_fd_move(fd);
	if (fstat(own->fd, &st)) {
		err = -errno;
		close(own->fd);
		own->fd = -1;
		return err;
	}
	own->device = st.st_dev;
	own->inode = st.st_ino;
	return 0;
}

int memphis_fd_take_path(struct memphis_fd *own, int fd, const char *path)
{
	struct stat named, opened;
	int err;

	own->fd = -1;
	if (stat(path, &named)) {
		err = -errno;
		close(fd);
		return err;
	}
	own->device = named.st_dev;
	own->inode = named.st_ino;
	if (fstat(fd, &opened) || opened.st_dev != named.st_dev || opened.st_ino != named.st_ino)
		return -EBADF;
	own->fd = memphis_fd_move(fd);
	return 0;
}

int memphis_fd_stat(const struct memphis_fd *own, struct stat *st)
{
	if (own->fd < 0 || fstat(own->fd, st) || st->st_dev != own->device || st->st_ino != own->inode)
		return -1;
	return own->fd;
}

int memphis_fd_get(const struct memphis_fd *own)
{
	struct stat st;

	return memphis_fd_stat(own, &st);
}

int memphis_fd_keep(struct memphis_fd *own, const char *path, int flags)
{
	int fd = memphis_fd_get(own);

	if (fd >= 0)
		return fd;
	fd = memphis_fd_open(path, flags);
	if (fd < 0)
		return -1;
	fd = memphis_fd_take_path(own, fd, path);
	if (fd)
		errno = -fd;
	return own->fd;
}

void memphis_fd_close(struct memphis_fd *own)
{
	if (memphis_fd_get(own) >= 0)
		close(own->fd);
	own->fd = -1;
}
