// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counters of attached threads. The events are pinned, so that they count either all the time or not at all.
 * A multiplexed count would only be an estimate. The events belong to the module, so a thread reads them by a
 * request and not by RDPMC: perf allows that instruction only in processes that map an event.
 */
#include <linux/err.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
#include <linux/rcupdate.h>

#include <memphis/device.h>

#include "compat.h"
#include "decode/core_event.h"
#include "event.h"
#include "pmu.h"
#include "session.h"
#include "thread.h"
#include "thread_counters.h"

#define EVENT_BITS GENMASK(MEMPHIS_COUNTERS_MAX - 1, MEMPHIS_COUNTER_EVENT_FIRST)

static const u64 memphis_counter_configs[MEMPHIS_COUNTER_EVENT_FIRST] = {
	[MEMPHIS_COUNTER_CYCLES] = PERF_COUNT_HW_CPU_CYCLES,
	[MEMPHIS_COUNTER_INSTRUCTIONS] = PERF_COUNT_HW_INSTRUCTIONS,
};

static u32 memphis_counters_mask __ro_after_init;

/* `session` has the same meaning as for memphis_event_create(); `config` may be NULL for cycles and instructions. */
static struct perf_event *memphis_counter_create(const struct memphis_device_session *session,
						 const struct memphis_config *config, unsigned int counter,
						 struct task_struct *task)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.pinned = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};

	if (counter < MEMPHIS_COUNTER_EVENT_FIRST) {
		attr.config = memphis_counter_configs[counter];
	} else {
		attr.type = config->counter_events[counter - MEMPHIS_COUNTER_EVENT_FIRST].type;
		attr.config = config->counter_events[counter - MEMPHIS_COUNTER_EVENT_FIRST].config;
	}
	memphis_remove_on_exec(&attr);
	return memphis_event_create(session, &attr, -1, task, NULL, NULL);
}

void __init memphis_counters_find(void)
{
	struct perf_event *event;
	unsigned int i;

	for (i = 0; i < MEMPHIS_COUNTER_EVENT_FIRST; i++) {
		event = memphis_counter_create(NULL, NULL, i, current);
		if (IS_ERR(event))
			continue;
		perf_event_release_kernel(event);
		memphis_counters_mask |= BIT(i);
	}
	/* Whether the CPU counts a further event becomes known only when a session selects it. */
	if (memphis_counters_mask)
		memphis_counters_mask |= EVENT_BITS;
}

u32 memphis_counters_available(void)
{
	return memphis_counters_mask;
}

bool memphis_counters_are_valid(const struct memphis_config *config)
{
	const bool intel = memphis_pmu.hardware == MEMPHIS_HARDWARE_PEBS;
	const struct memphis_counter_event *event;
	unsigned int i;

	if (config->counters & ~memphis_counters_mask)
		return false;
	for (i = 0; i < MEMPHIS_COUNTER_EVENTS_MAX; i++) {
		event = &config->counter_events[i];
		if (event->reserved)
			return false;
		if (config->counters & BIT(MEMPHIS_COUNTER_EVENT_FIRST + i)
			    ? !memphis_core_event_is_allowed(event->type, event->config, intel,
							     boot_cpu_data.x86)
			    : event->type || event->config)
			return false;
	}
	return true;
}

/*
 * Creates the event of the sampler. It must be part of the trial, because the events of the threads use a
 * hardware counter at the same time as the selected events. IBS needs no counter.
 */
static struct perf_event *memphis_create_trial_sampler(const struct memphis_device_session *session,
						       const struct memphis_config *config,
						       unsigned int number)
{
	struct perf_event_attr attr;

	memphis_pmu_attr(&attr, config, number);
	attr.pinned = 1;
	attr.disabled = 0;
	return memphis_event_create(session, &attr, -1, current, NULL, NULL);
}

static struct perf_event *memphis_create_trial_event(const struct memphis_device_session *session,
						     const struct memphis_config *config, u32 sampled,
						     unsigned int i)
{
	if (i >= MEMPHIS_EVENTS)
		return config->counters & BIT(i - MEMPHIS_EVENTS)
			       ? memphis_counter_create(session, config, i - MEMPHIS_EVENTS, current)
			       : NULL;
	return sampled & BIT(i) ? memphis_create_trial_sampler(session, config, i) : NULL;
}

/*
 * All events are created for the caller. perf puts them on the CPU at once, and stops a pinned event for
 * which it finds no counter. The events count in user mode only, and the caller does not return to user mode
 * before they are released.
 */
int memphis_counters_try(const struct memphis_device_session *session, const struct memphis_config *config)
{
	struct perf_event *events[MEMPHIS_EVENTS + MEMPHIS_COUNTERS_MAX] = {};
	u32 sampled = 0;
	unsigned int i;
	int error = 0;

	if (!(config->counters & EVENT_BITS))
		return 0;
	if (memphis_pmu.hardware == MEMPHIS_HARDWARE_PEBS)
		sampled = config->events ?: BIT(MEMPHIS_EVENT_ACCESS);
	for (i = 0; !error && i < ARRAY_SIZE(events); i++) {
		events[i] = memphis_create_trial_event(session, config, sampled, i);
		error = PTR_ERR_OR_ZERO(events[i]);
		if (error)
			events[i] = NULL;
	}
	for (i = 0; !error && i < ARRAY_SIZE(events); i++)
		if (events[i] && READ_ONCE(events[i]->state) != PERF_EVENT_STATE_ACTIVE)
			error = -ENOSPC;
	for (i = 0; i < ARRAY_SIZE(events); i++)
		if (events[i])
			perf_event_release_kernel(events[i]);
	return error;
}

static void memphis_counters_release_locked(struct memphis_device_thread *thread)
{
	unsigned int i;

	for (i = 0; i < MEMPHIS_COUNTERS_MAX; i++) {
		if (thread->counters[i])
			perf_event_release_kernel(thread->counters[i]);
		thread->counters[i] = NULL;
	}
}

void memphis_counters_create(struct memphis_device_thread *thread)
{
	struct perf_event *event;
	unsigned int i;
	int error = 0;

	if (!thread->session->config.counters)
		return;
	mutex_lock(&thread->counters_lock);
	for (i = 0; !error && i < MEMPHIS_COUNTERS_MAX; i++) {
		if (!(thread->session->config.counters & BIT(i)))
			continue;
		event = memphis_counter_create(thread->session, &thread->session->config, i, thread->task);
		if (IS_ERR(event))
			error = PTR_ERR(event);
		else
			thread->counters[i] = event;
	}
	if (error)
		memphis_counters_release_locked(thread);
	mutex_unlock(&thread->counters_lock);
}

void memphis_counters_release(struct memphis_device_thread *thread)
{
	mutex_lock(&thread->counters_lock);
	memphis_counters_release_locked(thread);
	mutex_unlock(&thread->counters_lock);
}

/* Returns the caller's thread with a reference taken, or NULL if this session has not attached the caller. */
static struct memphis_device_thread *memphis_get_own_thread(const struct memphis_device_session *session)
{
	struct memphis_device_thread *thread;

	rcu_read_lock();
	thread = memphis_thread_find(current);
	if (thread && (thread->session != session || !kref_get_unless_zero(&thread->ref)))
		thread = NULL;
	rcu_read_unlock();
	return thread;
}

int memphis_counters_read(struct memphis_device_session *session, struct memphis_reading *reading)
{
	struct memphis_device_thread *thread = memphis_get_own_thread(session);
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
		/* perf stops a pinned event permanently if it finds no counter for it. */
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
