/* SPDX-License-Identifier: BSD-3-Clause */
/* Waits for locks, and takes over locks whose holders have ended. */
#include "base/lock.h"

/* interval at which a waiting task checks whether the holder still exists */
#define LOOK_NS 20000000u

/* Returns true if the lock's holder, which its word identifies, has ended. */
static bool has_holder_ended(__u32 word)
{
	const pid_t companion = (pid_t)(word / MEMPHIS_LOCK_PID);

	if (companion)
		return !memphis_companion_runs_as(companion);
	return memphis_companion_is_self() && !memphis_companion_is_needed();
}

bool memphis_lock_take_over(struct memphis_lock *lock)
{
	__u32 word = atomic_load_explicit(&lock->word, memory_order_relaxed);
	const __u32 taken = memphis_lock_word() | (word & MEMPHIS_LOCK_AWAITED);
	int saved = errno;
	bool ended = word && has_holder_ended(word);

	errno = saved;
	return ended && atomic_compare_exchange_strong_explicit(&lock->word, &word, taken,
								memory_order_acquire, memory_order_relaxed);
}

bool memphis_lock_until(struct memphis_lock *lock, __u64 until_ns)
{
	__u64 now;
	__u32 word = 0;

	while (!memphis_lock_try(lock)) {
		word = atomic_load_explicit(&lock->word, memory_order_relaxed);
		now = now_ns();
		if (now >= until_ns)
			return false;
		/* If the word changes at the same time, the lock may be free. */
		if (word &&
		    atomic_compare_exchange_strong_explicit(&lock->word, &word, word | MEMPHIS_LOCK_AWAITED,
							    memory_order_relaxed, memory_order_relaxed))
			sys_wait(&lock->word, word | MEMPHIS_LOCK_AWAITED,
				 now + LOOK_NS < until_ns ? now + LOOK_NS : until_ns);
	}
	/* Other tasks may be waiting, too. The bit makes the release wake the next one. */
	if (word)
		atomic_fetch_or_explicit(&lock->word, MEMPHIS_LOCK_AWAITED, memory_order_relaxed);
	return true;
}
