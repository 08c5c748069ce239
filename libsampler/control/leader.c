/* SPDX-License-Identifier: BSD-3-Clause */
/* The leader among the threads with open calipers, and the actions at the end of a thread's outermost caliper. */
#include "control/leader.h"
#include "control/session.h"
#include "core/stamp.h"
#include "counters/reader.h"

#define LOCK_TRIES 10000

/* Makes the thread the leader if there is none. The lead lock keeps the leader and the count of open calipers consistent. */
void memphis_leader_enter(struct memphis_thread_record *self)
{
	struct memphis_session *s = &memphis_session;

	if (!atomic_load(&s->lead.leader))
		atomic_store(&s->lead.leader, self);
	memphis_stamp_lead(self, atomic_load(&s->lead.leader) == self);
}

/*
 * Makes another thread with an open caliper the leader. If this was the `last` caliper, the session keeps its
 * region until sampling is off.
 */
void memphis_leader_leave(struct memphis_thread_record *self, int last)
{
	struct memphis_session *s = &memphis_session;
	struct memphis_thread_record *next;

	if (atomic_load(&s->lead.leader) != self)
		return;
	for (next = last ? NULL : memphis_thread_first(); next; next = next->next)
		/*
		 * A thread that is about to close its outermost caliper will still run this function. A
		 * thread that has already run it has depth 0.
		 */
		if (next != self && !next->done && __atomic_load_n(&next->depth, __ATOMIC_RELAXED))
			break;
	atomic_store(&s->lead.leader, next);
	memphis_stamp_lead(self, false);
	if (next)
		memphis_stamp_lead(next, true);
	memphis_counter_mark(s, next);
	if (next && s->control)
		memphis_stamp_copy(s->control, s->log, next);
	else if (!last && s->control)
		memphis_stamp_put(s->control, s->log, 0);
}

static __attribute__((noinline)) void end_times(struct memphis_thread_record *self)
{
	memphis_region_times_change(&self->times, 0, 0);
	memphis_thread_change_spans(self, 1);
	memphis_region_times_change_outermost(&self->times, 0);
}

/* Counts the end of the thread's outermost caliper. Returns true if this was the last open caliper of the process. */
static __attribute__((noinline)) int close_outermost(struct memphis_thread_record *self)
{
	struct memphis_session *s = &memphis_session;
	int last;

	memphis_lock_take(&s->lead.lock);
	last = atomic_fetch_sub(&s->lead.open, 1) == 1;
	memphis_leader_leave(self, last);
	memphis_lock_release(&s->lead.lock);
	return last;
}

__attribute__((noinline)) void memphis_leader_end_last(struct memphis_thread_record *self)
{
	const int saved = errno;

	/*
	 * End the times first: the time of the region ends where the program ends it. Samples still get the
	 * region until sampling is off.
	 */
	end_times(self);
	memphis_frames_end(self->frames, &self->stacks, __builtin_frame_address(0));
	/* Switch sampling off as a part of the caliper: until then, samples get its region. */
	if (close_outermost(self))
		memphis_session_stop(0);
	memphis_stamp(self, NULL);
	errno = saved;
}

void memphis_leader_abandon(struct memphis_thread_record *self)
{
	if (!self->depth)
		return;
	self->depth = 0;
	memphis_leader_end_last(self);
}

void memphis_leader_mark(struct memphis_thread_record *self)
{
	struct memphis_session *s = &memphis_session;

	memphis_region_times_change_outermost(&self->times, memphis_region_id(self->open[0]));
	memphis_thread_change_spans(self, 1);
	memphis_lock_take(&s->lead.lock);
	if (atomic_load(&s->lead.leader) == self)
		memphis_counter_mark(s, self);
	memphis_lock_release(&s->lead.lock);
}

/*
 * Records the mark if the thread is the leader. Tries to take the lock a limited number of times. Another
 * thread holds it for nanoseconds only. But if this is a signal handler, the interrupted thread may hold it,
 * and can't release it.
 */
__attribute__((noinline)) void memphis_leader_mark_inner(struct memphis_thread_record *self)
{
	struct memphis_session *s = &memphis_session;
	unsigned int tries = 0;

	if (atomic_load(&s->lead.leader) != self)
		return;
	while (!memphis_lock_try(&s->lead.lock)) {
		if (++tries > LOCK_TRIES) {
			memphis_counters_note_lost();
			return;
		}
		__builtin_ia32_pause();
	}
	if (atomic_load(&s->lead.leader) == self)
		memphis_counter_mark(s, self);
	memphis_lock_release(&s->lead.lock);
}
