/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls and times of the regions of a thread. If this fails, time is charged to the wrong region, twice, or not at all. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

#include "data/region_times.h"
#include "../../tap.h"

static struct memphis_region_clock times;

static __u64 time_of(__u32 region)
{
	return memphis_region_cell(&times, region)->time;
}

static __u64 calls_of(__u32 region)
{
	return memphis_region_cell(&times, region)->calls;
}

/* Opens region 1, region 2 inside it twice, and compares in units of the counter, where the bounds are exact. */
static void check_charges(void)
{
	__u64 before[7], after[7];
	static const __u32 to[7] = {1, 2, 1, 2, 1, 0, 1};
	int i;

	memphis_region_times_change(&times, 1, 1);
	ok(!times.cell && !times.pages[0], "nothing is counted while it is switched off");
	memphis_region_times_on = 1;
	for (i = 0; i < 7; i++) {
		before[i] = stamp_after();
		memphis_region_times_change(&times, to[i], i < 2 || i == 3 || i == 6);
		after[i] = stamp_after();
	}
	is(calls_of(1), 2, "calls of a region are counted");
	is(calls_of(2), 2, "calls of a region inside another one are counted");
	ok(time_of(2) <= after[2] - before[1] + after[4] - before[3],
	   "the inner region has no more than its time");
	ok(time_of(2) >= before[2] - after[1] + before[4] - after[3], "the inner region has all of its time");
	ok(time_of(1) <= after[1] - before[0] + after[3] - before[2] + after[5] - before[4],
	   "the outer region has no more than its time");
	ok(time_of(1) >= before[1] - after[0] + before[3] - after[2] + before[5] - after[4],
	   "the outer region has all of its time");
	ok(time_of(0) + time_of(1) + time_of(2) <= after[6] - before[0], "no time is charged twice");
}

static void check_reading(void)
{
	struct memphis_region_time first, second;

	memphis_clock_take_mark();
	ok(!memphis_region_times_read(&times, 3, 0, &first), "a region that was never opened has no record");
	ok(!memphis_region_times_read(&times, 60000, 0, &first),
	   "a region in a page without cells has no record");
	ok(memphis_region_times_read(&times, 1, 0, &first) &&
		   memphis_region_times_read(&times, 1, 0, &second),
	   "an open region has a record");
	ok(first.region == 1 && first.calls == 2 && second.ns > first.ns,
	   "the time of an open region continues");
	memphis_region_times_change(&times, 0, 0);
	memphis_region_times_read(&times, 1, 0, &first);
	memphis_region_times_read(&times, 1, 0, &second);
	ok(first.ns == second.ns, "the time of a region that is closed does not");
	memphis_region_times_change(&times, MEMPHIS_REGIONS_MAX, 1);
	memphis_region_times_change(&times, 0, 0);
	ok(memphis_region_times_read(&times, MEMPHIS_REGIONS_MAX, 0, &first) && first.calls == 1,
	   "the last possible region is counted");
}

/* A reader whose every copy falls into the middle of a change. */
static void check_change(void)
{
	struct memphis_region_time before, in, after;

	memphis_region_times_change(&times, 1, 1);
	memphis_region_times_read(&times, 1, 0, &before);
	memphis_region_times_lock(&times);
	ok(memphis_region_times_read(&times, 1, 0, &in) && in.calls == before.calls && in.ns <= before.ns,
	   "what a change is about to charge is left out");
	memphis_region_times_unlock(&times);
	memphis_region_times_read(&times, 1, 0, &after);
	ok(after.ns > before.ns, "it is there after the change");
	memphis_region_times_change(&times, 0, 0);
}

static __u64 time_of_all(void)
{
	return time_of(0) + time_of(1) + time_of(2) + time_of(3);
}

/* The counter is less than at the last change. */
static void check_reset(void)
{
	__u64 before;

	memphis_region_times_change(&times, 1, 1);
	before = time_of_all();
	times.since += 1ull << 40;
	memphis_region_times_change(&times, 0, 0);
	is(time_of_all() - before, 0, "the time between two changes is unknown if the counter was reset");
	memphis_region_times_change(&times, 1, 0);
	ok(time_of_all() > before && time_of_all() < before + (1ull << 40), "the time after that counts");
	memphis_region_times_change(&times, 0, 0);
}

static volatile int step, target;

/* Runs after each instruction while the CPU traces. A handler opens a caliper in region 3 and returns to region 2. */
static void on_trap(int number)
{
	(void)number;
	if (step++ == target) {
		memphis_region_times_change(&times, 3, 1);
		memphis_region_times_change(&times, 2, 0);
	}
}

static inline __attribute__((always_inline)) void trace(bool on)
{
	const unsigned long flags = __builtin_ia32_readeflags_u64();

	__builtin_ia32_writeeflags_u64(on ? flags | 0x100 : flags & ~0x100ul);
}

/* A signal handler changes the region before each instruction of a change in turn. */
static __attribute__((unused)) void check_handler(void)
{
	__u64 since, before, calls = calls_of(3);
	int wrong = 0;

	signal(SIGTRAP, on_trap);
	for (target = step = 0; step >= target; target++) {
		memphis_region_times_change(&times, 1, 1);
		since = times.since;
		before = time_of_all();
		step = 0;
		trace(true);
		memphis_region_times_change(&times, 2, 1);
		trace(false);
		wrong += time_of_all() - before != times.since - since;
	}
	signal(SIGTRAP, SIG_DFL);
	ok(target > 20 && calls_of(3) - calls == (__u64)target - 1, "a handler interrupts each instruction");
	is(wrong, 0, "no time is charged twice, or not at all, if a signal handler interrupts a change");
	memphis_region_times_change(&times, 0, 0);
}

static void check_cpu(void)
{
	struct memphis_region_time open, closed, other;
	const __u64 start = clock_ns(CLOCK_THREAD_CPUTIME_ID);

	memphis_region_times_change_outermost(&times, 1);
	while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < start + 2000000)
		;
	memphis_region_times_read(&times, 1, sys_gettid(), &open);
	ok(open.cpu_ns >= 1000000, "the CPU time of a running thread is read by its tid");
	memphis_region_times_change_outermost(&times, 2);
	memphis_region_times_read(&times, 1, sys_gettid(), &closed);
	memphis_region_times_read(&times, 2, 0, &other);
	ok(closed.cpu_ns >= open.cpu_ns && closed.cpu_ns <= clock_ns(CLOCK_THREAD_CPUTIME_ID) - start,
	   "CPU time is charged when the outermost region changes");
	is(other.cpu_ns, 0, "the CPU time since then is unknown if the thread has ended");
	memphis_region_times_change_outermost(&times, 0);
}

#define EMPTY 10000

/* Two readings of the clock for each caliper are nearly all that the thread does. */
static __attribute__((unused)) void check_cpu_of_nothing(void)
{
	static struct memphis_region_clock other;
	const __u64 start = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	struct memphis_region_time empty;
	int i;

	for (i = 0; i < EMPTY; i++) {
		memphis_region_times_change_outermost(&other, 1);
		memphis_region_times_change(&other, 1, 1);
		memphis_region_times_change(&other, 0, 0);
		memphis_region_times_change_outermost(&other, 0);
	}
	memphis_region_times_read(&other, 1, 0, &empty);
	ok(empty.cpu_ns < (clock_ns(CLOCK_THREAD_CPUTIME_ID) - start) / 4,
	   "the CPU time of a region does not contain the reading of the clock");
	memphis_region_times_close(&other);
}

#define CHANGES 2000000
/* The beginning of a change becomes visible to other CPUs later than the thread reads the clock, by the time of a store. */
#define VISIBLE_NS 1000
#define ROUNDS     3

static int requests, refusal;
static __u64 counted;

static int request(__u64 values[MEMPHIS_COUNTERS_MAX])
{
	requests++;
	values[MEMPHIS_COUNTER_CYCLES] = values[MEMPHIS_COUNTER_INSTRUCTIONS] = counted += 10;
	values[MEMPHIS_COUNTER_EVENT_FIRST] = 100 * counted;
	values[MEMPHIS_COUNTER_EVENT_FIRST + 1] = counted * counted;
	return refusal;
}

/* A thread opens its outermost caliper, in region 1, and one inside it, and ends both. */
static void open_and_end(struct memphis_region_clock *other)
{
	memphis_region_times_change_outermost(other, 1);
	memphis_region_times_change(other, 1, 1);
	memphis_region_times_change(other, 2, 1);
	memphis_region_times_change(other, 1, 0);
	memphis_region_times_change(other, 0, 0);
	memphis_region_times_change_outermost(other, 0);
}

static void check_refusal(void)
{
	static struct memphis_region_clock other;

	memphis_region_counters_on = 1;
	memphis_pmc_request = request;
	open_and_end(&other);
	is(memphis_region_cell(&other, 1)->counts[MEMPHIS_COUNTER_CYCLES], 20,
	   "a region has what was counted in it");
	refusal = -ESRCH;
	open_and_end(&other);
	counted = refusal = 0; /* the module counts the thread anew */
	open_and_end(&other);
	is(memphis_region_cell(&other, 1)->counts[MEMPHIS_COUNTER_CYCLES], 40,
	   "a thread that is counted anew is counted from its next outermost caliper on");
	refusal = -EBUSY;
	requests = 0;
	open_and_end(&other);
	refusal = 0;
	open_and_end(&other);
	is(requests, 1, "a request that was refused is not repeated");
	is(memphis_region_cell(&other, 1)->counts[MEMPHIS_COUNTER_CYCLES], 40,
	   "nothing is counted after a refusal");
	memphis_region_times_close(&other);
	memphis_region_counters_on = 0;
	memphis_pmc_request = NULL;
}

static void check_events(void)
{
	static struct memphis_region_clock other;
	struct memphis_region_time time;

	memphis_region_counters_on = 1;
	memphis_pmc_request = request;
	memphis_pmc_event_count = 1;
	counted = 0;
	open_and_end(&other);
	memphis_region_times_read(&other, 2, 0, &time);
	ok(time.instructions == 10 && time.events[0] == 1000 && !time.events[1],
	   "a region has what was counted of an event in it, and nothing of events that are not counted");
	memphis_pmc_event_count = 0;
	memphis_region_times_close(&other);
	memphis_region_counters_on = 0;
	memphis_pmc_request = NULL;
}

static struct memphis_region_clock handled;

/* A handler in whose region much is counted. */
static void on_trap_with_counters(int number)
{
	(void)number;
	if (step++ == target) {
		memphis_region_times_change(&handled, 3, 1);
		counted += 1000000;
		memphis_region_times_change(&handled, 2, 0);
	}
}

/* A signal handler changes the region before each instruction of a change in turn, of a thread whose counters are read. */
static __attribute__((unused)) void check_counting_handler(void)
{
	const struct memphis_region_cell *cell = memphis_region_cell(&handled, 1);
	int more = 0;

	memphis_region_counters_on = 1;
	memphis_pmc_request = request;
	memphis_region_times_change_outermost(&handled, 1);
	signal(SIGTRAP, on_trap_with_counters);
	for (target = step = 0; step >= target; target++) {
		__u64 before;

		memphis_region_times_change(&handled, 1, 1);
		before = cell->counts[MEMPHIS_COUNTER_CYCLES];
		step = 0;
		trace(true);
		memphis_region_times_change(&handled, 2, 1);
		trace(false);
		more += cell->counts[MEMPHIS_COUNTER_CYCLES] - before > 30;
	}
	signal(SIGTRAP, SIG_DFL);
	is(more, 0, "a region has no counts of a signal handler that interrupts the counting");
	memphis_region_times_close(&handled);
	memphis_region_counters_on = 0;
	memphis_pmc_request = NULL;
}

static _Atomic int done;

/* Charges regions 4 and 5 in turn, each change with one call. */
static void *change(void *unused)
{
	int i;

	for (i = 0; i < CHANGES; i++)
		memphis_region_times_change(&times, 4 + (i & 1), 1);
	memphis_region_times_change(&times, 0, 0);
	atomic_store(&done, 1);
	return unused;
}

/* Returns how many readings of another thread decrease while this one changes the numbers, or are more than what there is in the end. */
static unsigned long count_decreases(__u64 calls)
{
	struct memphis_region_time last[2] = {{0}}, now;
	unsigned long falling = 0, readings = 0;
	pthread_t thread;
	int i;

	memphis_clock_take_mark();
	atomic_store(&done, 0);
	pthread_create(&thread, NULL, change, NULL);
	while (!atomic_load(&done))
		for (i = 0; i < 2; i++)
			if (memphis_region_times_read(&times, 4 + (__u32)i, 0, &now)) {
				falling += now.ns + VISIBLE_NS < last[i].ns || now.calls < last[i].calls;
				last[i] = now;
				readings++;
			}
	pthread_join(thread, NULL);
	for (i = 0; i < 2; i++) {
		memphis_region_times_read(&times, 4 + (__u32)i, 0, &now);
		is(now.calls, calls, "all calls are counted");
		falling += now.ns + VISIBLE_NS < last[i].ns;
	}
	printf("# %lu of %lu readings decrease\n", falling, readings);
	return falling;
}

/*
 * A thread that loses its CPU between reading the clock and its change becomes visible that much later, which a reader may see. It does
 * not happen in each round.
 */
static void check_readers(void)
{
	int round = 0;

	while (round < ROUNDS && count_decreases((__u64)(round + 1) * (CHANGES / 2)))
		round++;
	ok(round < ROUNDS,
	   "numbers that are read while the thread changes them do not decrease, and are charged in the end");
}

int main(void)
{
	memphis_clock_setup();
	check_charges();
	check_reading();
	check_change();
	check_reset();
	check_cpu();
#ifndef __SANITIZE_THREAD__ /* which makes everything else slow, and handles signals later */
	check_handler();
	check_cpu_of_nothing();
#endif
	check_refusal();
	check_events();
#ifndef __SANITIZE_THREAD__
	check_counting_handler();
#endif
	check_readers();
	memphis_region_times_close(&times);
	ok(!times.cell && !times.pages[0], "nothing is left of a thread that has ended");
	return finish();
}
