/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Compares the time stamps of allocation events with the clock of the samples. If this fails, the recorded lifetimes of
 * blocks are wrong.
 */
#include <fcntl.h>
#include <sys/syscall.h>

#include "base/clock.h"
#include "../../tap.h"

#define TURNS 3000
/* Two marks are at most one second apart; in that time, the kernel's rate adjustment shifts its clock by some 10 us. */
#define BEND_NS 50000

static __u64 stamps[TURNS], before[TURNS], after[TURNS];
/* Longest duration of a mark, preemption included: the upper bound of a mark's error. */
static __u64 widest;

static __u64 mark(void)
{
	__u64 start = now_ns(), stamp = memphis_clock_take_mark(), took = now_ns() - start;

	if (took > widest)
		widest = took;
	return stamp;
}

static const char *source; /* file in place of the kernel's; NULL: the kernel's */

int open(const char *path, int flags, ...)
{
	return (int)syscall(SYS_openat, AT_FDCWD, source ? source : path, flags);
}

int main(void)
{
	int i, falling = 0, early = 0, late = 0, counts;
	__u64 last = 0;

	memphis_clock_setup();
	counts = memphis_clock_counts;
	source = "/dev/null";
	memphis_clock_setup();
	is(memphis_clock_counts, counts, "stamps stay what they are if the kernel changes its clock");
	source = NULL;
	if (!memphis_clock_counts) {
		/* Without the counter, stamps are already times of the kernel's clock: there is nothing to compare. */
		ok(1, "stamps follow the clock # SKIP the kernel's clock here is not the time stamp counter");
		return finish();
	}
	/* The setup took the first mark, whose error is unknown. This measured mark precedes all stamps, so none depends on the first. */
	mark();
	for (i = 0; i < TURNS; i++) {
		const struct timespec pause = {.tv_nsec = i % 100 ? 20000 : 2000000};

		before[i] = now_ns();
		stamps[i] = i % 2 ? stamp_now() : stamp_after();
		after[i] = now_ns();
		nanosleep(&pause, NULL);
		/* Mark from time to time, as the drain does, and more often than the number of stored marks. */
		if (i % 10 == 9)
			mark();
	}
	mark();
	for (i = 0; i < TURNS; i++) {
		__u64 ns = memphis_clock_ns(stamps[i]);

		falling += ns < last;
		last = ns;
		early += ns + widest + BEND_NS < before[i];
		late += ns > after[i] + widest + BEND_NS;
	}
	printf("# marks took up to %llu ns\n", (unsigned long long)widest);
	is(falling, 0, "a later stamp never converts to an earlier time");
	is(early, 0, "no stamp converts to a time before it was taken");
	is(late, 0, "no stamp converts to a time after it was taken");
	ok(mark() >= stamps[TURNS - 1], "a mark is not earlier than the stamps before it");
	return finish();
}
