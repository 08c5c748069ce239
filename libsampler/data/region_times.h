/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls and times of the regions of one thread. Each time the thread changes its region, the time since the
 * previous change is added to the cell of the region that was open. The time in a cell therefore excludes
 * inner regions. The thread writes the cells, and the drain reads them.
 */
#ifndef MEMPHIS_REGION_TIMES_H
#define MEMPHIS_REGION_TIMES_H

#include <stdbool.h>

#include <memphis/format.h>

#include "base/clock.h"
#include "base/local.h"
#include "base/pmc.h"
#include "data/region.h"

#define MEMPHIS_REGION_PAGE  256 /* regions per page of cells */
#define MEMPHIS_REGION_PAGES ((MEMPHIS_REGIONS_MAX + 1) / MEMPHIS_REGION_PAGE)

struct memphis_region_cell {
	__u64 calls;
	__u64 time;   /* in units of stamps (base/clock.h) */
	__u64 cpu_ns; /* CPU time of the thread while this was its outermost region */
	__u64 counts[MEMPHIS_COUNTERS_MAX];
	struct memphis_region_time written; /* used by the drain: the last record */
};

/* The initial state is all zeros: no region was ever open. */
struct memphis_region_clock {
	__u64 since; /* stamp of the last change of the region; 0: none yet; bit 0: the thread changes it now */
	struct memphis_region_cell *cell;         /* of the open region, or of region 0 */
	__u32 sequence;                           /* odd while the thread changes the CPU time */
	__u64 counts_since[MEMPHIS_COUNTERS_MAX]; /* values of the counters at the last change */
	struct memphis_pmc pmc;                   /* counters of the thread; open only on request */
	bool pmc_tried;
	__u32 outermost;                  /* region of the outermost caliper; 0: none */
	__u64 cpu_since_ns;               /* CPU time of the thread when `outermost` was set */
	struct memphis_region_cell spare; /* shared cell of all regions whose own cell could not be
					   * allocated */
	struct memphis_region_cell *pages[MEMPHIS_REGION_PAGES]; /* cells by id of the region */
	__u64 written_ns;                                        /* used by the drain */
};

/* 1: calls and times are counted. 0: the functions below have no effect. */
extern INTERNAL int memphis_region_times_on;
/*
 * 1: cycles, instructions and memphis_pmc_events are counted, too. A change takes effect in threads that open
 * their first caliper afterwards.
 */
extern int memphis_region_counters_on;
/* 0, or the first -errno of a thread whose counters could not be opened or read. */
extern _Atomic int memphis_region_counters_error;

/* Returns the cell of the region after allocating the page that contains the cell. Never returns NULL. */
struct memphis_region_cell *memphis_region_cell_new(struct memphis_region_clock *times, __u32 region);

static inline struct memphis_region_cell *memphis_region_cell(struct memphis_region_clock *times,
							      __u32 region)
{
	struct memphis_region_cell *page = times->pages[region / MEMPHIS_REGION_PAGE];

	return likely(page != NULL) ? &page[region % MEMPHIS_REGION_PAGE]
				    : memphis_region_cell_new(times, region);
}

/* Adds to a number of a cell. A store with release order is a plain store on x86. */
static inline void memphis_region_add(__u64 *sum, __u64 value)
{
	__atomic_store_n(sum, *sum + value, __ATOMIC_RELEASE);
}

/* Called around changes of the CPU time, so that memphis_region_times_read() sees a change completely or not at all. */
static inline void memphis_region_times_lock(struct memphis_region_clock *times)
{
	__atomic_store_n(&times->sequence, times->sequence + 1, __ATOMIC_RELAXED);
}

static inline void memphis_region_times_unlock(struct memphis_region_clock *times)
{
	__atomic_store_n(&times->sequence, times->sequence + 1, __ATOMIC_RELEASE);
}

/* Adds the counts since the last change to the cell. Discards them if `cell` is NULL. */
void memphis_region_times_count(struct memphis_region_clock *times, struct memphis_region_cell *cell);

/*
 * Begins a change of the region. Returns the stamp of the last change, with bit 0. Until
 * memphis_region_times_finish(), no reader takes a copy, and a reader whose copy has begun before drops it. Must be
 * called before the clock is read. Otherwise a reader that comes between the two would count time beyond the stamp.
 */
static inline __u64 memphis_region_times_begin(struct memphis_region_clock *times)
{
	local_set_bit_0(&times->since);
	return __atomic_load_n(&times->since, __ATOMIC_RELAXED) | 1;
}

/*
 * Takes the time from `since` to `now`, which both have bit 0, for memphis_region_times_finish(). A signal handler
 * that comes later takes the time from `now` on. If a handler has come since memphis_region_times_begin(), returns
 * false, and the change must begin again. So no time is charged twice.
 */
static inline bool memphis_region_times_take(struct memphis_region_clock *times, __u64 since, __u64 now)
{
	return likely(local_replace(&times->since, since, now));
}

/* Charges the time to `from`, and ends the change. */
static inline void memphis_region_times_finish(struct memphis_region_clock *times, __u64 since, __u64 now,
					       struct memphis_region_cell *from,
					       struct memphis_region_cell *to, __u64 calls)
{
	/* Charge nothing if there was no change before, or if the counter was reset, as a suspend to RAM does. */
	if (likely(since - 2 < now))
		local_add(&from->time, now - since);
	if (calls)
		local_add(&to->calls, calls);
	__atomic_store_n(&times->cell, to, __ATOMIC_RELEASE);
	local_clear_bit_0(&times->since);
}

/*
 * Called by the thread itself when its region becomes `region` (0: none). `calls`: number of calls of a begin
 * function that caused the change.
 */
static inline void memphis_region_times_change(struct memphis_region_clock *times, __u32 region, __u64 calls)
{
	struct memphis_region_cell *cell, *from;
	__u64 since, now;

	if (!memphis_region_times_on)
		return;
	/* Cell 0 gets the time while no caliper is open. This cell is not written to the file. */
	cell = memphis_region_cell(times, region);
	do {
		since = memphis_region_times_begin(times);
		from = times->cell;
		now = stamp_now() | 1;
	} while (!memphis_region_times_take(times, since, now));
	if (unlikely(times->pmc.open))
		memphis_region_times_count(times, from);
	memphis_region_times_finish(times, since, now, from, cell, calls);
}

/*
 * Does the same if times are counted, no function has to be called, and the stamp is one instruction.
 * Otherwise does nothing and returns false.
 */
static inline bool memphis_region_times_change_quickly(struct memphis_region_clock *times, __u32 region,
						       __u64 calls)
{
	struct memphis_region_cell *page = times->pages[region / MEMPHIS_REGION_PAGE], *from;
	__u64 since, now;

	if (unlikely(!page || times->pmc.open || !memphis_clock_counts))
		return false;
	do {
		since = memphis_region_times_begin(times);
		from = times->cell;
		now = __builtin_ia32_rdtsc() | 1;
	} while (!memphis_region_times_take(times, since, now));
	memphis_region_times_finish(times, since, now, from, &page[region % MEMPHIS_REGION_PAGE], calls);
	return true;
}

/* Called by the thread itself. Returns the stamp of the last change, or the current stamp if times are not counted. */
static inline __u64 memphis_region_times_last(const struct memphis_region_clock *times)
{
	return likely(memphis_region_times_on) ? times->since : stamp_now();
}

/* Called by the thread itself when the region of its outermost caliper becomes `region` (0: none). Makes a system call. */
void memphis_region_times_change_outermost(struct memphis_region_clock *times, __u32 region);

/*
 * Called by the drain. Copies the numbers of a region. If the region is open, they include the time since the
 * last change. `tid`: the thread, or 0 if the thread has ended. Returns false if the thread has never opened
 * the region.
 */
bool memphis_region_times_read(const struct memphis_region_clock *times, __u32 region, pid_t tid,
			       struct memphis_region_time *to);

/* Called by the drain. Sets memphis_region_counters_error if other events have shared the thread's hardware counters. */
void memphis_region_times_check(const struct memphis_region_clock *times);

/* Forgets everything, and frees the memory. The thread must have ended or be the caller. */
void memphis_region_times_close(struct memphis_region_clock *times);

#endif
