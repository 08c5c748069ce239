/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The region that is stamped on samples: in a thread's control page for its own samples, in the session's for samples of
 * threads without a caliper. Also counts calipers whose samples get another region than the program asked for.
 */
#ifndef MEMPHIS_STAMP_H
#define MEMPHIS_STAMP_H

#include "core/session.h"

/* Regions for which there was no room, and calipers nested deeper than MEMPHIS_CALIPERS_MAX. */
extern _Atomic __u64 memphis_regions_left_out, memphis_calipers_too_deep;
/* Calipers that were closed because their end did not come. */
extern _Atomic __u64 memphis_calipers_left;

static inline __u32 memphis_region_id(const struct memphis_region *region)
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

/* Set the region of the calling thread, and of the session if the thread is its leader. NULL: none. */
static inline void memphis_stamp(struct memphis_thread *self, const struct memphis_region *region)
{
	__u32 id = memphis_region_id(region);

	/* Also in `aside`, from which a concurrent attach copies the region. */
	__atomic_store_n(&self->aside.region, id, __ATOMIC_RELAXED);
	memphis_stamp_put(atomic_load_explicit(&self->control, memory_order_relaxed),
			  atomic_load_explicit(&self->log, memory_order_relaxed), id);
	if (atomic_load_explicit(&memphis_session.leader, memory_order_relaxed) == self &&
	    memphis_session.control)
		memphis_stamp_put(memphis_session.control, memphis_session.log, id);
}

/* Copy another thread's region to a control page (and log, or NULL); the thread may change its region meanwhile. */
void memphis_stamp_copy(struct memphis_control *to, struct memphis_region_log *log,
			const struct memphis_thread *thread);

#endif
