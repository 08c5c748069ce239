/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the library takes from the system without going through the C library's allocator or through
 * its own interposed functions: memory, clock, thread id.
 */
#ifndef MEMPHIS_SYS_H
#define MEMPHIS_SYS_H

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include <linux/types.h>

#define likely(x)     __builtin_expect(!!(x), 1)
#define unlikely(x)   __builtin_expect(!!(x), 0)
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* Anonymous zeroed memory, or NULL. errno is left alone: this runs below the program's malloc(). */
static inline void *sys_map(size_t bytes)
{
	int saved = errno;
	long p = syscall(SYS_mmap, NULL, bytes, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0L);

	errno = saved;
	return p == -1 ? NULL : (void *)p;
}

/* A shared map of a file, or NULL with the error in *error. */
static inline void *sys_map_file(int fd, size_t bytes, int protection, __u64 offset, int *error)
{
	int saved = errno;
	long p = syscall(SYS_mmap, NULL, bytes, protection, MAP_SHARED, fd, (long)offset);

	*error = p == -1 ? -errno : 0;
	errno = saved;
	return p == -1 ? NULL : (void *)p;
}

static inline void sys_unmap(const void *start, size_t bytes)
{
	int saved = errno;

	if (start)
		syscall(SYS_munmap, start, bytes);
	errno = saved;
}

/* Let go of what is mapped there, but leave plain memory in its place: whoever still writes to it does no harm. */
static inline void sys_unmap_in_use(void *start, size_t bytes)
{
	int saved = errno;

	if (start)
		syscall(SYS_mmap, start, bytes, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0L);
	errno = saved;
}

static inline __u64 clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (__u64)t.tv_sec * 1000000000u + (__u64)t.tv_nsec;
}

static inline __u64 now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

/*
 * For locks that are taken while the process ends: whoever called exit() in a signal handler may hold one of them
 * already, and must not wait for ever. 0 or -ETIMEDOUT.
 */
static inline int lock_for(pthread_mutex_t *mutex, unsigned int seconds)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += seconds;
	return -pthread_mutex_timedlock(mutex, &until);
}

static inline pid_t sys_gettid(void)
{
	return (pid_t)syscall(SYS_gettid);
}

/* No task of this process has that tid. Writes errno. */
static inline bool sys_thread_is_gone(pid_t tid)
{
	return syscall(SYS_tgkill, getpid(), tid, 0) && errno == ESRCH;
}

#endif
