/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Locks between the program's threads and the companions (base/companion.h). The C library's mutexes do not serve: in a program with one
 * thread, glibc takes them without atomic instructions, because it does not know the companions.
 *
 * A lock is initialised with zeros. It is not recursive, and belongs to no thread: a forked child resets the locks that a thread of its
 * parent may have held. No function is a cancellation point.
 *
 * A holder may be killed. When the program has ended, companions take over the locks that its threads held; when a companion has ended,
 * every task may take over the locks that the companion held. The data that such a lock protects may be half changed.
 */
#ifndef MEMPHIS_LOCK_H
#define MEMPHIS_LOCK_H

#include <limits.h>
#include <linux/futex.h>
#include <stdatomic.h>

#include "base/companion.h"
#include "base/sys.h"

/* Bits of the word of a lock; 0: free. The upper bits are the PID of the companion that holds it, or 0 if a thread of the program holds it. */
#define MEMPHIS_LOCK_HELD    1u
#define MEMPHIS_LOCK_AWAITED 2u /* others wait */
#define MEMPHIS_LOCK_PID     4u /* factor of the PID in the word; a PID has at most 22 bits */

struct memphis_lock {
	_Atomic __u32 word;
};

/* Returns the value that the word of a lock has while the caller holds the lock. */
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
 * Waits for the lock for at most `seconds`, in code that runs while the process ends: a thread that called exit() in a signal handler may
 * hold the lock itself. Returns false if the lock was not free in time.
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
 * Releases the lock in a forked child, whoever held it in the parent. Writes to the lock only if it was held, since the kernel copies each
 * page that is written to.
 */
static inline void memphis_lock_reset(struct memphis_lock *lock)
{
	if (atomic_load(&lock->word))
		atomic_store(&lock->word, 0);
}

#endif
