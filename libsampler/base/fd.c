/* SPDX-License-Identifier: BSD-3-Clause */
/* File descriptors of the library, protected against a program that closes or reuses descriptors that it did not open. */
#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <stdatomic.h>

#include "base/fd.h"

#define TRIES 1000
#define LOWEST \
	1024 /* FD_SETSIZE: select() can't wait for descriptors from this number on, so programs avoid them */
/*
 * If the soft limit is above this value, it is not raised, and the library uses numbers below it. No program
 * uses all of these numbers. A number above the limit would make the kernel allocate a descriptor table of
 * that size.
 */
#define PLENTY 65536

/*
 * True while a thread of the library has raised the limit. A second thread would take the raised value for
 * the program's value.
 */
static MEMPHIS_AT_FORK atomic_bool is_raised;

/*
 * Spins until it gets the flag. Returns false after TRIES attempts, because the thread that holds the flag
 * may be blocked, or may be the one that this signal handler has interrupted.
 */
static bool take_raise_flag(void)
{
	int i;

	for (i = 0; i < TRIES; i++) {
		if (!atomic_exchange(&is_raised, true))
			return true;
		sched_yield();
	}
	return false;
}

void memphis_fd_forked(void)
{
	atomic_store(&is_raised, false);
}

static bool is_same_limit(const struct rlimit *a, const struct rlimit *b)
{
	return a->rlim_cur == b->rlim_cur && a->rlim_max == b->rlim_max;
}

/* Sets the limit to `limit` if it still is `ours`. If the program has set another value in the meantime, keeps that value. */
static void restore_limit(const struct rlimit *limit, const struct rlimit *ours)
{
	struct rlimit expected = *ours, wanted = *limit, found;

	while (!prlimit(0, RLIMIT_NOFILE, &wanted, &found) && !is_same_limit(&found, &expected)) {
		expected = wanted;
		wanted = found;
	}
}

/*
 * Returns the limit that the library sets: the hard limit minus 1, if there is room. Programs do not choose
 * this value, so the library can distinguish it from a limit that the program sets in the meantime.
 */
static struct rlimit raised_limit(const struct rlimit *before)
{
	const rlim_t most = before->rlim_max - (before->rlim_max - before->rlim_cur > 1);

	return (struct rlimit){.rlim_cur = most, .rlim_max = before->rlim_max};
}

int memphis_fd_raise(struct rlimit *before)
{
	const bool may = take_raise_flag();
	struct rlimit more, found;
	rlim_t limit;

	if (getrlimit(RLIMIT_NOFILE, before))
		before->rlim_cur = before->rlim_max = RLIM_INFINITY;
	limit = before->rlim_cur;
	more = raised_limit(before);
	if (may && limit <= PLENTY && limit < before->rlim_max && !prlimit(0, RLIMIT_NOFILE, &more, &found)) {
		if (!is_same_limit(&found, before))
			restore_limit(&found, &more);
		return (int)limit;
	}
	if (may)
		atomic_store(&is_raised, false);
	/* The limit is not raised. Equal members tell memphis_fd_restore() to restore nothing. */
	before->rlim_max = limit;
	return (int)(limit > 2 * LOWEST ? LOWEST : limit / 2);
}

void memphis_fd_restore(const struct rlimit *before)
{
	const struct rlimit ours = raised_limit(before);
	int saved = errno;

	if (before->rlim_cur == before->rlim_max)
		return;
	restore_limit(before, &ours);
	atomic_store(&is_raised, false);
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

int memphis_fd_identify(struct memphis_fd *own, int fd, const char *path)
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
	int fd = memphis_fd_get(own), err;

	if (fd >= 0)
		return fd;
	fd = memphis_fd_open(path, flags);
	if (fd < 0)
		return -1;
	err = memphis_fd_identify(own, fd, path);
	if (err)
		errno = -err;
	else
		own->fd = memphis_fd_move(fd);
	return own->fd;
}

void memphis_fd_close(struct memphis_fd *own)
{
	if (memphis_fd_get(own) >= 0)
		close(own->fd);
	own->fd = -1;
}

void memphis_directory_open(struct memphis_directory *directory, const char *path)
{
	directory->fd = memphis_fd_open(path, O_RDONLY | O_DIRECTORY);
	directory->used = directory->at = 0;
}

const char *memphis_directory_next(struct memphis_directory *directory)
{
	const struct dirent64 *entry;

	for (;;) {
		if (directory->at == directory->used) {
			directory->at = 0;
			directory->used = directory->fd < 0 ? 0
							    : getdents64(directory->fd, directory->entries,
									 sizeof(directory->entries));
			if (directory->used <= 0) {
				directory->used = 0;
				return NULL;
			}
		}
		entry = (const void *)&directory->entries[directory->at];
		directory->at += entry->d_reclen;
		if (entry->d_name[0] != '.')
			return entry->d_name;
	}
}

void memphis_directory_close(struct memphis_directory *directory)
{
	int saved = errno;

	if (directory->fd >= 0)
		close(directory->fd);
	errno = saved;
}
