/* SPDX-License-Identifier: BSD-3-Clause */
/* Descriptors that stay open in a program that does not know of them. */
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "fd.h"

/* Programs count on low numbers (select(), "the next one is 3"): ours live high up. */
static int lowest(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return 3;
	return (int)(limit.rlim_cur > 2048 ? 1024 : limit.rlim_cur / 2);
}

int memphis_fd_take(struct memphis_fd *own, int fd)
{
	struct stat st;
	int err = 0;

	own->fd = fcntl(fd, F_DUPFD_CLOEXEC, lowest());
	if (own->fd < 0)
		own->fd = fd;
	else
		close(fd);
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

int memphis_fd_get(const struct memphis_fd *own)
{
	struct stat st;

	if (own->fd < 0 || fstat(own->fd, &st) || st.st_dev != own->device || st.st_ino != own->inode)
		return -1;
	return own->fd;
}

void memphis_fd_close(struct memphis_fd *own)
{
	if (memphis_fd_get(own) >= 0)
		close(own->fd);
	own->fd = -1;
}
