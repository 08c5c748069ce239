/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Stamps of allocation events against the clock that samples carry. If it fails, blocks seem to live at other times
 * than they did.
 */
#include "clock.h"
#include "../tap.h"

#define TURNS 3000

static __u64 stamps[TURNS], before[TURNS], after[TURNS];

int main(void)
{
	int i, falling = 0, early = 0, late = 0;
	__u64 last = 0;

	memphis_clock_setup();
	printf("# stamps are %s\n", memphis_clock_counts ? "counts" : "nanoseconds");
	for (i = 0; i < TURNS; i++) {
		const struct timespec pause = {.tv_nsec = i % 100 ? 20000 : 2000000};

		before[i] = now_ns();
		stamps[i] = i % 2 ? stamp_before() : stamp_after();
		after[i] = now_ns();
		nanosleep(&pause, NULL);
		/* As the drain does: from time to time, more often than it keeps. */
		if (i % 10 == 9)
			memphis_clock_mark();
	}
	memphis_clock_mark();
	for (i = 0; i < TURNS; i++) {
		__u64 ns = memphis_clock_ns(stamps[i]);

		falling += ns < last;
		last = ns;
		/* Marks are a few system calls' time apart from the truth at worst. */
		early += ns + 50000 < before[i];
		late += ns > after[i] + 50000;
	}
	is(falling, 0, "later stamps never get earlier times");
	is(early, 0, "no stamp lies before the moment it was taken");
	is(late, 0, "nor after it");
	ok(memphis_clock_mark() >= stamps[TURNS - 1], "a mark is as late as all stamps before it");
	return finish();
}
