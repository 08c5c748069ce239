// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sampler with perf events of each attached thread. perf schedules these events with the task. Disabling or
 * releasing an event waits for a running handler: perf does both on the CPU where the task runs, and this
 * code can't run before an NMI handler has returned.
 */
#include <linux/err.h>
#include <linux/math64.h>
#include <linux/perf_event.h>
#include <linux/string.h>

#include "compat.h"
#include "event.h"
#include "handler.h"
#include "pmu.h"
#include "sampler.h"
#include "session.h"
#include "thread.h"

static void memphis_task_overflow(struct perf_event *event, struct perf_sample_data *data,
				  struct pt_regs *regs)
{
	struct memphis_device_thread *thread = event->overflow_handler_context;

	/* Before Linux 5.13, the event survives execve(). Interrupts of the new program are ignored and not counted. */
	if (likely(!current->mm || current->mm == thread->mm))
		memphis_handle(thread, event, data, regs);
}

static int memphis_task_open_session(struct memphis_device_session *session)
{
	return 0;
}

static void memphis_task_close_session(struct memphis_device_session *session)
{
}

static void memphis_task_release_events(struct memphis_device_thread *thread)
{
	unsigned int i;

	for (i = 0; i < MEMPHIS_EVENTS; i++) {
		if (thread->events[i])
			perf_event_release_kernel(thread->events[i]);
		thread->events[i] = NULL;
	}
}

/* Adds the counts of a thread's events, and the mean of their times. */
static void memphis_task_add_totals(const struct memphis_device_thread *thread,
				    struct memphis_pmu_totals *totals)
{
	struct memphis_pmu_totals sum = {};
	unsigned int i, events = 0;

	for (i = 0; i < MEMPHIS_EVENTS; i++) {
		if (!thread->events[i])
			continue;
		memphis_pmu_add_totals(thread->events[i], &sum);
		totals->counts[i] += sum.counts[i];
		events++;
	}
	totals->enabled += div_u64(sum.enabled, max(events, 1U));
	totals->running += div_u64(sum.running, max(events, 1U));
}

static int memphis_task_attach(struct memphis_device_thread *thread)
{
	const struct memphis_device_session *session = thread->session;
	struct perf_event_attr attr;
	struct perf_event *event;
	unsigned int i;

	for (i = 0; i < MEMPHIS_EVENTS; i++) {
		if (!(session->config.events & BIT(i)))
			continue;
		memphis_pmu_attr(&attr, &session->config, i);
		memphis_remove_on_exec(&attr);
		attr.disabled = !session->running;
		event = memphis_event_create(session, &attr, -1, thread->task, memphis_task_overflow, thread);
		if (IS_ERR(event)) {
			memphis_task_release_events(thread);
			return PTR_ERR(event);
		}
		thread->events[i] = event;
	}
	return 0;
}

static void memphis_task_detach(struct memphis_device_thread *thread)
{
	memphis_task_add_totals(thread, &thread->session->totals);
	memphis_task_release_events(thread);
}

static void memphis_task_switch(struct memphis_device_session *session,
				void (*change)(struct perf_event *event))
{
	struct memphis_device_thread *thread;
	unsigned int i;

	list_for_each_entry (thread, &session->threads, link)
		for (i = 0; i < MEMPHIS_EVENTS; i++)
			if (thread->events[i])
				change(thread->events[i]);
}

static int memphis_task_start(struct memphis_device_session *session)
{
	memphis_task_switch(session, perf_event_enable);
	return 0;
}

static void memphis_task_stop(struct memphis_device_session *session)
{
	memphis_task_switch(session, perf_event_disable);
}

/* Sums up all threads that are or were attached. perf stops both clocks while a task is off its CPU. */
static void memphis_task_totals(struct memphis_device_session *session, struct memphis_stats *stats)
{
	struct memphis_pmu_totals sum = session->totals;
	struct memphis_device_thread *thread;

	list_for_each_entry (thread, &session->threads, link)
		memphis_task_add_totals(thread, &sum);
	stats->enabled_ns = sum.enabled;
	stats->starved_ns = sum.enabled - sum.running;
	memcpy(stats->counts, sum.counts, sizeof(sum.counts));
}

static u64 memphis_task_unattached(void)
{
	return 0;
}

const struct memphis_sampler memphis_sampler_task = {
	.kind = MEMPHIS_SAMPLER_TASK,
	.open = memphis_task_open_session,
	.close = memphis_task_close_session,
	.attach = memphis_task_attach,
	.detach = memphis_task_detach,
	.start = memphis_task_start,
	.stop = memphis_task_stop,
	.totals = memphis_task_totals,
	.unattached = memphis_task_unattached,
};
