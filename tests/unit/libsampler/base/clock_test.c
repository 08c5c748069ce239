/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Stamps of allocation events against the clock that samples carry. If it fails, blocks seem to live at other times
 * than they did.
 */
#include "base/clock.h"
#include "../../tap.h"

#define TURNS 3000
/* The kernel's clock bends by some 10 us in the second that lies between two marks at most. */
#define BEND_NS 50000

static __u64 stamps[TURNS], before[TURNS], after[TURNS];
/* Time that a mark took: it is wrong by no more than that, whoever had the CPU meanwhile. */
static __u64 widest;

static __u64 mark(void)
{
	__u64 start = now_ns(), stamp = memphis_clock_mark(), took = now_ns() - start;

	if (took > widest)
		widest = took;
	return stamp;
}

int main(void)
{
	int i, falling = 0, early = 0, late = 0;
	__u64 last = 0;

	memphis_clock_setup();
	if (!memphis_clock_counts) {
		/* A stamp is a time then, and can't differ from itself. */
		ok(1,
		   "stamps keep to the clock # SKIP the kernel's clock here is not the time stamp counter");
		return finish();
	}
	/* The very first mark is not ours to look at; no stamp goes by it. */
	mark();
	for (i = 0; i < TURNS; i++) {
		const struct timespec pause = {.tv_nsec = i % 100 ? 20000 : 2000000};

		before[i] = now_ns();
		stamps[i] = i % 2 ? stamp_before() : stamp_after();
		after[i] = now_ns();
		nanosleep(&pause, NULL);
		/* As the drain does: from time to time, more often than it keeps. */
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
	is(falling, 0, "later stamps never get earlier times");
	is(early, 0, "no stamp lies before the moment it was taken");
	is(late, 0, "nor after it");
	ok(mark() >= stamps[TURNS - 1], "a mark is as late as all stamps before it");
	return finish();
}
