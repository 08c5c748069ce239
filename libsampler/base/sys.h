/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * System services for memory, clocks and thread ids. They bypass the C library's allocator and the library's
 * own interposed functions. They do not allocate, so the interposed malloc() can call them. Async-signal-safe
 * unless stated otherwise.
 */
#ifndef MEMPHIS_SYS_H
#define MEMPHIS_SYS_H

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include <linux/futex.h>
#include <linux/types.h>

/* A function or variable that the shared library exports. */
#define PUBLIC __attribute__((visibility("default")))
/* A variable of the library that functions of inner loops read: without this, its address takes one more instruction. */
#define INTERNAL __attribute__((visibility("hidden")))
#define UNUSED   __attribute__((unused))

#define likely(x)     __builtin_expect(!!(x), 1)
#define unlikely(x)   __builtin_expect(!!(x), 0)
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/*
 * Places a variable beside all other variables that the fork handler of a child writes. The kernel copies
 * each page that is written, so these variables should share few pages.
 */
#define MEMPHIS_AT_FORK __attribute__((section("memphis_fork")))

/*
 * These system calls are new in Linux 5.6, 5.7, 5.9 and 5.13. glibc before 2.32 and headers of supported
 * systems do not define them.
 */
#ifndef SYS_openat2
#define SYS_openat2 437
#endif
#ifndef SYS_pidfd_getfd
#define SYS_pidfd_getfd 438
#endif
#ifndef MREMAP_DONTUNMAP
#define MREMAP_DONTUNMAP 4
#endif
#ifndef SYS_close_range
#define SYS_close_range 436
#endif
#ifndef CLOSE_RANGE_UNSHARE
#define CLOSE_RANGE_UNSHARE (1U << 1)
#endif
#ifndef SYS_landlock_restrict_self
#define SYS_landlock_restrict_self 446
#endif

/*
 * Makes a system call without the C library's syscall(), because the library interposes that function.
 * Returns -errno on failure. Does not change errno.
 */
static inline long sys_call(long number, long a, long b, long c, long d, long e, long f)
{
	register long fourth __asm__("r10") = d, fifth __asm__("r8") = e, sixth __asm__("r9") = f;

	__asm__ volatile("syscall"
			 : "+a"(number)
			 : "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth), "r"(sixth)
			 : "rcx", "r11", "memory");
	return number;
}

/* Returns the error (-errno) in the result of sys_call(), or 0. */
static inline int sys_error(long result)
{
	return result < 0 && result >= -4095 ? (int)result : 0;
}

/* Maps zeroed anonymous memory. Returns NULL on failure. Preserves errno, because it may run inside the program's malloc(). */
static inline void *sys_map(size_t bytes)
{
	long p = sys_call(SYS_mmap, 0, (long)bytes, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return sys_error(p) ? NULL : (void *)p;
}

/*
 * Maps a file with MAP_SHARED. On failure, returns NULL and stores -errno in *error. The caller must be busy
 * (base/busy.h), because syscall() is interposed.
 */
static inline void *sys_map_file(int fd, size_t bytes, int protection, __u64 offset, int *error)
{
	int saved = errno;
	long p = syscall(SYS_mmap, NULL, bytes, protection, MAP_SHARED, fd, (long)offset);

	*error = p == -1 ? -errno : 0;
	errno = saved;
	return p == -1 ? NULL : (void *)p;
}

/* Removes a map that sys_map_file() has created. */
static inline void sys_unmap_file(const void *start, size_t bytes)
{
	int saved = errno;

	if (start)
		syscall(SYS_munmap, start, bytes);
	errno = saved;
}

static inline void sys_unmap(const void *start, size_t bytes)
{
	if (start)
		sys_call(SYS_munmap, (long)start, (long)bytes, 0, 0, 0, 0);
}

/* Replaces a map by anonymous memory, so that a thread that still writes to it does no harm. */
static inline void sys_unmap_in_use(void *start, size_t bytes)
{
	if (start)
		sys_call(SYS_mmap, (long)start, (long)bytes, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

/*
 * Copies memory of the process that may be unmapped at any time. Returns the number of bytes up to the first
 * missing page, or -1 with errno set.
 */
static inline ssize_t sys_copy(void *to, __u64 from, size_t bytes)
{
	struct iovec local = {to, bytes}, remote = {(void *)(uintptr_t)from, bytes};

	return process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
}

/*
 * Blocks all signals. Returns the previous mask for sys_signals(). Makes the system call itself, because a
 * sigset_t of the C library takes 128 bytes.
 */
static inline __u64 sys_no_signals(void)
{
	const __u64 all = ~0ull;
	__u64 before = 0;

	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &before, sizeof(all));
	return before;
}

static inline void sys_signals(__u64 mask)
{
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &mask, NULL, sizeof(mask));
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

static inline pid_t sys_gettid(void)
{
	return (pid_t)syscall(SYS_gettid);
}

/* Wakes the threads that wait for the word. Preserves errno. */
static inline void sys_wake(_Atomic __u32 *word, int threads)
{
	int saved = errno;

	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, threads, NULL, NULL, 0);
	errno = saved;
}

/* Sleeps while the word equals `value`, at most until the CLOCK_MONOTONIC time `until_ns`. May return early. Preserves errno. */
static inline void sys_wait(_Atomic __u32 *word, __u32 value, __u64 until_ns)
{
	const struct timespec until = {(time_t)(until_ns / 1000000000), (long)(until_ns % 1000000000)};
	int saved = errno;

	syscall(SYS_futex, word, FUTEX_WAIT_BITSET_PRIVATE, value, &until, NULL, FUTEX_BITSET_MATCH_ANY);
	errno = saved;
}

#endif
