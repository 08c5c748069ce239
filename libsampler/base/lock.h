/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Locks between the program's threads and the companions (base/companion.h). The C library's mutexes are not
 * suitable: in a program with one thread, glibc takes them without atomic instructions, because it does not
 * know the companions.
 *
 * A lock is initialised with zeros. It is not recursive, and is not bound to a thread. A forked child resets
 * the locks that a thread of its parent may have held. None of the functions is a cancellation point.
 *
 * The task that holds a lock may be killed. When the program has ended, companions take over the locks that
 * its threads held. When a companion has ended, every task may take over the locks that it held. The data
 * that such a lock protects may be partly changed.
 */
#ifndef MEMPHIS_LOCK_H
#define MEMPHIS_LOCK_H

#include <limits.h>
#include <linux/futex.h>
#include <stdatomic.h>

#include "base/companion.h"
#include "base/sys.h"

/*
 * Bits of the word of a lock; 0: free. The upper bits contain the PID of the companion that holds the lock,
 * or 0 if a thread of the program holds it.
 */
#define MEMPHIS_LOCK_HELD    1u
#define MEMPHIS_LOCK_AWAITED 2u /* other tasks wait for the lock */
#define MEMPHIS_LOCK_PID     4u /* factor of the PID in the word; a PID has at most 22 bits */

struct memphis_lock {
	_Atomic __u32 word;
};

/* Returns the value of a lock's word while the caller holds the lock. */
static inline __u32 memphis_lock_word(void)
{
	return MEMPHIS_LOCK_HELD | (__u32)memphis_companion_pid * MEMPHIS_LOCK_PID;
}

/* Takes the lock if the task that holds it has ended. Returns true in this case. Async-signal-safe; preserves errno. */
bool memphis_lock_take_over(struct memphis_lock *lock);

/* Takes the lock if it is free. Returns true in this case. Async-signal-safe; preserves errno. */
static inline bool memphis_lock_try(struct memphis_lock *lock)
{
	__u32 free = 0;

	return atomic_compare_exchange_strong_explicit(&lock->word, &free, memphis_lock_word(),
						       memory_order_acquire, memory_order_relaxed) ||
	       memphis_lock_take_over(lock);
}

/* Waits for the lock until the CLOCK_MONOTONIC time `until_ns`. Returns false if it was not free by then. Preserves errno. */
bool memphis_lock_until(struct memphis_lock *lock, __u64 until_ns);

static inline void memphis_lock_take(struct memphis_lock *lock)
{
	memphis_lock_until(lock, UINT64_MAX / 2);
}

/*
 * Waits for the lock for at most `seconds`. Used while the process ends: if exit() was called in a signal
 * handler, the calling thread itself may hold the lock. Returns false if the lock was not free in time.
 */
static inline bool memphis_lock_for(struct memphis_lock *lock, unsigned int seconds)
{
	return memphis_lock_until(lock, now_ns() + seconds * 1000000000ull);
}

static inline void memphis_lock_release(struct memphis_lock *lock)
{
	if (atomic_exchange_explicit(&lock->word, 0, memory_order_release) & MEMPHIS_LOCK_AWAITED)
		sys_wake(&lock->word, 1);
}

/*
 * Releases the lock in a forked child, whichever task held it in the parent. Writes to the lock only if it
 * was held, because the kernel copies each page that is written.
 */
static inline void memphis_lock_reset(struct memphis_lock *lock)
{
	if (atomic_load(&lock->word))
		atomic_store(&lock->word, 0);
}

#endif
