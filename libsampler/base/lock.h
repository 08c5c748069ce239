/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Locks between the program's threads and the companions (base/companion.h). The C library's mutexes do not serve: in a program
 * with one thread, glibc takes them without atomic instructions, because it does not know the companions.
 *
 * A lock is initialised with zeros. It does not count its owner's locks, and belongs to no thread: a forked child resets the locks
 * that a thread of its parent may have held. No function is a cancellation point.
 *
 * A holder may be killed. Companions take over what a thread of the program holds when the program has ended, and all take over what a
 * companion holds that has ended. What the lock protects may then be half changed.
 */
#ifndef MEMPHIS_LOCK_H
#define MEMPHIS_LOCK_H

#include <limits.h>
#include <linux/futex.h>
#include <stdatomic.h>

#include "base/companion.h"
#include "base/sys.h"

/* Bits of the word of a lock; 0: free. The others are the PID of the companion that holds it; 0: a thread of the program. */
#define MEMPHIS_LOCK_HELD    1u
#define MEMPHIS_LOCK_AWAITED 2u /* others wait */
#define MEMPHIS_LOCK_PID     4u /* times the PID, which has at most 22 bits */

struct memphis_lock {
	_Atomic __u32 word;
};

/* Returns the word of a lock that the caller holds. */
static inline __u32 memphis_lock_word(void)
{
	return MEMPHIS_LOCK_HELD | (__u32)memphis_companion_pid * MEMPHIS_LOCK_PID;
}

/* Takes the lock if its holder has ended. Returns true if it had. Async-signal-safe; preserves errno. */
bool memphis_lock_take_over(struct memphis_lock *lock);

/* Takes the lock if it is free. Returns true if it was. Async-signal-safe; preserves errno. */
static inline bool memphis_lock_try(struct memphis_lock *lock)
{
	__u32 free = 0;

	return atomic_compare_exchange_strong_explicit(&lock->word, &free, memphis_lock_word(),
						       memory_order_acquire, memory_order_relaxed) ||
	       memphis_lock_take_over(lock);
}

/* Waits for the lock until the CLOCK_MONOTONIC time `until_ns`. Returns false if it was not free until then. Preserves errno. */
bool memphis_lock_until(struct memphis_lock *lock, __u64 until_ns);

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
	if (atomic_exchange_explicit(&lock->word, 0, memory_order_release) & MEMPHIS_LOCK_AWAITED)
		sys_wake(&lock->word, 1);
}

/* Releases the lock in a forked child, whoever held it in the parent. A page that is not written to needs no copy. */
static inline void memphis_lock_reset(struct memphis_lock *lock)
{
	if (atomic_load(&lock->word))
		atomic_store(&lock->word, 0);
}

#endif
