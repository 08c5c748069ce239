/* SPDX-License-Identifier: BSD-3-Clause */
/* Sample epochs: computes digests of the rings' heads and of the number of explicit names. */
#include <sched.h>

#include "base/companion.h"
#include "core/names.h"
#include "core/sample_epoch.h"
#include "core/session.h"

#define LOOK_TRIES  1000
#define THREADS_MAX 256 /* with more threads, the digest costs more than it saves */

static MEMPHIS_AT_FORK _Atomic int readers, paused;

static inline __u64 mix_digest(__u64 digest, __u64 value)
{
	return (digest ^ value) * 0x9fb21c651e98df25u;
}

/*
 * Computes the digest. Returns 0 if a sample is just being taken, or if there are too many threads. The
 * module's handler makes the sequence odd before it takes a sample's time, and makes it even after it has
 * advanced the head.
 */
static int digest_threads(__u64 *digest)
{
	__u64 sum =
		mix_digest(atomic_load(&memphis_names_given), atomic_load(&memphis_session.threads_attached));
	const struct memphis_status *status;
	struct memphis_thread_record *thread;
	int count = 0;

	for (thread = memphis_thread_first(); thread; thread = thread->next) {
		status = __atomic_load_n(&thread->status, __ATOMIC_ACQUIRE);
		if (!status)
			continue;
		if (++count > THREADS_MAX || __atomic_load_n(&status->sequence, __ATOMIC_ACQUIRE) & 1)
			return 0;
		sum = mix_digest(sum, (__u64)(uintptr_t)status);
		sum = mix_digest(sum, __atomic_load_n(&status->head, __ATOMIC_ACQUIRE));
	}
	*digest = sum;
	return 1;
}

int memphis_sample_epoch_digest(__u64 *digest)
{
	int known;

	atomic_fetch_add(&readers, 1);
	known = !atomic_load(&paused) && digest_threads(digest);
	atomic_fetch_sub(&readers, 1);
	return known;
}

void memphis_sample_epoch_pause(void)
{
	unsigned int tries = 0;

	atomic_store(&paused, 1);
	/*
	 * Wait until no thread computes a digest. A thread that was killed meanwhile is counted forever, so
	 * the drain stops waiting if the process has ended.
	 */
	while (atomic_load(&readers) &&
	       (++tries % LOOK_TRIES || !memphis_companion_is_self() || memphis_companion_is_needed()))
		sched_yield();
}

void memphis_sample_epoch_resume(void)
{
	atomic_store(&paused, 0);
}

void memphis_sample_epoch_forked(void)
{
	atomic_store(&readers, 0);
	atomic_store(&paused, 0);
}
