/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls and times of the regions of one thread. */
#include <stdatomic.h>
#include <string.h>

#include "data/region_times.h"

#define PAGE_BYTES (MEMPHIS_REGION_PAGE * sizeof(struct memphis_region_cell))
/* a thread that opens calipers without a pause changes the numbers every 10 ns */
#define READ_TRIES 1000

#define COST_TRIES 8

int memphis_region_times_on, memphis_region_counters_on;
_Atomic int memphis_region_counters_error;

struct memphis_region_cell *memphis_region_cell_new(struct memphis_region_clock *times, __u32 region)
{
	struct memphis_region_cell *page = sys_map(PAGE_BYTES);

	if (!page)
		return &times->spare;
	__atomic_store_n(&times->pages[region / MEMPHIS_REGION_PAGE], page, __ATOMIC_RELEASE);
	return &page[region % MEMPHIS_REGION_PAGE];
}

_Static_assert(MEMPHIS_REGION_EVENTS == MEMPHIS_COUNTER_EVENTS_MAX, "a record has all events of a thread");

static void set_error(int err)
{
	int none = 0;

	atomic_compare_exchange_strong(&memphis_region_counters_error, &none, err);
}

/*
 * Charges what was counted since the last change. If a signal handler has changed the region after `value` was read,
 * the handler has charged it.
 */
static inline void charge_counts(struct memphis_region_cell *cell, __u64 *since, __u64 value,
				 unsigned int counter)
{
	const __u64 last = __atomic_load_n(since, __ATOMIC_RELAXED);

	if (unlikely(!cell))
		*since = value;
	else if (likely(value >= last && local_replace(since, last, value)))
		local_add(&cell->counts[counter], value - last);
}

void memphis_region_times_count(struct memphis_region_clock *times, struct memphis_region_cell *cell)
{
	__u64 values[MEMPHIS_COUNTERS_MAX];
	const int err = memphis_pmc_values(&times->pmc, values);
	unsigned int i;

	if (unlikely(err)) {
		set_error(err);
		/*
		 * Make no further requests. But if the module does not sample the thread at present (-ESRCH),
		 * the next outermost caliper tries again.
		 */
		times->pmc.open = false;
		times->pmc_tried = err != -ESRCH;
		return;
	}
	for (i = 0; i < times->pmc.count; i++)
		charge_counts(cell, &times->counts_since[i], values[i], i);
}

void memphis_region_times_check(const struct memphis_region_clock *times)
{
	if (memphis_pmc_is_shared(&times->pmc))
		set_error(-EBUSY);
}

static void open_counters(struct memphis_region_clock *times)
{
	int err = memphis_pmc_open(&times->pmc);

	/* The module does not sample the thread yet (-ESRCH): try again at the next outermost caliper. */
	times->pmc_tried = err != -ESRCH;
	if (err)
		set_error(err == -ESRCH ? 0 : err);
	else
		memphis_region_times_count(times, NULL);
}

/*
 * Returns the CPU time that one reading of the thread's CPU clock adds to the difference of two readings.
 * Without this correction, the CPU time of regions that last microseconds would exceed their elapsed time.
 */
static __u64 measure_reading_cost(void)
{
	static _Atomic __u64 known;
	__u64 cost = atomic_load_explicit(&known, memory_order_relaxed), before, now;
	int i;

	if (likely(cost))
		return cost;
	before = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	for (i = 0, cost = UINT64_MAX; i < COST_TRIES; i++, before = now) {
		now = clock_ns(CLOCK_THREAD_CPUTIME_ID);
		if (now > before && now - before < cost)
			cost = now - before;
	}
	if (cost == UINT64_MAX)
		cost = 0;
	atomic_store_explicit(&known, cost, memory_order_relaxed);
	return cost;
}

void memphis_region_times_change_outermost(struct memphis_region_clock *times, __u32 region)
{
	__u64 now, cost, ns;

	if (!memphis_region_times_on || times->outermost == region)
		return;
	if (unlikely(memphis_region_counters_on && !times->pmc_tried))
		open_counters(times);
	cost = measure_reading_cost();
	now = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	ns = now - times->cpu_since_ns;
	memphis_region_times_lock(times);
	if (times->outermost)
		memphis_region_add(&memphis_region_cell(times, times->outermost)->cpu_ns,
				   ns > cost ? ns - cost : 0);
	__atomic_store_n(&times->outermost, region, __ATOMIC_RELEASE);
	__atomic_store_n(&times->cpu_since_ns, now, __ATOMIC_RELEASE);
	memphis_region_times_unlock(times);
}

/*
 * Returns the CPU time of a running thread, or 0 if it is unknown. Computes the id of the thread's clock as
 * pthread_getcpuclockid(3) does. That function would need a pthread_t.
 */
static __u64 read_cpu_time(pid_t tid)
{
	const clockid_t clock = (clockid_t)((~(unsigned int)tid << 3) | 6);
	struct timespec t;

	if (!tid || clock_gettime(clock, &t))
		return 0;
	return (__u64)t.tv_sec * 1000000000u + (__u64)t.tv_nsec;
}

/* Copies of the members that a change of the region modifies. */
struct copy {
	__u64 calls, time, cpu_ns, since, cpu_since_ns, counts[MEMPHIS_COUNTERS_MAX];
	bool open;
	__u32 outermost;
};

static void copy_times(const struct memphis_region_clock *times, const struct memphis_region_cell *cell,
		       struct copy *to)
{
	__u64 since;
	__u32 before, after;
	int tries, i;

	for (tries = 0; tries < READ_TRIES; tries++) {
		before = __atomic_load_n(&times->sequence, __ATOMIC_ACQUIRE);
		since = __atomic_load_n(&times->since, __ATOMIC_ACQUIRE);
		to->calls = __atomic_load_n(&cell->calls, __ATOMIC_ACQUIRE);
		to->time = __atomic_load_n(&cell->time, __ATOMIC_ACQUIRE);
		to->cpu_ns = __atomic_load_n(&cell->cpu_ns, __ATOMIC_ACQUIRE);
		for (i = 0; i < MEMPHIS_COUNTERS_MAX; i++)
			to->counts[i] = __atomic_load_n(&cell->counts[i], __ATOMIC_ACQUIRE);
		to->open = __atomic_load_n(&times->cell, __ATOMIC_ACQUIRE) == cell;
		to->outermost = __atomic_load_n(&times->outermost, __ATOMIC_ACQUIRE);
		to->cpu_since_ns = __atomic_load_n(&times->cpu_since_ns, __ATOMIC_ACQUIRE);
		to->since = __atomic_load_n(&times->since, __ATOMIC_ACQUIRE);
		after = __atomic_load_n(&times->sequence, __ATOMIC_ACQUIRE);
		if (since && !(since & 1) && since == to->since && before == after && !(before & 1))
			return;
	}
	/*
	 * The copies may be inconsistent, but each number is of a recent moment. Leave the time since the
	 * last change of an open region to the next record.
	 */
	to->open = false;
	to->outermost = 0;
}

bool memphis_region_times_read(const struct memphis_region_clock *times, __u32 region, pid_t tid,
			       struct memphis_region_time *to)
{
	const struct memphis_region_cell *page =
		__atomic_load_n(&times->pages[region / MEMPHIS_REGION_PAGE], __ATOMIC_ACQUIRE);
	__u64 now, cpu_ns;
	struct copy is;

	if (!page)
		return false;
	/*
	 * Read both clocks before the copy. If they were read after it, the thread could close the region in
	 * between, and the time after the close would be counted, too. The fence keeps the CPU from loading
	 * the members before it reads the clocks.
	 */
	cpu_ns = __atomic_load_n(&times->outermost, __ATOMIC_RELAXED) == region ? read_cpu_time(tid) : 0;
	now = stamp_after();
	__builtin_ia32_lfence();
	copy_times(times, &page[region % MEMPHIS_REGION_PAGE], &is);
	/*
	 * Skip regions without calls and time. If an outer caliper ends before an inner one, the inner one
	 * moves to such a region.
	 */
	if (!is.calls && !is.time && !is.open)
		return false;
	if (is.open && now > is.since)
		is.time += now - is.since;
	if (is.outermost == region && cpu_ns > is.cpu_since_ns)
		is.cpu_ns += cpu_ns - is.cpu_since_ns;
	memset(to, 0, sizeof(*to));
	to->region = region;
	to->calls = is.calls;
	to->ns = memphis_clock_duration_ns(is.time);
	to->cpu_ns = is.cpu_ns;
	to->cycles = is.counts[MEMPHIS_COUNTER_CYCLES];
	to->instructions = is.counts[MEMPHIS_COUNTER_INSTRUCTIONS];
	memcpy(to->events, &is.counts[MEMPHIS_COUNTER_EVENT_FIRST], sizeof(to->events));
	return true;
}

void memphis_region_times_close(struct memphis_region_clock *times)
{
	size_t i;

	for (i = 0; i < MEMPHIS_REGION_PAGES; i++)
		sys_unmap(times->pages[i], PAGE_BYTES);
	memphis_pmc_close(&times->pmc);
	memset(times, 0, sizeof(*times));
}
