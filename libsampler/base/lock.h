/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Locks between the program's threads and the companions (base/companion.h). The C library's mutexes do not serve: in a program
 * with one thread, glibc takes them without atomic instructions, because it does not know the companions.
 *
 * A lock is initialised with zeros. It does not count its owner's locks, and belongs to no thread: a forked child resets the locks
 * that a thread of its parent may have held. No function is a cancellation point.
 */
#ifndef MEMPHIS_LOCK_H
#define MEMPHIS_LOCK_H

#include <limits.h>
#include <linux/futex.h>
#include <stdatomic.h>

#include "base/sys.h"

struct memphis_lock {
	_Atomic __u32 word; /* 0: free, 1: held, 2: held, and others wait */
};

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

/* Takes the lock if it is free. Returns true if it was. Async-signal-safe. */
static inline bool memphis_lock_try(struct memphis_lock *lock)
{
	__u32 free = 0;

	return atomic_compare_exchange_strong_explicit(&lock->word, &free, 1, memory_order_acquire,
						       memory_order_relaxed);
}

/* Waits for the lock until the CLOCK_MONOTONIC time `until_ns`. Returns false if it was not free until then. */
static inline bool memphis_lock_until(struct memphis_lock *lock, __u64 until_ns)
{
	if (memphis_lock_try(lock))
		return true;
	while (atomic_exchange_explicit(&lock->word, 2, memory_order_acquire)) {
		sys_wait(&lock->word, 2, until_ns);
		if (until_ns != UINT64_MAX / 2 && now_ns() >= until_ns)
			return !atomic_exchange_explicit(&lock->word, 2, memory_order_acquire);
	}
	return true;
}

static inline void memphis_lock_take(struct memphis_lock *lock)
{
	memphis_lock_until(lock, UINT64_MAX / 2);
}

/*
 * Waits for the lock at most so long, for code that runs while the process ends: a thread that called exit() in a signal handler may hold
 * the lock itself. Returns false if the lock was not free in time.
 */
static inline bool memphis_lock_for(struct memphis_lock *lock, unsigned int seconds)
{
	return memphis_lock_until(lock, now_ns() + seconds * 1000000000ull);
}

static inline void memphis_lock_release(struct memphis_lock *lock)
{
	if (atomic_exchange_explicit(&lock->word, 0, memory_order_release) == 2)
		sys_wake(&lock->word, 1);
}

/* Releases the lock in a forked child, whoever held it in the parent. */
static inline void memphis_lock_reset(struct memphis_lock *lock)
{
	atomic_store(&lock->word, 0);
}

#endif
