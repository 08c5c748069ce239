// SPDX-License-Identifier: BSD-3-Clause
/* Queries the device. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "node/node.h"

int memphis_device_query(struct memphis_query *query, const char *root, const char *device, bool *opened)
{
	struct stat status;
	char path[PATH_MAX];
	int fd, rc;

	*opened = false;
	if (snprintf(path, sizeof(path), "%s%s", root, device) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	*opened = true;
	rc = fstat(fd, &status) || !S_ISCHR(status.st_mode) ? -ENOTTY
	     : ioctl(fd, MEMPHIS_IOC_QUERY, query)          ? -errno
							    : 0;
	close(fd);
	query->pmu[sizeof(query->pmu) - 1] = '\0';
	return rc;
}
