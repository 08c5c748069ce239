/* SPDX-License-Identifier: BSD-3-Clause */
/* A library as tools are that count a program's I/O: its functions take a lock, use thread-local variables, and allocate. */
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <sys/ioctl.h>

#include "common.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static __thread int depth = 7;
static __thread char used[20000];

/* Returns the next definition of the function, and counts the call. */
static void *count(const char *name)
{
	static const char wrong[] = "a thread without its variables\n";
	void *next;

	pthread_mutex_lock(&lock);
	if (depth++ != 7)
		((ssize_t(*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write"))(2, wrong,
										   sizeof(wrong) - 1);
	used[10000]++;
	free(malloc(100));
	next = dlsym(RTLD_NEXT, name);
	depth--;
	pthread_mutex_unlock(&lock);
	return next;
}

#define COUNT(result, name, parameters, arguments)                                \
	result name parameters                                                    \
	{                                                                         \
		return ((__typeof__(result(*) parameters))count(#name))arguments; \
	}
COUNT(int, close, (int fd), (fd))
COUNT(int, fsync, (int fd), (fd))
COUNT(int, poll, (struct pollfd * fds, nfds_t number, int timeout), (fds, number, timeout))
COUNT(off_t, lseek, (int fd, off_t offset, int from), (fd, offset, from))
COUNT(ssize_t, read, (int fd, void *data, size_t bytes), (fd, data, bytes))
COUNT(ssize_t, write, (int fd, const void *data, size_t bytes), (fd, data, bytes))
COUNT(ssize_t, pread, (int fd, void *data, size_t bytes, off_t at), (fd, data, bytes, at))
COUNT(ssize_t, pwrite, (int fd, const void *data, size_t bytes, off_t at), (fd, data, bytes, at))

int open(const char *path, int flags, ...)
{
	va_list arguments;
	int mode;

	va_start(arguments, flags);
	mode = va_arg(arguments, int);
	va_end(arguments);
	return ((int (*)(const char *, int, ...))count("open"))(path, flags, mode);
}
