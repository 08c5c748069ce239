/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The region that samples get. The control page of a thread contains the region of the thread's samples. The
 * control page of the session contains the region for samples of threads without a caliper. The module reads
 * the page when it takes a sample. For perf, each change is also recorded in a log, in which the drain looks
 * up the region (data/region_log.h). This module also counts calipers whose samples get a region that differs
 * from the program's request.
 */
#ifndef MEMPHIS_STAMP_H
#define MEMPHIS_STAMP_H

#include "core/session.h"
#include "core/thread.h"

/* Numbers of regions that found no room, and of calipers nested deeper than MEMPHIS_CALIPERS_MAX. */
extern _Atomic __u64 memphis_regions_left_out, memphis_calipers_too_deep;
/* Number of calipers that the library closed because the program never ended them. */
extern _Atomic __u64 memphis_calipers_left;

static inline __u32 memphis_region_id(const struct memphis_region_node *region)
{
	return region ? region->id : 0;
}

static inline void memphis_stamp_put(struct memphis_control *control, struct memphis_region_log *log,
				     __u32 region)
{
	__atomic_store_n(&control->region, region, __ATOMIC_RELAXED);
	if (unlikely(log != NULL))
		memphis_region_log_add(log, region);
}

/*
 * Stores the region of the calling thread in its control page. Also stores it in the page of the session if
 * this thread is its leader.
 */
static inline void memphis_stamp_pages(struct memphis_thread_record *self, __u32 region)
{
	/*
	 * Store the region in `own_page` first. If the thread is attached or becomes the leader at the same
	 * time, memphis_stamp_copy() reads it from there.
	 */
	__atomic_store_n(&self->own_page.region, region, __ATOMIC_RELAXED);
	__atomic_store_n(&atomic_load_explicit(&self->control, memory_order_relaxed)->region, region,
			 __ATOMIC_RELAXED);
	__atomic_store_n(&atomic_load_explicit(&self->lead, memory_order_relaxed)->region, region,
			 __ATOMIC_RELAXED);
}

/* Adds the region of the calling thread to the logs that memphis_stamp_pages() leaves out. */
void memphis_stamp_logs(struct memphis_thread_record *self, __u32 region);

/* Sets the region of the calling thread. Also sets the region of the session if this thread is its leader. NULL: no region. */
static inline void memphis_stamp(struct memphis_thread_record *self, const struct memphis_region_node *region)
{
	memphis_stamp_pages(self, memphis_region_id(region));
	memphis_stamp_logs(self, memphis_region_id(region));
}

/*
 * Makes the pages of the thread as they should be for the leader of the session (`leads`), or for another
 * thread. The caller holds the lead lock.
 */
void memphis_stamp_lead(struct memphis_thread_record *thread, bool leads);

/*
 * Copies the region of another thread to a control page and, unless `log` is NULL, to a log. The thread may
 * change its region at the same time.
 */
void memphis_stamp_copy(struct memphis_control *to, struct memphis_region_log *log,
			const struct memphis_thread_record *thread);

/*
 * Called by the drain from time to time. Copies the leader's region to the session's page again. A thread that
 * becomes the leader may change its region at the same moment. Neither of the two threads then sees what the other
 * one stores, and the page keeps the previous region. The caller holds the session's lock.
 */
void memphis_stamp_refresh(void);

#endif
