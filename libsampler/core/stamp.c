/* SPDX-License-Identifier: BSD-3-Clause */
/* The region that samples get. */
#include "core/stamp.h"

_Atomic __u64 memphis_regions_left_out, memphis_calipers_too_deep;
_Atomic __u64 memphis_calipers_left;

void memphis_stamp_logs(struct memphis_thread_record *self, __u32 region)
{
	struct memphis_region_log *log = atomic_load_explicit(&self->log, memory_order_relaxed);

	if (log)
		memphis_region_log_add(log, region);
	if (memphis_session.log &&
	    atomic_load_explicit(&memphis_session.lead.leader, memory_order_relaxed) == self)
		memphis_region_log_add(memphis_session.log, region);
}

void memphis_stamp_lead(struct memphis_thread_record *thread, bool leads)
{
	atomic_store(&thread->lead,
		     leads && memphis_session.control ? memphis_session.control : &thread->own_page);
}

void memphis_stamp_copy(struct memphis_control *to, struct memphis_region_log *log,
			const struct memphis_thread_record *thread)
{
	__u32 region;

	do {
		region = __atomic_load_n(&thread->own_page.region, __ATOMIC_SEQ_CST);
		__atomic_store_n(&to->region, region, __ATOMIC_SEQ_CST);
		if (log)
			memphis_region_log_add(log, region);
	} while (__atomic_load_n(&thread->own_page.region, __ATOMIC_SEQ_CST) != region);
}
