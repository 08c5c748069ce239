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

/* Sets the region of the calling thread. Also sets the region of the session if this thread is its leader. NULL: no region. */
static inline void memphis_stamp(struct memphis_thread_record *self, const struct memphis_region_node *region)
{
	__u32 id = memphis_region_id(region);

	/*
	 * Also store the region in `own_page`. If the thread is attached at the same time,
	 * memphis_stamp_copy() reads it from there.
	 */
	__atomic_store_n(&self->own_page.region, id, __ATOMIC_RELAXED);
	memphis_stamp_put(atomic_load_explicit(&self->control, memory_order_relaxed),
			  atomic_load_explicit(&self->log, memory_order_relaxed), id);
	if (atomic_load_explicit(&memphis_session.lead.leader, memory_order_relaxed) == self &&
	    memphis_session.control)
		memphis_stamp_put(memphis_session.control, memphis_session.log, id);
}

/*
 * Copies the region of another thread to a control page and, unless `log` is NULL, to a log. The thread may
 * change its region at the same time.
 */
void memphis_stamp_copy(struct memphis_control *to, struct memphis_region_log *log,
			const struct memphis_thread_record *thread);

#endif
