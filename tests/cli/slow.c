/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Preloaded into the tool: its first large read at or after offset
 * SLOW_OFFSET waits until another process writes to SLOW_FIFO.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

#define LARGE 4096

static void wait_once(size_t bytes, off_t offset)
{
	static int waited;
	char byte;
	int fd;

	if (bytes < LARGE || offset < atol(getenv("SLOW_OFFSET")) ||
	    __atomic_exchange_n(&waited, 1, __ATOMIC_RELAXED))
		return;
	fd = open(getenv("SLOW_FIFO"), O_RDONLY);
	if (fd < 0 || read(fd, &byte, 1) < 0)
		abort();
	close(fd);
}

ssize_t pread(int fd, void *to, size_t bytes, off_t offset)
{
	ssize_t (*real)(int, void *, size_t, off_t) = dlsym(RTLD_NEXT, "pread");

	wait_once(bytes, offset);
	return real(fd, to, bytes, offset);
}

ssize_t pread64(int fd, void *to, size_t bytes, off_t offset)
{
	return pread(fd, to, bytes, offset);
}
