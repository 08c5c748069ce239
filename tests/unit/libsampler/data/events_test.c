/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The queue of allocation events from a thread to the drain: order, completeness, bound; and the table of live blocks.
 * If this fails, blocks lose their names, or get names of other blocks.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "data/blocks.h"
#include "data/events.h"
#include "../../tap.h"

#define MANY 200000u

static struct memphis_events events;
static struct memphis_event taken[20000];

static int push(__u32 kind, __u64 address, __u64 time)
{
	struct memphis_allocation event = {.time_ns = time, .address = address, .kind = kind};

	struct memphis_event *room = memphis_events_room(&events, kind);

	if (!room)
		return -ENOBUFS;
	room->record = event;
	memphis_events_commit(&events, room, kind);
	return 0;
}

static void *produce(void *unused)
{
	__u32 i;

	(void)unused;
	for (i = 1; i <= MANY; i++)
		while (push(MEMPHIS_ALLOCATION_FREE, i, i))
			;
	return NULL;
}

static void check_stream(void)
{
	__u64 expected = 1;
	pthread_t thread;
	int in_order = 1;
	size_t n, i;

	memphis_events_init(&events);
	atomic_store(&memphis_events_drained, 1);
	ok(!memphis_events_waiting(&events), "a new queue is empty");
	pthread_create(&thread, NULL, produce, NULL);
	while (expected <= MANY) {
		n = memphis_events_take(&events, taken, 777, UINT64_MAX);
		for (i = 0; i < n; i++)
			in_order &= taken[i].record.address == expected++;
	}
	pthread_join(thread, NULL);
	ok(in_order, "every event arrives, in order, while the producer continues");
	is(memphis_events_take(&events, taken, 777, UINT64_MAX), 0, "no more events arrive than were pushed");
	memphis_events_free(&events);
}

static void check_upto(void)
{
	memphis_events_init(&events);
	push(MEMPHIS_ALLOCATION_MALLOC, 1, 100);
	push(MEMPHIS_ALLOCATION_MALLOC, 2, 200);
	push(MEMPHIS_ALLOCATION_MALLOC, 3, 300);
	is(memphis_events_take(&events, taken, 10, 99), 0,
	   "events later than the given time stay in the queue");
	is(memphis_events_take(&events, taken, 10, 200), 2, "events up to the given time are taken");
	is(memphis_events_take(&events, taken, 10, UINT64_MAX), 1, "the remaining event is taken later");
	memphis_events_free(&events);
}

static void check_compact(void)
{
	__u64 live = 0, i, time = 0;
	size_t n, total = 0;
	int found = 1, failed = 0;

	memphis_events_init(&events);
	atomic_store(&memphis_events_drained, 0);
	/* Before the first drain: 3 million short-lived blocks, and one in 1000 that lives on. */
	for (i = 0; i < 3000000; i++) {
		failed |= push(MEMPHIS_ALLOCATION_MALLOC, 0x1000, ++time);
		failed |= push(MEMPHIS_ALLOCATION_FREE, 0x1000, ++time);
		if (i % 1000 == 0)
			failed |= push(MEMPHIS_ALLOCATION_MALLOC, 0x100000 + 0x1000 * live++, ++time);
	}
	ok(!failed, "short-lived blocks before the first sample do not fill the queue");
	live = 0;
	while ((n = memphis_events_take(&events, taken, 20000, UINT64_MAX))) {
		total += n;
		for (i = 0; i < n; i++)
			if (taken[i].record.address != 0x1000)
				found &= taken[i].record.address == 0x100000 + 0x1000 * live++;
	}
	ok(found && live == 3000,
	   "before the first drain, all blocks that live on stay in the queue, in order");
	ok(total < 100000, "most short-lived blocks are removed from the queue");
	memphis_events_free(&events);
}

static __u64 sampled;
static int known;

static int digest(__u64 *out)
{
	*out = sampled;
	return known;
}

/* Pushes one allocation and its release, `pairs` times; returns the number of events in the queue. */
static size_t remain(unsigned int pairs, unsigned int samples_every)
{
	unsigned int i;
	size_t n;

	memphis_events_init(&events);
	for (i = 0; i < pairs; i++) {
		push(MEMPHIS_ALLOCATION_MALLOC, 0x1000, 2 * i);
		sampled += samples_every && i % samples_every == 0;
		push(MEMPHIS_ALLOCATION_FREE, 0x1000, 2 * i + 1);
	}
	n = memphis_events_take(&events, taken, 20000, UINT64_MAX);
	memphis_events_free(&events);
	return n;
}

/* While the drain runs, the thread itself removes short-lived blocks that were not sampled, and counts them. */
static void check_quiet(void)
{
	__u64 i;
	size_t n;

	atomic_store(&memphis_events_drained, 1);
	memphis_events_digest = digest;
	is(remain(5000, 0), 10000, "everything stays while it is unknown what was sampled");
	known = 1;
	n = remain(5000, 0);
	ok(n < 1000, "while nothing is sampled, short-lived blocks are removed");
	is(remain(5000, 10), 10000, "while something is always sampled, short-lived blocks stay");
	n = remain(5000, 2000);
	ok(n >= 3 * 128 && n < 3000, "short-lived blocks around a sample stay");

	memphis_events_init(&events);
	for (i = 0; i < 3000; i++) {
		push(MEMPHIS_ALLOCATION_MALLOC, 0x1000, 0);
		/* Simulate another thread that releases the block and allocates another one at the same address. */
		memphis_latest[(0x1000u >> 4) * 0x9e3779b97f4a7c15u >> (64 - MEMPHIS_LATEST_BITS)].tag = 1;
		push(MEMPHIS_ALLOCATION_FREE, 0x1000, 0);
	}
	is(memphis_events_take(&events, taken, 20000, UINT64_MAX), 6000,
	   "the release of a block of another thread does not pair with an allocation of this thread");
	memphis_events_free(&events);

	memphis_events_init(&events);
	for (i = 0; i < 5000; i++) {
		push(MEMPHIS_ALLOCATION_MALLOC, 0x1000, 0);
		push(MEMPHIS_ALLOCATION_FREE, 0x1000, 0);
		if (i % 10 == 0)
			push(MEMPHIS_ALLOCATION_MALLOC, 0x10000 + i, 0);
	}
	n = memphis_events_take(&events, taken, 20000, UINT64_MAX);
	is(n / 2 * 2 == n ? (n - 500) / 2 + atomic_load(&events.unsampled) : 0, 5000,
	   "each short-lived block is in the queue or counted");
	sampled = 0;
	for (i = 0; i < n; i++)
		if (taken[i].record.address != 0x1000)
			sampled += taken[i].record.address == 0x10000 + 10 * sampled;
	is(sampled, 500, "while the drain runs, all blocks that live on stay in the queue, in order");
	memphis_events_free(&events);
	memphis_events_digest = NULL;
}

/* Pushes short-lived blocks, and long-lived ones now and then, while the drain takes events. */
static void *churn(void *unused)
{
	__u32 i;

	(void)unused;
	for (i = 1; i <= MANY; i++) {
		while (push(MEMPHIS_ALLOCATION_MALLOC, 0x1000, i))
			;
		while (push(MEMPHIS_ALLOCATION_FREE, 0x1000, i))
			;
		if (i % 16 == 0)
			while (push(MEMPHIS_ALLOCATION_MALLOC, 0x10000 + i, i))
				;
	}
	return NULL;
}

static void check_quiet_stream(void)
{
	__u64 kept = 0, begins = 0, ends = 0;
	int in_order = 1, wrong = 0;
	pthread_t thread;
	size_t n, i;

	memphis_events_init(&events);
	memphis_events_digest = digest;
	pthread_create(&thread, NULL, churn, NULL);
	while (kept < MANY / 16 || begins + atomic_load(&events.unsampled) < MANY || ends < begins) {
		n = memphis_events_take(&events, taken, 777, UINT64_MAX);
		for (i = 0; i < n; i++) {
			if (taken[i].record.address != 0x1000) {
				in_order &= taken[i].record.address == 0x10000 + 16 * ++kept;
			} else if (taken[i].record.kind == MEMPHIS_ALLOCATION_MALLOC) {
				begins++;
			} else {
				ends++;
			}
			wrong |= begins - ends > 1;
		}
	}
	pthread_join(thread, NULL);
	ok(in_order && kept == MANY / 16,
	   "while the drain takes events, all blocks that live on arrive in order");
	ok(!wrong && begins == ends && begins + atomic_load(&events.unsampled) == MANY,
	   "an allocation is only removed together with its release");
	is(memphis_events_take(&events, taken, 777, UINT64_MAX), 0, "no event arrives twice");
	memphis_events_free(&events);
	memphis_events_digest = NULL;
}

static void check_bound(void)
{
	__u64 allocations = 0, releases = 0;

	memphis_events_init(&events);
	atomic_store(&memphis_events_drained, 1);
	while (!push(MEMPHIS_ALLOCATION_MALLOC, 1, 1))
		allocations++;
	while (!push(MEMPHIS_ALLOCATION_FREE, 1, 1))
		releases++;
	ok(allocations * sizeof(struct memphis_event) <= MEMPHIS_EVENT_BYTES_MAX &&
		   allocations * sizeof(struct memphis_event) > MEMPHIS_EVENT_BYTES_MAX / 2,
	   "the number of queued events is bounded");
	ok(releases > allocations / 4, "releases have reserved room");
	is(memphis_events_take(&events, taken, 20000, UINT64_MAX), 20000, "a full queue is drained");
	is(push(MEMPHIS_ALLOCATION_MALLOC, 1, 1), (__u64)-ENOBUFS,
	   "after that, an allocation is still refused");
	is(push(MEMPHIS_ALLOCATION_FREE, 1, 1), 0, "after that, a release is accepted");
	memphis_events_free(&events);
}

/* A program with millions of live blocks before sampling: each further one must not cost a compaction of the whole list. */
static void check_full(void)
{
	unsigned int i, refused = 0;
	__u32 due;

	memphis_events_init(&events);
	atomic_store(&memphis_events_drained, 0);
	for (i = 1; !push(MEMPHIS_ALLOCATION_MALLOC, i << 4, i); i++)
		;
	push(MEMPHIS_ALLOCATION_MALLOC, 1, i); /* compacts the list once more, in vain */
	due = events.events_until_compact;
	for (; refused < 10000; refused++)
		if (!push(MEMPHIS_ALLOCATION_MALLOC, 1, i))
			break;
	is(refused, 10000, "allocations beyond the memory limit are refused");
	is(due - events.events_until_compact, 10000, "none of which compacts the list");
	while (!push(MEMPHIS_ALLOCATION_FREE, --i << 4, 1))
		;
	for (refused = 0; refused < 200000 && push(MEMPHIS_ALLOCATION_MALLOC, 1, 1); refused++)
		push(MEMPHIS_ALLOCATION_FREE, --i << 4, 1);
	ok(refused < 200000, "after releases, allocations are recorded again");
	memphis_events_free(&events);
}

static int lives(const struct memphis_tracked_blocks *blocks, __u64 address)
{
	const struct memphis_tracked_block *block = memphis_blocks_find(blocks, address);

	return block && block->is_live;
}

static void check_blocks(void)
{
	struct memphis_tracked_blocks blocks = {0};
	int wrong = 0;
	__u64 i;

	ok(!lives(&blocks, 0x1000), "an empty table has no block");
	memphis_blocks_put(&blocks, 0x1000, 10, 1);
	ok(lives(&blocks, 0x1000), "a block is live after its allocation");
	memphis_blocks_put(&blocks, 0x1000, 20, 0);
	ok(!lives(&blocks, 0x1000), "a block is not live after its release");
	memphis_blocks_put(&blocks, 0x1000, 15, 1);
	ok(!lives(&blocks, 0x1000), "an earlier allocation that arrives late does not revive the block");
	memphis_blocks_put(&blocks, 0x1000, 30, 1);
	memphis_blocks_put(&blocks, 0x1000, 20, 0);
	ok(lives(&blocks, 0x1000), "an earlier release that arrives late does not end the block");
	memphis_blocks_put(&blocks, 0x2000, 50, 0);
	memphis_blocks_put(&blocks, 0x2000, 40, 1);
	ok(!lives(&blocks, 0x2000), "a release may arrive before its allocation");

	for (i = 1; i <= 300000; i++) {
		memphis_blocks_put(&blocks, i << 12, 20000000000 * i, 1);
		if (i % 2)
			memphis_blocks_put(&blocks, i << 12, 20000000000 * i + 1, 0);
	}
	for (i = 3; i <= 300000; i++)
		wrong += lives(&blocks, i << 12) != !(i % 2);
	is(wrong, 0, "many blocks are distinguished");
	ok(blocks.size < 4 * 300000, "blocks that were released long ago are removed from the table");
	memphis_blocks_free(&blocks);
}

/* Pushes an allocation and returns its recorded time. */
static __u64 time_of(__u32 kind, __u64 address, __u64 time)
{
	push(kind, address, time);
	return events.last->events[events.last->count - 1].record.time_ns;
}

/* The times exceed those of the other tests, which leave stamps in the table. A stamp may be read too early to be after the release by which another thread made the address available. */
static void check_order(void)
{
	memphis_events_init(&events);
	push(MEMPHIS_ALLOCATION_FREE, 0x7000, 1005000);
	is(time_of(MEMPHIS_ALLOCATION_MALLOC, 0x7000, 1004900), 1005000 + MEMPHIS_STAMP_STEP,
	   "an allocation is later than the latest release at its address");
	is(time_of(MEMPHIS_ALLOCATION_MALLOC, 0x7000, 1006000), 1006000, "a later stamp stays as it is");
	is(time_of(MEMPHIS_ALLOCATION_MALLOC, 0x9000, 1004900), 1004900, "so does that of another address");
	is(time_of(MEMPHIS_ALLOCATION_PART, 0x7000, 1004900), 1004900,
	   "so does that of a part of a pool at the address of a block");
	push(MEMPHIS_ALLOCATION_FREE, 0x7000, 1007000);
	is(events.last->events[events.last->count - 1].record.time_ns, 1007000,
	   "the stamp of a release stays");
	memphis_events_free(&events);
}

int main(void)
{
	is(memphis_events_setup(), 0, "the setup of events succeeds");
	check_stream();
	check_upto();
	check_compact();
	check_quiet();
	check_quiet_stream();
	check_order();
	check_bound();
	check_full();
	check_blocks();
	return finish();
}
