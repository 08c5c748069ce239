// SPDX-License-Identifier: GPL-2.0-only
/*
 * The path of a sample in the kernel: decode, filter, home node, ring, books. All of it may run in an
 * NMI: no lock is taken, and nothing that user space wrote is trusted.
 */
#include <linux/irq_work.h>
#include <linux/memory_hotplug.h>
#include <linux/mm.h>
#include <linux/perf_event.h>
#include <linux/timekeeping.h>
#include <linux/topology.h>

#include "filter.h"
#include "handler.h"
#include "ibs_decode.h"
#include "pmu.h"
#include "session.h"
#include "thread.h"

/* perf marks an event that it has paused by this count of interrupts in the tick. */
#define THROTTLED (~0ULL)

/* The node that owns the memory; device memory and holes have none. The mask drops the encryption bit. */
static u16 home_node(u64 physical)
{
	struct page *page;

	if (physical == MEMPHIS_IBS_NO_PHYSICAL)
		return MEMPHIS_NODE_UNKNOWN;
	page = pfn_to_online_page(PHYS_PFN(physical & __PHYSICAL_MASK));
	return page ? page_to_nid(page) : MEMPHIS_NODE_UNKNOWN;
}

/* MEMPHIS_REASONS: the sample is complete but for time and region, and wanted. */
static unsigned int judge(const struct memphis_session *session, const struct perf_sample_data *data,
			  struct memphis_sample *sample)
{
	unsigned int reason;
	u64 physical;
	bool has_home;

	reason = memphis_pmu_decode(data, sample, &physical);
	if (reason != MEMPHIS_REASONS)
		return reason;

	has_home = memphis_filter_needs_home(&session->config, sample);
	if (has_home) {
		sample->node = numa_node_id();
		sample->home_node = home_node(physical);
	}
	reason = memphis_filter(&session->config, sample);
	if (reason != MEMPHIS_REASONS)
		return reason;

	/*
	 * Stopped; or the task executes another program now, maybe with other rights, whose
	 * addresses are none of the session's.
	 */
	if (unlikely(!READ_ONCE(session->running) || current->mm != session->mm))
		return MEMPHIS_REASON_STOPPED;

	if (!has_home) {
		sample->node = numa_node_id();
		sample->home_node = home_node(physical);
	}
	sample->cpu = raw_smp_processor_id();
	return MEMPHIS_REASONS;
}

static u32 region_of(const struct memphis_thread *thread)
{
	u32 region = READ_ONCE(thread->ring.control->region);

	return region ? region : READ_ONCE(thread->session->control->region);
}

void memphis_handle(struct memphis_thread *thread, struct perf_event *event,
		    const struct perf_sample_data *data)
{
	struct memphis_session *session = thread->session;
	struct memphis_ring *ring = &thread->ring;
	struct memphis_sample sample;
	struct memphis_books *books;
	unsigned int reason;

	reason = judge(session, data, &sample);

	books = memphis_ring_begin(ring);
	books->interrupts++;
	if (unlikely(event->hw.interrupts == THROTTLED))
		books->throttled++;
	if (reason != MEMPHIS_REASONS) {
		books->filtered[reason]++;
	} else if (memphis_ring_has_room(ring)) {
		sample.time_ns = ktime_get_mono_fast_ns();
		sample.region = region_of(thread);
		memphis_ring_put(ring, &sample);
		books->kept++;
	} else {
		books->lost++;
	}
	memphis_ring_end(ring);

	if (reason == MEMPHIS_REASONS && memphis_ring_wakes(ring))
		irq_work_queue(&session->wake);
}
