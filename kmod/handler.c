// SPDX-License-Identifier: GPL-2.0-only
/*
 * Processing of one sampling interrupt in the kernel: decodes the record, applies the filter, finds the home
 * node, writes the ring, and updates the accounting. All code here may run in an NMI, so it takes no locks.
 * It does not trust any value that user space can write.
 */
#include <linux/irq_work.h>
#include <linux/perf_event.h>
#include <linux/timekeeping.h>
#include <linux/topology.h>

#include "compat.h"
#include "decode/filter.h"
#include "handler.h"
#include "home.h"
#include "decode/ibs_decode.h"
#include "decode/ibs_filter.h"
#include "decode/pebs_decode.h"
#include "pmu.h"
#include "session.h"
#include "stack.h"
#include "thread.h"

/*
 * Value that perf stores in hw.interrupts when it throttles an event. Otherwise, hw.interrupts is the number
 * of interrupts in this tick.
 */
#define THROTTLED (~0ULL)

static unsigned int memphis_decode_pebs(const struct perf_event *event, const struct perf_sample_data *data,
					const struct pt_regs *regs, struct memphis_sample *sample)
{
	const struct memphis_pebs_record record = {
		.pc = regs->ip,
		.exact = regs->flags & PERF_EFLAGS_EXACT,
		.address = memphis_has(data, PERF_SAMPLE_ADDR) ? data->addr : 0,
		.data_src = memphis_has(data, PERF_SAMPLE_DATA_SRC) ? data->data_src.val : 0,
		.weight = memphis_has(data, PERF_SAMPLE_WEIGHT_TYPE) ? memphis_weight(data) : 0,
		.event = memphis_pmu_event(event),
	};

	return memphis_pebs_decode(&record, TASK_SIZE_MAX, sample);
}

/*
 * Sets the node of the CPU and the home node of the page. Uses the physical address if the record contains
 * one, otherwise the virtual address. PEBS reports no physical address. Some kernels withhold it in IBS
 * records if perf_event_paranoid restricts the user.
 */
static noinline void memphis_set_nodes(struct memphis_sample *sample, u64 physical)
{
	sample->node = numa_node_id();
	sample->home_node = physical != MEMPHIS_IBS_NO_PHYSICAL ? memphis_home_of_physical(physical)
								: memphis_home_of_address(sample->address);
}

/*
 * Applies the session's filter to a sample that the decoder has accepted. If the sample is kept, sets its
 * nodes and returns MEMPHIS_REASON_NONE. Otherwise returns the reason for dropping it.
 */
static __always_inline unsigned int memphis_apply_filter(const struct memphis_device_thread *thread,
							 struct memphis_sample *sample, u64 physical)
{
	const struct memphis_device_session *session = thread->session;
	bool has_home = memphis_filter_needs_home(&session->config, sample);
	unsigned int reason;

	if (has_home)
		memphis_set_nodes(sample, physical);
	reason = memphis_filter(&session->config, sample);
	if (reason != MEMPHIS_REASON_NONE)
		return reason;

	/*
	 * The session was stopped, or the task has executed another program. That program may have other
	 * credentials, so the session must not see its addresses.
	 */
	if (unlikely(!READ_ONCE(session->running) || current->mm != thread->mm))
		return MEMPHIS_REASON_STOPPED;
	/*
	 * IBS also samples ops of guests. The reported addresses belong to the guest and have no meaning in
	 * this process. perf asks KVM whether a guest was interrupted, but modules can't call the function
	 * for this. KVM sets PF_VCPU before it enters a guest, and clears it after the interrupt that ended
	 * the guest's execution (guest_timing_enter_irqoff() and guest_timing_exit_irqoff() in
	 * include/linux/kvm_host.h). PEBS events exclude guests.
	 */
	if (unlikely(current->flags & PF_VCPU))
		return MEMPHIS_REASON_GUEST;

	if (!has_home)
		memphis_set_nodes(sample, physical);
	return MEMPHIS_REASON_NONE;
}

static u32 memphis_region_of(const struct memphis_device_thread *thread)
{
	u32 region = READ_ONCE(thread->ring.control->region);

	return region ? region : READ_ONCE(thread->session->control->region);
}

/*
 * Opens the write section of the thread's accounting, and counts the interrupt. memphis_stats_end() closes
 * the section. In between, the caller must increment exactly one of kept, lost and filtered[].
 */
static __always_inline struct memphis_accounting *memphis_stats_begin(struct memphis_device_thread *thread,
								      const struct perf_event *event)
{
	struct memphis_accounting *accounting = memphis_ring_stats_begin(&thread->ring);

	accounting->interrupts++;
	if (unlikely(event->hw.interrupts == THROTTLED))
		accounting->throttled++;
	return accounting;
}

static __always_inline void memphis_stats_end(struct memphis_device_thread *thread)
{
	memphis_ring_stats_end(&thread->ring);
}

static __always_inline void memphis_drop(struct memphis_device_thread *thread, const struct perf_event *event,
					 unsigned int reason)
{
	memphis_stats_begin(thread, event)->filtered[reason]++;
	memphis_stats_end(thread);
}

/* Puts the sample into the ring, or counts it as lost if the ring is full. */
static __always_inline void memphis_put_or_lose(struct memphis_device_thread *thread,
						const struct perf_event *event, struct memphis_sample *sample,
						const struct pt_regs *regs)
{
	struct memphis_device_session *session = thread->session;
	struct memphis_ring *ring = &thread->ring;
	struct memphis_accounting *accounting = memphis_stats_begin(thread, event);

	if (memphis_ring_has_room(ring)) {
		sample->cpu = raw_smp_processor_id();
		sample->time_ns = ktime_get_mono_fast_ns() + session->time_offset_ns;
		sample->region = memphis_region_of(thread);
		if (session->config.stack_bytes)
			memphis_stack_take(thread, sample, regs);
		memphis_ring_put(ring, sample);
		accounting->kept++;
	} else {
		accounting->lost++;
	}
	memphis_stats_end(thread);

	if (memphis_ring_should_wake(ring))
		irq_work_queue(&session->wake);
}

static noinline void memphis_finish_ibs(struct memphis_device_thread *thread, const struct perf_event *event,
					const struct memphis_ibs_record *raw, const struct pt_regs *regs)
{
	struct memphis_sample sample;
	unsigned int reason;
	u64 physical;

	memphis_ibs_decode(&memphis_ibs_machine, raw, &sample, &physical);
	reason = memphis_apply_filter(thread, &sample, physical);
	if (reason == MEMPHIS_REASON_NONE)
		memphis_put_or_lose(thread, event, &sample, regs);
	else
		memphis_drop(thread, event, reason);
}

static noinline void memphis_handle_pebs(struct memphis_device_thread *thread, const struct perf_event *event,
					 const struct perf_sample_data *data, const struct pt_regs *regs)
{
	struct memphis_sample sample;
	unsigned int reason;

	reason = memphis_decode_pebs(event, data, regs, &sample);
	if (reason == MEMPHIS_REASON_NONE)
		reason = memphis_apply_filter(thread, &sample, MEMPHIS_IBS_NO_PHYSICAL);
	if (reason == MEMPHIS_REASON_NONE)
		memphis_put_or_lose(thread, event, &sample, regs);
	else
		memphis_drop(thread, event, reason);
}

/*
 * Has a fast path: if the session has a filter, most samples are dropped before they are decoded. This path
 * needs hardly more registers than a single function call, because the other paths are separate functions.
 */
void memphis_handle(struct memphis_device_thread *thread, struct perf_event *event,
		    const struct perf_sample_data *data, const struct pt_regs *regs)
{
	const struct perf_raw_record *raw;
	unsigned int reason;

	memphis_stack_interrupt();
	if (unlikely(memphis_pmu.hardware != MEMPHIS_HARDWARE_IBS)) {
		memphis_handle_pebs(thread, event, data, regs);
		return;
	}
	raw = memphis_raw(data);
	if (unlikely(!raw)) {
		memphis_drop(thread, event, MEMPHIS_REASON_INVALID);
		return;
	}
	reason = memphis_ibs_reason(&memphis_ibs_machine, raw->frag.data, raw->frag.size);
	if (reason == MEMPHIS_REASON_NONE)
		reason = memphis_ibs_filter(&thread->session->ibs_filter, raw->frag.data);
	if (reason == MEMPHIS_REASON_NONE)
		memphis_finish_ibs(thread, event, raw->frag.data, regs);
	else
		memphis_drop(thread, event, reason);
}
