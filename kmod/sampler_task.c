// SPDX-License-Identifier: GPL-2.0-only
/*
 * One perf event per attached thread. perf switches it with the task; disabling and releasing it are
 * synchronous: perf does both on the CPU where the task runs, and NMIs can't be nested into that.
 */
#include <linux/err.h>
#include <linux/perf_event.h>

#include "compat.h"
#include "handler.h"
#include "pmu.h"
#include "sampler.h"
#include "session.h"
#include "thread.h"
#include "worker.h"

static void overflow(struct perf_event *event, struct perf_sample_data *data, struct pt_regs *regs)
{
	memphis_handle(event->overflow_handler_context, event, data, regs);
}

static int nothing(void)
{
	return 0;
}

static void nothing_to_undo(void)
{
}

static int open_session(struct memphis_session *session)
{
	return 0;
}

static void close_session(struct memphis_session *session)
{
}

/* By a thread of the kernel; current is not the thread's task. */
static int create_event(void *argument)
{
	struct memphis_thread *thread = argument;
	const struct memphis_session *session = thread->session;
	struct perf_event_attr attr;
	struct perf_event *event;

	memphis_pmu_attr(&attr, &session->config);
	memphis_remove_on_exec(&attr);
	attr.disabled = !session->running;
	event = perf_event_create_kernel_counter(&attr, -1, thread->task, overflow, thread);
	if (IS_ERR(event))
		return PTR_ERR(event);
	thread->event = event;
	return 0;
}

static int attach(struct memphis_thread *thread)
{
	return memphis_worker_run(create_event, thread);
}

static void detach(struct memphis_thread *thread)
{
	memphis_pmu_add_times(thread->event, &thread->session->times);
	perf_event_release_kernel(thread->event);
	thread->event = NULL;
}

static int start(struct memphis_session *session)
{
	struct memphis_thread *thread;

	list_for_each_entry (thread, &session->threads, link)
		perf_event_enable(thread->event);
	return 0;
}

static void stop(struct memphis_session *session)
{
	struct memphis_thread *thread;

	list_for_each_entry (thread, &session->threads, link)
		perf_event_disable(thread->event);
}

/* Those of the threads attached, and of those that were. perf lets them rest while the thread is off its CPU. */
static void times(struct memphis_session *session, struct memphis_stats *stats)
{
	struct memphis_times sum = session->times;
	struct memphis_thread *thread;

	list_for_each_entry (thread, &session->threads, link)
		memphis_pmu_add_times(thread->event, &sum);
	stats->enabled_ns = sum.enabled;
	stats->starved_ns = sum.enabled - sum.running;
}

static u64 unattached(void)
{
	return 0;
}

const struct memphis_sampler memphis_sampler_task = {
	.kind = MEMPHIS_SAMPLER_TASK,
	.init = nothing,
	.exit = nothing_to_undo,
	.open = open_session,
	.close = close_session,
	.attach = attach,
	.detach = detach,
	.start = start,
	.stop = stop,
	.times = times,
	.unattached = unattached,
};
