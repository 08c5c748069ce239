/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The functions of libmemphis that the MPI layer calls. They open and close the region of an MPI call, add to
 * its sums, record events, store facts, and return time stamps.
 */
#include <string.h>

#include <memphis/mpi_layer.h>

#include "api/caliper.h"
#include "base/clock.h"
#include "core/session.h"
#include "core/stamp.h"
#include "data/mpi_records.h"
#include "settings/env.h"

PUBLIC __thread bool memphis_mpi_inside;

static bool can_sample(void)
{
	const int state = atomic_load_explicit(&memphis_session.state, memory_order_relaxed);

	return state != MEMPHIS_SESSION_DEAD && state != MEMPHIS_SESSION_CLOSED;
}

/* How the region of a call was opened: not at all, as a caliper, or alone, without a caliper. */
enum { NOT_OPENED, CALIPER, ALONE };

/*
 * Opens the region of a call that is made outside of all calipers. No caliper is opened for it: a caliper
 * would look for new threads and read the CPU clock, which takes microseconds. Only the region of the calling
 * thread is changed, and the times of that region are taken.
 */
static void begin_alone(struct memphis_layer_call *call, const char *name)
{
	struct memphis_thread_record *self = memphis_thread_self();
	const struct memphis_region_node *region = memphis_region_get(NULL, name, strlen(name));

	call->region = memphis_region_id(region);
	if (!self || !region)
		return;
	memphis_stamp(self, region);
	memphis_region_times_change(&self->times, call->region, 1);
	call->opened = ALONE;
}

static void end_alone(struct memphis_thread_record *self)
{
	memphis_region_times_change(&self->times, 0, 0);
	memphis_stamp(self, NULL);
}

/* An MPI call never switches sampling on. If the process is not being sampled, the region only names the sums. */
PUBLIC void memphis_mpi_begin(struct memphis_layer_call *call, const char *name)
{
	struct memphis_thread_record *self = memphis_self;
	const __u32 depth = self ? self->depth : 0;

	call->opened = NOT_OPENED;
	call->region = 0;
	if (likely(depth)) {
		memphis_caliper_push(name);
		call->opened = self->depth == depth + 1 ? CALIPER : NOT_OPENED;
		call->region = memphis_region_id(
			self->open[depth < MEMPHIS_CALIPERS_MAX ? depth : MEMPHIS_CALIPERS_MAX - 1]);
	} else if (atomic_load_explicit(&memphis_hot.sampling, memory_order_relaxed)) {
		begin_alone(call, name);
		self = memphis_self;
	} else if (can_sample()) {
		call->region = memphis_region_id(memphis_region_get(NULL, name, strlen(name)));
	}
	call->begin = likely(call->opened && memphis_region_times_on) ? self->times.since : stamp_now();
}

PUBLIC void memphis_mpi_end(struct memphis_layer_call *call)
{
	struct memphis_thread_record *self = memphis_self;

	if (likely(call->opened == CALIPER && self->depth))
		memphis_caliper_pop();
	else if (call->opened == ALONE && !self->depth)
		end_alone(self);
	else
		call->opened = NOT_OPENED;
	call->end = likely(call->opened && memphis_region_times_on) ? self->times.since : stamp_now();
}

PUBLIC void memphis_mpi_add(const struct memphis_mpi_sum *sum)
{
	struct memphis_thread_record *self = memphis_self;

	if (unlikely(!self)) {
		self = can_sample() ? memphis_thread_self() : NULL;
		if (!self)
			return;
	}
	memphis_mpi_sums_add(&self->mpi, sum);
}

PUBLIC int memphis_mpi_records_events(void)
{
	return memphis_settings.mpi_events && can_sample();
}

PUBLIC void memphis_mpi_record_event(const struct memphis_mpi_event *event)
{
	struct memphis_thread_record *self = memphis_self;

	if (self && memphis_settings.mpi_events)
		memphis_mpi_events_put(&self->mpi_events, event);
}

PUBLIC void memphis_mpi_store_fact(const char *key, __u64 value)
{
	memphis_mpi_facts_set(key, value);
}

PUBLIC __u64 memphis_mpi_stamp(__u64 *ns)
{
	__u64 before = stamp_after(), after;

	if (!ns)
		return before;
	*ns = now_ns();
	after = stamp_after();
	return before + (after - before) / 2;
}
