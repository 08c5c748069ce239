/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of the C library, implemented as system calls. base/direct.h declares them, and defines their symbol names. */
#include <stdarg.h>
#include <string.h>

#include "base/stand_ins.h"
#include "base/sys.h"

struct memphis_stand_ins memphis_stand_ins;

/* Converts the result of a system call to the C library's convention: -1, with the error in errno. */
static long convert_result(long result)
{
	if (!sys_error(result))
		return result;
	errno = (int)-result;
	return -1;
}

#define CALL(number, a, b, c, d) \
	convert_result(sys_call(number, (long)(a), (long)(b), (long)(c), (long)(d), 0, 0))

#define DEFINE(result, name, parameters, ...)     \
	result name parameters                    \
	{                                         \
		return (result)CALL(__VA_ARGS__); \
	}
DEFINE(int, access, (const char *path, int mode), SYS_access, path, mode, 0, 0)
DEFINE(int, close, (int fd), SYS_close, fd, 0, 0, 0)
DEFINE(int, fstat, (int fd, struct stat *status), SYS_fstat, fd, status, 0, 0)
DEFINE(int, ftruncate, (int fd, off_t bytes), SYS_ftruncate, fd, bytes, 0, 0)
DEFINE(off_t, lseek, (int fd, off_t offset, int from), SYS_lseek, fd, offset, from, 0)
DEFINE(int, madvise, (void *start, size_t bytes, int advice), SYS_madvise, start, bytes, advice, 0)
DEFINE(int, mkdir, (const char *path, mode_t mode), SYS_mkdir, path, mode, 0, 0)
DEFINE(int, mprotect, (void *start, size_t bytes, int protection), SYS_mprotect, start, bytes, protection, 0)
DEFINE(ssize_t, read, (int fd, void *data, size_t bytes), SYS_read, fd, data, bytes, 0)
DEFINE(ssize_t, readlink, (const char *path, char *target, size_t bytes), SYS_readlink, path, target, bytes,
       0)
DEFINE(ssize_t, recv, (int fd, void *data, size_t bytes, int flags), SYS_recvfrom, fd, data, bytes, flags)
DEFINE(int, rmdir, (const char *path), SYS_rmdir, path, 0, 0, 0)
DEFINE(ssize_t, send, (int fd, const void *data, size_t bytes, int flags), SYS_sendto, fd, data, bytes, flags)
DEFINE(int, shmctl, (int id, int command, struct shmid_ds *status), SYS_shmctl, id, command, status, 0)
DEFINE(int, socketpair, (int domain, int type, int protocol, int ends[2]), SYS_socketpair, domain, type,
       protocol, ends)
DEFINE(int, stat, (const char *path, struct stat *status), SYS_stat, path, status, 0, 0)
DEFINE(int, unlink, (const char *path), SYS_unlink, path, 0, 0, 0)
DEFINE(ssize_t, write, (int fd, const void *data, size_t bytes), SYS_write, fd, data, bytes, 0)

/* Functions that tests may replace. */
#define DEFINE_REPLACEABLE(result, name, parameters, arguments, ...) \
	result name parameters                                       \
	{                                                            \
		if (memphis_stand_ins.name)                          \
			return memphis_stand_ins.name arguments;     \
		return (result)CALL(__VA_ARGS__);                    \
	}
DEFINE_REPLACEABLE(ssize_t, getdents64, (int fd, void *entries, size_t bytes), (fd, entries, bytes),
		   SYS_getdents64, fd, entries, bytes, 0)
DEFINE_REPLACEABLE(int, poll, (struct pollfd * fds, nfds_t count, int timeout_ms), (fds, count, timeout_ms),
		   SYS_poll, fds, count, timeout_ms, 0)
DEFINE_REPLACEABLE(ssize_t, pread, (int fd, void *data, size_t bytes, off_t offset),
		   (fd, data, bytes, offset), SYS_pread64, fd, data, bytes, offset)
DEFINE_REPLACEABLE(ssize_t, pwrite, (int fd, const void *data, size_t bytes, off_t offset),
		   (fd, data, bytes, offset), SYS_pwrite64, fd, data, bytes, offset)

/* The same, for functions with an optional third argument. */
#define DEFINE_VARIADIC(name, type, number)                                \
	int name(int fd, type what, ...)                                   \
	{                                                                  \
		va_list arguments;                                         \
		long argument;                                             \
                                                                           \
		va_start(arguments, what);                                 \
		argument = va_arg(arguments, long);                        \
		va_end(arguments);                                         \
		if (memphis_stand_ins.name)                                \
			return memphis_stand_ins.name(fd, what, argument); \
		return (int)CALL(number, fd, what, argument, 0);           \
	}
DEFINE_VARIADIC(fcntl, int, SYS_fcntl)
DEFINE_VARIADIC(ioctl, unsigned long, SYS_ioctl)

int open(const char *path, int flags, ...)
{
	va_list arguments;
	unsigned int mode = 0;

	if (flags & (O_CREAT | __O_TMPFILE)) {
		va_start(arguments, flags);
		mode = va_arg(arguments, unsigned int);
		va_end(arguments);
	}
	if (memphis_stand_ins.open)
		return memphis_stand_ins.open(path, flags, mode);
	return (int)CALL(SYS_openat, AT_FDCWD, path, flags, mode);
}

/* The kernel calls this function when a signal handler returns. */
static __attribute__((naked)) void return_from_handler(void)
{
	__asm__("mov %0, %%eax\n\t"
		"syscall" ::"i"(SYS_rt_sigreturn));
}

/* SA_RESTORER, which the headers of the C library do not define */
#define KERNEL_RESTORER 0x04000000

/* Makes the system call with the kernel's layout of the structures: handler, flags, restorer, and a mask of 64 signals. */
int sigaction(int number, const struct sigaction *action, struct sigaction *before)
{
	unsigned long set[4] = {0}, was[4] = {0};
	long result;

	if (action) {
		memcpy(&set[0], &action->sa_handler, sizeof(set[0]));
		set[1] = (unsigned int)action->sa_flags | KERNEL_RESTORER;
		set[2] = (unsigned long)return_from_handler;
		memcpy(&set[3], &action->sa_mask, sizeof(set[3]));
	}
	result = CALL(SYS_rt_sigaction, number, action ? set : NULL, before ? was : NULL, sizeof(set[3]));
	if (before && !result) {
		memset(before, 0, sizeof(*before));
		memcpy(&before->sa_handler, &was[0], sizeof(was[0]));
		before->sa_flags = (int)(was[1] & ~(unsigned long)KERNEL_RESTORER);
		memcpy(&before->sa_mask, &was[3], sizeof(was[3]));
	}
	return (int)result;
}
