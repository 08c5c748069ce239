/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * I/O functions for descriptors. Variants of a function are counted under its plain name: pread64() and the
 * checked variant __pread_chk() are counted as pread().
 */
#undef _FORTIFY_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/uio.h>
#include <unistd.h>

#include "io/call.h"

void *memphis_io_next(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

/* Number of bytes that were transferred. */
#define DONE (result > 0 ? (__u64)result : 0)

#define READ(name, counted, parameters, arguments) \
	TRANSFER_AS(counted, ssize_t, name, parameters, arguments, fd, DONE, 0)
#define WRITE(name, counted, parameters, arguments) \
	TRANSFER_AS(counted, ssize_t, name, parameters, arguments, fd, 0, DONE)

READ(read, "read", (int fd, void *to, size_t bytes), (fd, to, bytes))
READ(__read_chk, "read", (int fd, void *to, size_t bytes, size_t room), (fd, to, bytes, room))
READ(pread, "pread", (int fd, void *to, size_t bytes, off_t at), (fd, to, bytes, at))
READ(pread64, "pread", (int fd, void *to, size_t bytes, off64_t at), (fd, to, bytes, at))
READ(__pread_chk, "pread", (int fd, void *to, size_t bytes, off_t at, size_t room), (fd, to, bytes, at, room))
READ(__pread64_chk, "pread", (int fd, void *to, size_t bytes, off64_t at, size_t room),
     (fd, to, bytes, at, room))
READ(readv, "readv", (int fd, const struct iovec *parts, int count), (fd, parts, count))
READ(preadv, "preadv", (int fd, const struct iovec *parts, int count, off_t at), (fd, parts, count, at))
READ(preadv64, "preadv", (int fd, const struct iovec *parts, int count, off64_t at), (fd, parts, count, at))
READ(preadv2, "preadv", (int fd, const struct iovec *parts, int count, off_t at, int flags),
     (fd, parts, count, at, flags))
READ(preadv64v2, "preadv", (int fd, const struct iovec *parts, int count, off64_t at, int flags),
     (fd, parts, count, at, flags))
WRITE(write, "write", (int fd, const void *from, size_t bytes), (fd, from, bytes))
WRITE(pwrite, "pwrite", (int fd, const void *from, size_t bytes, off_t at), (fd, from, bytes, at))
WRITE(pwrite64, "pwrite", (int fd, const void *from, size_t bytes, off64_t at), (fd, from, bytes, at))
WRITE(writev, "writev", (int fd, const struct iovec *parts, int count), (fd, parts, count))
WRITE(pwritev, "pwritev", (int fd, const struct iovec *parts, int count, off_t at), (fd, parts, count, at))
WRITE(pwritev64, "pwritev", (int fd, const struct iovec *parts, int count, off64_t at),
      (fd, parts, count, at))
WRITE(pwritev2, "pwritev", (int fd, const struct iovec *parts, int count, off_t at, int flags),
      (fd, parts, count, at, flags))
WRITE(pwritev64v2, "pwritev", (int fd, const struct iovec *parts, int count, off64_t at, int flags),
      (fd, parts, count, at, flags))
TRANSFER(int, fsync, (int fd), (fd), fd, 0, 0)
TRANSFER(int, fdatasync, (int fd), (fd), fd, 0, 0)
TRANSFER(int, ftruncate, (int fd, off_t bytes), (fd, bytes), fd, 0, 0)
TRANSFER_AS("ftruncate", int, ftruncate64, (int fd, off64_t bytes), (fd, bytes), fd, 0, 0)

/* Calls that open a file are counted without a file, because the path is not looked up until the first transfer. */
#define OPEN_AS(counted, name, parameters, arguments)                           \
	NEXT(int, name, parameters, arguments)                                  \
	static int call_##name parameters                                       \
	{                                                                       \
		struct memphis_layer_call call;                                 \
		const bool counts = memphis_io_begin(&call);                    \
		const int fd = next_##name arguments;                           \
                                                                                \
		memphis_io_forget(fd);                                          \
		if (counts)                                                     \
			memphis_io_end(&call, counted, MEMPHIS_MPI_FILE, 0, 0); \
		return fd;                                                      \
	}

#define OPEN(name, counted, parameters, arguments)    \
	OPEN_AS(counted, name, parameters, arguments) \
	PUBLIC int name parameters                    \
	{                                             \
		return call_##name arguments;         \
	}

static mode_t read_mode(int flags, va_list list)
{
	return flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(list, mode_t) : 0;
}

/* If the flags allow that the file is created, another argument follows: the mode. */
#define WITH_MODE(name, counted, parameters, parameters_of_next, arguments) \
	OPEN_AS(counted, name, parameters_of_next, arguments)               \
	PUBLIC int name parameters                                          \
	{                                                                   \
		va_list list;                                               \
		mode_t mode;                                                \
                                                                            \
		va_start(list, flags);                                      \
		mode = read_mode(flags, list);                              \
		va_end(list);                                               \
		return call_##name arguments;                               \
	}

WITH_MODE(open, "open", (const char *path, int flags, ...), (const char *path, int flags, mode_t mode),
	  (path, flags, mode))
WITH_MODE(open64, "open", (const char *path, int flags, ...), (const char *path, int flags, mode_t mode),
	  (path, flags, mode))
WITH_MODE(openat, "openat", (int at, const char *path, int flags, ...),
	  (int at, const char *path, int flags, mode_t mode), (at, path, flags, mode))
WITH_MODE(openat64, "openat", (int at, const char *path, int flags, ...),
	  (int at, const char *path, int flags, mode_t mode), (at, path, flags, mode))
OPEN(__open_2, "open", (const char *path, int flags), (path, flags))
OPEN(__open64_2, "open", (const char *path, int flags), (path, flags))
OPEN(__openat_2, "openat", (int at, const char *path, int flags), (at, path, flags))
OPEN(__openat64_2, "openat", (int at, const char *path, int flags), (at, path, flags))
OPEN(creat, "creat", (const char *path, mode_t mode), (path, mode))
OPEN(creat64, "creat", (const char *path, mode_t mode), (path, mode))

/* A descriptor that was never used for a transfer may refer to something else than a file. */
NEXT(int, close, (int fd), (fd))
PUBLIC int close(int fd)
{
	const int file = memphis_io_forget(fd);
	struct memphis_layer_call call;
	int rc;

	if (file == MEMPHIS_MPI_NONE || !memphis_io_begin(&call))
		return next_close(fd);
	rc = next_close(fd);
	memphis_io_end(&call, "close", file, 0, 0);
	return rc;
}

/* The number of a closed descriptor may be used again, for another file. */
NEXT(int, close_range, (unsigned int first, unsigned int last, int flags), (first, last, flags))
PUBLIC int close_range(unsigned int first, unsigned int last, int flags)
{
	const int rc = next_close_range(first, last, flags);

	if (!rc)
		memphis_io_forget_range(first, last);
	return rc;
}

NEXT(void, closefrom, (int first), (first))
PUBLIC void closefrom(int first)
{
	next_closefrom(first);
	memphis_io_forget_range(first > 0 ? (unsigned int)first : 0, ~0u);
}

/*
 * The new descriptor may replace an open one. During the call, another thread may use the old descriptor and
 * so look up the old file again. The file is therefore forgotten after the call.
 */
NEXT(int, dup2, (int from, int to), (from, to))
PUBLIC int dup2(int from, int to)
{
	const int rc = next_dup2(from, to);

	if (rc >= 0 && from != to)
		memphis_io_forget(to);
	return rc;
}

NEXT(int, dup3, (int from, int to, int flags), (from, to, flags))
PUBLIC int dup3(int from, int to, int flags)
{
	const int rc = next_dup3(from, to, flags);

	if (rc >= 0)
		memphis_io_forget(to);
	return rc;
}
