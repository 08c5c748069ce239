/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls and times of the regions of one thread. */
#include <string.h>

#include "data/region_times.h"

#define PAGE_BYTES (MEMPHIS_REGION_PAGE * sizeof(struct memphis_region_cell))
#define READ_TRIES 1000 /* a thread that opens calipers without a pause changes the numbers every 20 ns */

int memphis_region_times_on;

struct memphis_region_cell *memphis_region_cell_new(struct memphis_region_times *times, __u32 region)
{
	struct memphis_region_cell *page = sys_map(PAGE_BYTES);

	if (!page)
		return &times->spare;
	__atomic_store_n(&times->pages[region / MEMPHIS_REGION_PAGE], page, __ATOMIC_RELEASE);
	return &page[region % MEMPHIS_REGION_PAGE];
}

void memphis_region_times_outermost(struct memphis_region_times *times, __u32 region)
{
	__u64 now;

	if (!memphis_region_times_on || times->outermost == region)
		return;
	now = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	memphis_region_times_lock(times);
	if (times->outermost)
		memphis_region_add(&memphis_region_cell(times, times->outermost)->cpu_ns,
				   now - times->cpu_since_ns);
	__atomic_store_n(&times->outermost, region, __ATOMIC_RELAXED);
	__atomic_store_n(&times->cpu_since_ns, now, __ATOMIC_RELAXED);
	memphis_region_times_unlock(times);
}

/* CPU time of a running thread: the clock's id as in pthread_getcpuclockid(3), which needs a pthread_t. 0: unknown. */
static __u64 cpu_of(pid_t tid)
{
	const clockid_t clock = (clockid_t)((~(unsigned int)tid << 3) | 6);
	struct timespec t;

	if (!tid || clock_gettime(clock, &t))
		return 0;
	return (__u64)t.tv_sec * 1000000000u + (__u64)t.tv_nsec;
}

/* What a change writes. */
struct copy {
	__u64 calls, time, cpu_ns, since, cpu_since_ns;
	__u32 region, outermost;
};

static void copy(const struct memphis_region_times *times, const struct memphis_region_cell *cell,
		 struct copy *to)
{
	__u32 before, after;
	int tries;

	for (tries = 0; tries < READ_TRIES; tries++) {
		before = __atomic_load_n(&times->sequence, __ATOMIC_ACQUIRE);
		to->calls = __atomic_load_n(&cell->calls, __ATOMIC_RELAXED);
		to->time = __atomic_load_n(&cell->time, __ATOMIC_RELAXED);
		to->cpu_ns = __atomic_load_n(&cell->cpu_ns, __ATOMIC_RELAXED);
		to->region = __atomic_load_n(&times->region, __ATOMIC_RELAXED);
		to->since = __atomic_load_n(&times->since, __ATOMIC_RELAXED);
		to->outermost = __atomic_load_n(&times->outermost, __ATOMIC_RELAXED);
		to->cpu_since_ns = __atomic_load_n(&times->cpu_since_ns, __ATOMIC_RELAXED);
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		after = __atomic_load_n(&times->sequence, __ATOMIC_RELAXED);
		if (before == after && !(before & 1))
			return;
	}
	/* Each number is still that of some recent moment; what is open is in the next record. */
	to->region = to->outermost = 0;
}

bool memphis_region_times_read(const struct memphis_region_times *times, __u32 region, pid_t tid,
			       struct memphis_region_time *to)
{
	const struct memphis_region_cell *page =
		__atomic_load_n(&times->pages[region / MEMPHIS_REGION_PAGE], __ATOMIC_ACQUIRE);
	struct copy is;
	__u64 now;

	if (!page)
		return false;
	copy(times, &page[region % MEMPHIS_REGION_PAGE], &is);
	/* A caliper that another one leaves behind moves to a region that has no calls of its own. */
	if (!is.calls && !is.time && is.region != region)
		return false;
	if (is.region == region) {
		now = stamp_after();
		is.time += now > is.since ? now - is.since : 0;
	}
	if (is.outermost == region) {
		now = cpu_of(tid);
		is.cpu_ns += now > is.cpu_since_ns ? now - is.cpu_since_ns : 0;
	}
	memset(to, 0, sizeof(*to));
	to->region = region;
	to->calls = is.calls;
	to->ns = memphis_clock_duration_ns(is.time);
	to->cpu_ns = is.cpu_ns;
	return true;
}

void memphis_region_times_close(struct memphis_region_times *times)
{
	size_t i;

	for (i = 0; i < MEMPHIS_REGION_PAGES; i++)
		sys_unmap(times->pages[i], PAGE_BYTES);
	memset(times, 0, sizeof(*times));
}
