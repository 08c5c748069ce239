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

/* Returns true if the session's page does not have the region of the leader, which may be changing it. */
static bool is_outdated(const struct memphis_session *s)
{
	const struct memphis_thread_record *leader = atomic_load(&s->lead.leader);

	return leader && __atomic_load_n(&s->control->region, __ATOMIC_RELAXED) !=
				 __atomic_load_n(&leader->own_page.region, __ATOMIC_RELAXED);
}

void memphis_stamp_refresh(void)
{
	struct memphis_session *s = &memphis_session;

	/* Take the lock only if necessary, because a thread may be waiting for it while the drain has no CPU. */
	if (!is_outdated(s) || !memphis_lock_try(&s->lead.lock))
		return;
	if (is_outdated(s))
		memphis_stamp_copy(s->control, s->log, atomic_load(&s->lead.leader));
	memphis_lock_release(&s->lead.lock);
}
