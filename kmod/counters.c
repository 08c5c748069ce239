// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counters of attached threads. The events are pinned: they count all the time, or not at all, since a multiplexed count
 * would be an estimate. They belong to the module, so that a thread reads them by a request, not by RDPMC:
 * perf allows that instruction only to processes that map an event.
 */
#include <linux/err.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
#include <linux/rcupdate.h>

#include <memphis/device.h>

#include "compat.h"
#include "counters.h"
#include "session.h"
#include "thread.h"
#include "worker.h"

static const u64 memphis_counter_configs[MEMPHIS_COUNTERS_MAX] = {
	[MEMPHIS_COUNTER_CYCLES] = PERF_COUNT_HW_CPU_CYCLES,
	[MEMPHIS_COUNTER_INSTRUCTIONS] = PERF_COUNT_HW_INSTRUCTIONS,
};

static u32 memphis_counters_mask __ro_after_init;

static struct perf_event *memphis_counter_create(unsigned int counter, struct task_struct *task)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = memphis_counter_configs[counter],
		.pinned = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};

	memphis_remove_on_exec(&attr);
	return perf_event_create_kernel_counter(&attr, -1, task, NULL, NULL);
}

void __init memphis_counters_find(void)
{
	struct perf_event *event;
	unsigned int i;

	for (i = 0; i < MEMPHIS_COUNTERS_MAX; i++) {
		event = memphis_counter_create(i, current);
		if (IS_ERR(event))
			continue;
		perf_event_release_kernel(event);
		memphis_counters_mask |= BIT(i);
	}
}

u32 memphis_counters_available(void)
{
	return memphis_counters_mask;
}

static void memphis_counters_release_locked(struct memphis_thread *thread)
{
	unsigned int i;

	for (i = 0; i < MEMPHIS_COUNTERS_MAX; i++) {
		if (thread->counters[i])
			perf_event_release_kernel(thread->counters[i]);
		thread->counters[i] = NULL;
	}
}

/* Runs in a kernel thread, so current is not the task to be counted. */
static int memphis_counters_create_all(void *argument)
{
	struct memphis_thread *thread = argument;
	struct perf_event *event;
	unsigned int i;
	int error = 0;

	mutex_lock(&thread->counters_lock);
	for (i = 0; !error && i < MEMPHIS_COUNTERS_MAX; i++) {
		if (!(thread->session->config.counters & BIT(i)))
			continue;
		event = memphis_counter_create(i, thread->task);
		if (IS_ERR(event))
			error = PTR_ERR(event);
		else
			thread->counters[i] = event;
	}
	if (error)
		memphis_counters_release_locked(thread);
	mutex_unlock(&thread->counters_lock);
	return error;
}

void memphis_counters_create(struct memphis_thread *thread)
{
	if (thread->session->config.counters)
		memphis_worker_run(memphis_counters_create_all, thread);
}

void memphis_counters_release(struct memphis_thread *thread)
{
	mutex_lock(&thread->counters_lock);
	memphis_counters_release_locked(thread);
	mutex_unlock(&thread->counters_lock);
}

/* Returns the caller's thread with a reference taken, or NULL if this session has not attached it. */
static struct memphis_thread *memphis_get_own_thread(const struct memphis_session *session)
{
	struct memphis_thread *thread;

	rcu_read_lock();
	thread = memphis_thread_find(current);
	if (thread && (thread->session != session || !kref_get_unless_zero(&thread->ref)))
		thread = NULL;
	rcu_read_unlock();
	return thread;
}

int memphis_counters_read(struct memphis_session *session, struct memphis_reading *reading)
{
	struct memphis_thread *thread = memphis_get_own_thread(session);
	int error = -ENODATA;
	u64 enabled, running;
	unsigned int i;

	if (!thread)
		return -ESRCH;
	mutex_lock(&thread->counters_lock);
	for (i = 0; i < MEMPHIS_COUNTERS_MAX; i++) {
		if (!thread->counters[i])
			continue;
		error = 0;
		/* perf stops a pinned event for good once it finds no counter for it. */
		if (READ_ONCE(thread->counters[i]->state) != PERF_EVENT_STATE_ACTIVE) {
			error = -EBUSY;
			break;
		}
		reading->values[i] = perf_event_read_value(thread->counters[i], &enabled, &running);
	}
	mutex_unlock(&thread->counters_lock);
	memphis_thread_put(thread);
	return error;
}
