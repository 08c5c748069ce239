/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls and times of the regions of one thread. Each change of the thread's region adds the time since the
 * previous change to the region that was open. A cell therefore contains the time of its region without the
 * regions inside it. Written by the thread, read by the drain.
 */
#ifndef MEMPHIS_REGION_TIMES_H
#define MEMPHIS_REGION_TIMES_H

#include <stdbool.h>

#include <memphis/format.h>

#include "base/clock.h"
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
	__u32 sequence;                           /* odd while the thread changes other members or a cell */
	__u32 region;                             /* the open region; 0: none */
	__u64 since;                              /* stamp of the last change */
	struct memphis_region_cell *cell;         /* of the open region; NULL: before the first change */
	__u64 counts_since[MEMPHIS_COUNTERS_MAX]; /* values of the counters at the last change */
	struct memphis_pmc pmc;                   /* open only on request */
	bool pmc_tried;
	__u32 outermost;                  /* region of the outermost caliper; 0: none */
	__u64 cpu_since_ns;               /* CPU time of the thread when `outermost` was set */
	struct memphis_region_cell spare; /* cell of all regions for which there is no memory */
	struct memphis_region_cell *pages[MEMPHIS_REGION_PAGES]; /* cells by id of the region */
	__u64 written_ns;                                        /* used by the drain */
};

/* 1: calls and times are counted. 0: the functions below have no effect. */
extern int memphis_region_times_on;
/* 1: cycles, instructions and memphis_pmc_events are counted, too, in threads whose first caliper is opened from now on. */
extern int memphis_region_counters_on;
/* 0, or -errno of the first thread whose counters could not be opened. */
extern _Atomic int memphis_region_counters_error;

/* Returns the cell of the region, in a new page if it has none yet. Never NULL. */
struct memphis_region_cell *memphis_region_cell_new(struct memphis_region_clock *times, __u32 region);

static inline struct memphis_region_cell *memphis_region_cell(struct memphis_region_clock *times,
							      __u32 region)
{
	struct memphis_region_cell *page = times->pages[region / MEMPHIS_REGION_PAGE];

	return likely(page != NULL) ? &page[region % MEMPHIS_REGION_PAGE]
				    : memphis_region_cell_new(times, region);
}

/*
 * Adds to a sum, between memphis_region_times_lock() and _unlock(): memphis_region_times_read() sees a change completely or not at all.
 * Releasing stores are plain stores on x86.
 */
static inline void memphis_region_add(__u64 *sum, __u64 value)
{
	__atomic_store_n(sum, *sum + value, __ATOMIC_RELEASE);
}

static inline void memphis_region_times_lock(struct memphis_region_clock *times)
{
	__atomic_store_n(&times->sequence, times->sequence + 1, __ATOMIC_RELAXED);
}

static inline void memphis_region_times_unlock(struct memphis_region_clock *times)
{
	__atomic_store_n(&times->sequence, times->sequence + 1, __ATOMIC_RELEASE);
}

/* Charges to the cell what the counters have counted since the last change; `cell` NULL: charges it to no region. */
void memphis_region_times_count(struct memphis_region_clock *times, struct memphis_region_cell *cell);

/* Called by the thread itself when its region becomes `region` (0: none), by `calls` calls of a begin function. */
static inline void memphis_region_times_change(struct memphis_region_clock *times, __u32 region, __u64 calls)
{
	struct memphis_region_cell *cell, *before = times->cell;
	__u64 now;

	if (!memphis_region_times_on)
		return;
	/* The time while no caliper is open is charged to cell 0, which is not written. */
	cell = memphis_region_cell(times, region);
	/* The lock is taken first, because a reader that comes in between would count beyond `now`. */
	memphis_region_times_lock(times);
	now = stamp_now();
	if (likely(before != NULL))
		memphis_region_add(&before->time, now - times->since);
	memphis_region_add(&cell->calls, calls);
	__atomic_store_n(&times->cell, cell, __ATOMIC_RELEASE);
	__atomic_store_n(&times->region, region, __ATOMIC_RELEASE);
	__atomic_store_n(&times->since, now, __ATOMIC_RELEASE);
	if (unlikely(times->pmc.open))
		memphis_region_times_count(times, before);
	memphis_region_times_unlock(times);
}

/* Called by the thread itself: returns the stamp of the last change, or of now if times are not counted. */
static inline __u64 memphis_region_times_last(const struct memphis_region_clock *times)
{
	return likely(memphis_region_times_on) ? times->since : stamp_now();
}

/* Called by the thread itself when the region of its outermost caliper becomes `region` (0: none). Makes a system call. */
void memphis_region_times_outermost(struct memphis_region_clock *times, __u32 region);

/*
 * Called by the drain: copies the numbers of a region, including the time since the last change if the region is open. `tid`: the
 * thread, or 0 if it has ended. Returns false if the thread has never opened the region.
 */
bool memphis_region_times_read(const struct memphis_region_clock *times, __u32 region, pid_t tid,
			       struct memphis_region_time *to);

/* Called by the drain: sets memphis_region_counters_error if other events have shared the thread's counters. */
void memphis_region_times_check(const struct memphis_region_clock *times);

/* Forgets everything, and frees the memory. The thread must have ended or be the caller. */
void memphis_region_times_close(struct memphis_region_clock *times);

#endif
