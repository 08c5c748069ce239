/* SPDX-License-Identifier: BSD-3-Clause */
/* Spans of the calipers of a thread. If this fails, traces have spans of other calipers, or lack some without saying so. */
#include <pthread.h>
#include <sched.h>

#include "data/spans.h"
#include "../../tap.h"

#define SPANS 400000 /* of the thread that is followed */

static struct memphis_spans spans;
static struct memphis_region_node first = {.id = 7}, second = {.id = 8, .parent = &first},
				  third = {.id = 9, .parent = &second};
static struct memphis_region_span list[MEMPHIS_SPANS_RING];

/* Opens, or ends, calipers until `depth` of them are open; those from index `kept` on are others than before. */
static void change(__u32 depth, __u32 kept, __u64 now)
{
	static struct memphis_region_node *const open[] = {&first, &second, &third};

	memphis_spans_change(&spans, open, depth, kept, now);
}

static bool has(const struct memphis_region_span *span, __u32 region, __u64 begin, __u64 end)
{
	return span->region == region && span->begin_ns == begin && span->end_ns == end && !span->reserved;
}

static void check_depth(void)
{
	change(1, 0, 10);
	change(0, 0, 20);
	ok(!memphis_spans_are_there(&spans) && !spans.ring, "without a depth there are no spans");
	memphis_spans_depth = 2;
	change(1, 0, 100);
	change(2, 1, 110);
	change(3, 2, 120);
	change(2, 2, 130);
	change(1, 1, 140);
	change(0, 0, 150);
	is(memphis_spans_take(&spans, 200, list, 10), 2, "calipers down to the depth have spans");
	ok(has(&list[0], 8, 110, 140), "an inner span is the first to end");
	ok(has(&list[1], 7, 100, 150), "and has no part in the outer one");
	ok(!memphis_spans_are_there(&spans), "each span is taken once");
	memphis_spans_depth = 3;
}

/* The middle one of three calipers is replaced by another one, to which the innermost does not belong. */
static void check_replaced(void)
{
	change(1, 0, 100);
	change(2, 1, 110);
	change(3, 2, 120);
	change(2, 1, 130);
	change(0, 0, 140);
	is(memphis_spans_take(&spans, 200, list, 10), 4,
	   "a caliper that replaces another one has its own span");
	ok(has(&list[0], 9, 120, 130) && has(&list[1], 8, 110, 130), "those that were open end then");
	ok(has(&list[2], 8, 130, 140) && has(&list[3], 7, 100, 140), "and the new one begins");
}

static void check_without_region(void)
{
	struct memphis_region_node *const open[] = {&first, &first, &third};

	memphis_spans_change(&spans, open, 3, 0, 100);
	change(0, 0, 110);
	is(memphis_spans_take(&spans, 200, list, 10), 2, "a caliper without a region of its own has no span");
	ok(has(&list[0], 9, 100, 110) && has(&list[1], 7, 100, 110), "those around it and in it have");
}

static void check_times(void)
{
	change(1, 0, 100);
	change(0, 0, 110);
	change(1, 0, 120);
	change(0, 0, 130);
	is(memphis_spans_take(&spans, 129, list, 10), 1, "a span that ends later is left for the next pass");
	is(memphis_spans_take(&spans, 130, list, 10), 1, "and is taken then");
	ok(has(&list[0], 7, 120, 130), "with its times");
}

static void check_open(void)
{
	struct memphis_region_span open[MEMPHIS_SPANS_DEPTH_MAX];

	change(1, 0, 300);
	change(2, 1, 310);
	is(memphis_spans_open(&spans, 305, open), 1, "open spans have a record");
	ok(has(&open[0], 7, 300, 0), "without an end");
	is(memphis_spans_open(&spans, 320, open), 1, "those that are new have one the next time");
	ok(has(&open[0], 8, 310, 0), "and no others");
	is(memphis_spans_open(&spans, 320, open), 0, "no record is made twice");
	change(1, 1, 330);
	change(2, 1, 340);
	is(memphis_spans_open(&spans, 350, open), 1, "the next caliper of a region has its own");
	spans.sequence++;
	change(3, 2, 360);
	change(2, 2, 370);
	is(memphis_spans_open(&spans, 400, open), 0, "what a thread is changing is not read");
	spans.sequence++;
	is(atomic_load(&spans.lost), 1, "a signal handler that interrupts a change loses its span");
	change(0, 0, 380);
	is(memphis_spans_take(&spans, 400, list, 10), 3, "the others are complete");
	ok(has(&list[1], 8, 340, 380) && has(&list[2], 7, 300, 380), "with their times");
	/* The thread has begun a caliper, but a handler comes before its span begins. */
	change(1, 0, 400);
	change(3, 2, 410);
	change(2, 2, 420);
	change(2, 1, 405);
	change(0, 0, 430);
	is(atomic_load(&spans.lost), 2, "a handler that comes before the span around it loses its own");
	is(memphis_spans_take(&spans, 500, list, 10), 2, "and no other");
	ok(has(&list[0], 8, 405, 430) && has(&list[1], 7, 400, 430), "nor the times of others");
}

static void check_full(void)
{
	const __u32 most = MEMPHIS_SPANS_RING - MEMPHIS_SPANS_RING / 8;
	__u32 i;

	memphis_spans_close(&spans);
	change(1, 0, 1000);
	for (i = 0; i < most + 5; i++) {
		change(2, 1, 1001 + 2 * i);
		change(1, 1, 1002 + 2 * i);
	}
	is(atomic_load(&spans.lost), 5, "inner spans for which there is no room are lost and counted");
	for (i = 0; i < MEMPHIS_SPANS_RING / 8 + 1; i++) {
		change(1, 0, 100000 + i);
		change(0, 0, 100001 + i);
	}
	is(atomic_load(&spans.lost), 5 + 2, "outermost ones have room that is kept for them");
	is(memphis_spans_take(&spans, UINT64_MAX, list, MEMPHIS_SPANS_RING), MEMPHIS_SPANS_RING,
	   "what the ring holds is taken at once");
	ok(has(&list[0], 8, 1001, 1002) && has(&list[most - 1], 8, 999 + 2 * most, 1000 + 2 * most),
	   "the first ones are kept");
	ok(has(&list[most], 7, 1000, 100000), "as is the outermost one");
	change(1, 0, 200000);
	change(0, 0, 200001);
	is(memphis_spans_take(&spans, UINT64_MAX, list, 10), 1, "then there is room again");
	is(atomic_load(&spans.lost), 5 + 2, "and no more are lost");
}

static _Atomic int done;

/* The n-th span, from 1, begins at 10 n and has region 7 inside which region 8 has the same times. */
static void *run(void *unused)
{
	__u64 n;

	for (n = 1; n <= SPANS; n++) {
		change(2, 0, 10 * n);
		change(0, 0, 10 * n + 5);
		if (!(n % 3000))
			sched_yield();
	}
	atomic_store(&done, 1);
	return unused;
}

static void check_concurrent(void)
{
	struct memphis_region_span open[MEMPHIS_SPANS_DEPTH_MAX];
	unsigned long taken = 0, bad = 0, opened = 0;
	__u64 last = 0;
	pthread_t thread;
	__u32 count, i;
	bool rest;

	memphis_spans_close(&spans);
	pthread_create(&thread, NULL, run, NULL);
	do {
		rest = !atomic_load(&done);
		count = memphis_spans_take(&spans, UINT64_MAX, list, MEMPHIS_SPANS_RING);
		for (i = 0; i < count; i++) {
			bad += list[i].end_ns != list[i].begin_ns + 5 || list[i].begin_ns % 10 ||
			       list[i].begin_ns < last || (list[i].region != 7 && list[i].region != 8);
			last = list[i].begin_ns;
		}
		taken += count;
		count = memphis_spans_open(&spans, UINT64_MAX, open);
		for (i = 0; i < count; i++)
			bad += open[i].region != 7 + i || open[i].begin_ns != open[0].begin_ns;
		opened += count;
	} while (rest);
	pthread_join(thread, NULL);
	printf("# %lu taken, %llu lost, %lu open\n", taken, (unsigned long long)atomic_load(&spans.lost),
	       opened);
	is(bad, 0, "spans that are taken while the thread adds others are whole and in order");
	is(taken + atomic_load(&spans.lost), 2ul * SPANS, "each one is taken or counted as lost");
}

int main(void)
{
	check_depth();
	check_replaced();
	check_without_region();
	check_times();
	check_open();
	check_full();
	check_concurrent();
	memphis_spans_close(&spans);
	ok(!spans.ring && !spans.head && !atomic_load(&spans.lost),
	   "nothing is left of a thread that has ended");
	return finish();
}
