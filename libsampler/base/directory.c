/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists of directories without opendir(3). */
#include <dirent.h>
#include <fcntl.h>

#include "base/directory.h"
#include "base/fd.h"

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
