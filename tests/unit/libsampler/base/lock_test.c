/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Locks whose holder has ended, and the exclusion of threads. If this fails, the program hangs after its companion was killed, the
 * companion hangs after the program was, or two change the same data.
 */
#include <pthread.h>

#include "base/lock.h"
#include "../../tap.h"

#define NO_COMPANION 4194303 /* a PID above the kernel's limit */
#define THREADS      4
#define TURNS        20000

static struct memphis_lock lock;
static unsigned long sum;

static __u64 soon(void)
{
	return now_ns() + 50000000;
}

static void *count(void *none)
{
	int i;

	for (i = 0; i < TURNS; i++) {
		memphis_lock_take(&lock);
		sum++;
		memphis_lock_release(&lock);
	}
	return none;
}

/* Takes the lock as a companion does that has ended since. */
static void take_as_companion(void)
{
	memphis_companion_pid = NO_COMPANION;
	memphis_lock_take(&lock);
	memphis_companion_pid = 0;
}

int main(void)
{
	pthread_t threads[THREADS];
	int i;

	ok(memphis_lock_try(&lock), "a free lock is taken");
	ok(!memphis_lock_try(&lock), "one that a thread holds is not");
	ok(!memphis_lock_until(&lock, soon()), "also not after the time that was given for it");
	memphis_lock_release(&lock);
	ok(memphis_lock_until(&lock, soon()), "a lock that was awaited and released is taken");
	memphis_lock_release(&lock);

	take_as_companion();
	ok(memphis_lock_try(&lock), "a lock of a companion that has ended is taken over");
	ok(!memphis_lock_try(&lock), "by one");
	memphis_lock_release(&lock);
	take_as_companion();
	memphis_lock_take(&lock);
	ok(!memphis_lock_until(&lock, soon()), "also by one that waits");
	memphis_lock_release(&lock);

	for (i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, count, NULL);
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	is(sum, THREADS * TURNS, "threads exclude each other");
	ok(memphis_lock_try(&lock), "and leave the lock free");
	return finish();
}
