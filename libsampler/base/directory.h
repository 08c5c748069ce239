/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists of directories without opendir(3), which allocates. For companions (base/companion.h) and threads with enough stack. */
#ifndef MEMPHIS_DIRECTORY_H
#define MEMPHIS_DIRECTORY_H

#include "base/sys.h"

struct memphis_directory {
	int fd; /* -1: the directory could not be opened */
	ssize_t used, at;
	char entries[4096] __attribute__((aligned(8)));
};

/* Opens the directory. If that fails, with errno set, it is empty. */
void memphis_directory_open(struct memphis_directory *directory, const char *path);

/* Returns the next name that does not begin with '.', valid until the next call; or NULL at the end. */
const char *memphis_directory_next(struct memphis_directory *directory);

/* Closes the directory. Preserves errno. */
void memphis_directory_close(struct memphis_directory *directory);

#endif
