// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sampler with one perf event per attached thread; perf schedules the event with the task. Disabling or releasing an
 * event waits for a running handler: perf does both on the CPU where the task runs, and that code cannot run
 * before an NMI handler has returned.
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

static void memphis_task_overflow(struct perf_event *event, struct perf_sample_data *data,
				  struct pt_regs *regs)
{
	struct memphis_thread *thread = event->overflow_handler_context;

	/* Before 5.13 the event survives execve(). Interrupts of the new program are ignored, and not counted. */
	if (likely(!current->mm || current->mm == thread->mm))
		memphis_handle(thread, event, data, regs);
}

static int memphis_task_init(void)
{
	return 0;
}

static void memphis_task_exit(void)
{
}

static int memphis_task_open_session(struct memphis_session *session)
{
	return 0;
}

static void memphis_task_close_session(struct memphis_session *session)
{
}

/* Creates the event of a thread. Runs in a kernel thread, so current is not the task to be sampled. */
static int memphis_task_create_event(void *argument)
{
	struct memphis_thread *thread = argument;
	const struct memphis_session *session = thread->session;
	struct perf_event_attr attr;
	struct perf_event *event;

	memphis_pmu_attr(&attr, &session->config);
	memphis_remove_on_exec(&attr);
	attr.disabled = !session->running;
	event = perf_event_create_kernel_counter(&attr, -1, thread->task, memphis_task_overflow, thread);
	if (IS_ERR(event))
		return PTR_ERR(event);
	thread->event = event;
	return 0;
}

static int memphis_task_attach(struct memphis_thread *thread)
{
	return memphis_worker_run(memphis_task_create_event, thread);
}

static void memphis_task_detach(struct memphis_thread *thread)
{
	memphis_pmu_add_times(thread->event, &thread->session->times);
	perf_event_release_kernel(thread->event);
	thread->event = NULL;
}

static int memphis_task_start(struct memphis_session *session)
{
	struct memphis_thread *thread;

	list_for_each_entry (thread, &session->threads, link)
		perf_event_enable(thread->event);
	return 0;
}

static void memphis_task_stop(struct memphis_session *session)
{
	struct memphis_thread *thread;

	list_for_each_entry (thread, &session->threads, link)
		perf_event_disable(thread->event);
}

/* Sums up the times of all threads attached now or earlier. perf stops both clocks while a task is off its CPU. */
static void memphis_task_times(struct memphis_session *session, struct memphis_stats *stats)
{
	struct memphis_times sum = session->times;
	struct memphis_thread *thread;

	list_for_each_entry (thread, &session->threads, link)
		memphis_pmu_add_times(thread->event, &sum);
	stats->enabled_ns = sum.enabled;
	stats->starved_ns = sum.enabled - sum.running;
}

static u64 memphis_task_unattached(void)
{
	return 0;
}

const struct memphis_sampler memphis_sampler_task = {
	.kind = MEMPHIS_SAMPLER_TASK,
	.init = memphis_task_init,
	.exit = memphis_task_exit,
	.open = memphis_task_open_session,
	.close = memphis_task_close_session,
	.attach = memphis_task_attach,
	.detach = memphis_task_detach,
	.start = memphis_task_start,
	.stop = memphis_task_stop,
	.times = memphis_task_times,
	.unattached = memphis_task_unattached,
};
