// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sampler with one perf event per CPU. It is used if the kernel does not allow IBS events to follow a task,
 * and for hardware filters. All sessions share the events, and therefore the period. Each interrupt is
 * attributed to the thread that it interrupted.
 *
 * With a hardware filter, perf must not stop an event and start it again. The rest of the period would become
 * the period of the next start, and the hardware would continue with this shorter period until an op passes
 * the filter (docs/hardware.md). Such events are therefore not disabled before the last session is closed.
 * They are also pinned, so that perf does not alternate between them and events of other users.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/init.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/smp.h>

#include "event.h"
#include "handler.h"
#include "pmu.h"
#include "sampler.h"
#include "session.h"
#include "thread.h"

/* Guards the variables down to memphis_cpu_past_totals. session.h documents the lock order. */
static DEFINE_MUTEX(memphis_cpu_lock);
static unsigned int memphis_cpu_open_sessions;
static unsigned int memphis_cpu_running_sessions;
static struct memphis_config memphis_cpu_config; /* all open sessions have the hardware settings of this
						  * configuration */
static DEFINE_PER_CPU(struct perf_event *, memphis_cpu_event);
static struct memphis_pmu_totals memphis_cpu_past_totals; /* sum of the destroyed events */

static DEFINE_PER_CPU(u64, memphis_cpu_unattached_count); /* written only by the handler on this CPU */

static enum cpuhp_state memphis_cpu_hotplug_state;

/*
 * Returns true if interrupts of the thread belong to its session. A task that has executed another program,
 * perhaps with other credentials, is no longer sampled, and its interrupts are not counted for the thread. A
 * task without an mm is exiting and runs only in the kernel. Its interrupts are counted.
 */
static bool memphis_cpu_is_sampled(const struct memphis_device_thread *thread)
{
	return READ_ONCE(thread->session->running) && (!current->mm || current->mm == thread->mm);
}

static void memphis_cpu_overflow(struct perf_event *event, struct perf_sample_data *data,
				 struct pt_regs *regs)
{
	struct memphis_device_thread *thread;

	rcu_read_lock();
	thread = memphis_thread_find(current);
	if (thread && memphis_cpu_is_sampled(thread))
		memphis_handle(thread, event, data, regs);
	else
		this_cpu_inc(memphis_cpu_unattached_count);
	rcu_read_unlock();
}

static void memphis_cpu_destroy_event(unsigned int cpu)
{
	struct perf_event *event = per_cpu(memphis_cpu_event, cpu);

	per_cpu(memphis_cpu_event, cpu) = NULL;
	if (!event)
		return;
	memphis_pmu_add_totals(event, &memphis_cpu_past_totals);
	perf_event_release_kernel(event);
}

/* `session` has the same meaning as for memphis_event_create(). */
static int memphis_cpu_create_event(const struct memphis_device_session *session, unsigned int cpu,
				    bool enabled)
{
	struct perf_event_attr attr;
	struct perf_event *event;

	memphis_pmu_attr(&attr, &memphis_cpu_config, MEMPHIS_EVENT_ACCESS);
	attr.disabled = !enabled;
	attr.pinned = memphis_cpu_config.hardware_filter != MEMPHIS_HARDWARE_FILTER_NONE;
	event = memphis_event_create(session, &attr, cpu, NULL, memphis_cpu_overflow, NULL);
	if (IS_ERR(event))
		return PTR_ERR(event);
	per_cpu(memphis_cpu_event, cpu) = event;
	return 0;
}

static void memphis_cpu_destroy_events(void)
{
	unsigned int cpu;

	for_each_possible_cpu (cpu)
		memphis_cpu_destroy_event(cpu);
}

/*
 * Creates the events of all online CPUs. Ignores -ENODEV, which means that the CPU is going offline. The
 * hotplug callbacks handle CPUs that go offline or come online.
 */
static int memphis_cpu_create_events(const struct memphis_device_session *session)
{
	unsigned int cpu;
	int error;

	for_each_online_cpu (cpu) {
		error = memphis_cpu_create_event(session, cpu, false);
		if (error && error != -ENODEV) {
			memphis_cpu_destroy_events();
			return error;
		}
	}
	return 0;
}

static void memphis_cpu_disable_events(void)
{
	unsigned int cpu;

	for_each_possible_cpu (cpu)
		if (per_cpu(memphis_cpu_event, cpu))
			perf_event_disable(per_cpu(memphis_cpu_event, cpu));
}

/*
 * Enables the events of all online CPUs. perf enables an event even if another event uses the hardware, but
 * then the event is not active. If the other event is pinned, it never becomes active. Otherwise it becomes
 * active only when perf rotates the two events. In both cases, the function disables all events and returns
 * -EBUSY.
 *
 * The caller holds cpus_read_lock(). Otherwise the event of a CPU that goes offline or comes online could
 * also be inactive, until the hotplug callbacks have replaced it.
 */
static int memphis_cpu_enable_events(void)
{
	unsigned int cpu;

	for_each_online_cpu (cpu) {
		struct perf_event *event = per_cpu(memphis_cpu_event, cpu);

		if (!event)
			continue;
		perf_event_enable(event);
		if (READ_ONCE(event->state) == PERF_EVENT_STATE_ACTIVE)
			continue;
		memphis_cpu_disable_events();
		return -EBUSY;
	}
	return 0;
}

static int memphis_cpu_online_callback(unsigned int cpu)
{
	int error;

	mutex_lock(&memphis_cpu_lock);
	if (memphis_cpu_open_sessions) {
		memphis_cpu_destroy_event(cpu); /* perf may have orphaned an earlier event of this CPU */
		error = memphis_cpu_create_event(NULL, cpu, memphis_cpu_running_sessions > 0);
		if (error) /* report the error, but let the CPU come online */
			pr_warn("CPU %u is not sampled: error %d\n", cpu, error);
	}
	mutex_unlock(&memphis_cpu_lock);
	return 0;
}

static int memphis_cpu_offline_callback(unsigned int cpu)
{
	mutex_lock(&memphis_cpu_lock);
	memphis_cpu_destroy_event(cpu);
	mutex_unlock(&memphis_cpu_lock);
	return 0;
}

int __init memphis_cpu_init(void)
{
	int state = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "memphis:online",
					      memphis_cpu_online_callback, memphis_cpu_offline_callback);

	if (state < 0)
		return state;
	memphis_cpu_hotplug_state = state;
	return 0;
}

void memphis_cpu_exit(void)
{
	cpuhp_remove_state_nocalls(memphis_cpu_hotplug_state);
}

static int memphis_cpu_open_session(struct memphis_device_session *session)
{
	const struct memphis_config *config = &session->config;
	int error = 0;

	mutex_lock(&memphis_cpu_lock);
	if (memphis_cpu_open_sessions) {
		if (!memphis_pmu_agree(config, &memphis_cpu_config))
			error = -EBUSY;
	} else {
		memphis_cpu_config = *config;
		error = memphis_cpu_create_events(session);
	}
	if (!error)
		memphis_cpu_open_sessions++;
	mutex_unlock(&memphis_cpu_lock);
	return error;
}

static void memphis_cpu_close_session(struct memphis_device_session *session)
{
	mutex_lock(&memphis_cpu_lock);
	if (!--memphis_cpu_open_sessions)
		memphis_cpu_destroy_events();
	mutex_unlock(&memphis_cpu_lock);
}

/* Returns the times of all events since the module was loaded, including destroyed events. */
static struct memphis_pmu_totals memphis_cpu_sum_totals(void)
{
	struct memphis_pmu_totals sum = memphis_cpu_past_totals;
	unsigned int cpu;

	for_each_possible_cpu (cpu)
		if (per_cpu(memphis_cpu_event, cpu))
			memphis_pmu_add_totals(per_cpu(memphis_cpu_event, cpu), &sum);
	return sum;
}

/*
 * A session accumulates the times between each start and stop. The total over all events is subtracted from
 * session->totals at the start and added at the stop.
 */
static void memphis_cpu_begin_times(struct memphis_device_session *session)
{
	struct memphis_pmu_totals now = memphis_cpu_sum_totals();

	session->totals.enabled -= now.enabled;
	session->totals.running -= now.running;
}

static void memphis_cpu_end_times(struct memphis_device_session *session)
{
	struct memphis_pmu_totals now = memphis_cpu_sum_totals();

	session->totals.enabled += now.enabled;
	session->totals.running += now.running;
}

static int memphis_cpu_start(struct memphis_device_session *session)
{
	int error = 0;

	cpus_read_lock(); /* before memphis_cpu_lock, which the hotplug callbacks take */
	mutex_lock(&memphis_cpu_lock);
	if (!memphis_cpu_running_sessions)
		error = memphis_cpu_enable_events();
	if (!error) {
		memphis_cpu_begin_times(session);
		memphis_cpu_running_sessions++;
	}
	mutex_unlock(&memphis_cpu_lock);
	cpus_read_unlock();
	return error;
}

static void memphis_cpu_stop(struct memphis_device_session *session)
{
	bool disable;

	mutex_lock(&memphis_cpu_lock);
	disable = !--memphis_cpu_running_sessions && !memphis_cpu_config.hardware_filter;
	if (disable)
		memphis_cpu_disable_events();
	memphis_cpu_end_times(session);
	mutex_unlock(&memphis_cpu_lock);
	/* Wait for running handlers. They are RCU readers, even if the NMI interrupted user mode. */
	if (!disable)
		synchronize_rcu_expedited();
}

/* Does nothing, because the events already exist and the handler finds the thread in the registry. */
static int memphis_cpu_attach(struct memphis_device_thread *thread)
{
	return 0;
}

static void memphis_cpu_noop(void *unused)
{
}

/*
 * Waits for a handler that may still use the thread. A handler uses the thread only while the thread's task is on a
 * CPU.
 *
 * If on_cpu reads 0 here, no later handler finds the thread: on_cpu is set before a handler reads the registry,
 * because an interrupt drains the store buffer (Intel SDM volume 3A, "Store Buffer"; AMD APM volume 2, "Write
 * Buffering"). Otherwise there may be one handler to wait for, on the task's CPU. That CPU takes no other
 * interrupt before the handler has returned, so an IPI waits for the handler. If the task has migrated in the
 * meantime, the handler has returned as well.
 *
 * Waiting for an RCU grace period would also be correct, but takes long, and programs that create and end many
 * threads would wait for one each time.
 */
static void memphis_cpu_detach(struct memphis_device_thread *thread)
{
	smp_mb(); /* orders unregistering the thread before reading on_cpu */
	if (smp_load_acquire(&thread->task->on_cpu))
		smp_call_function_single(task_cpu(thread->task), memphis_cpu_noop, NULL, true);
}

static void memphis_cpu_totals(struct memphis_device_session *session, struct memphis_stats *stats)
{
	struct memphis_pmu_totals sum = session->totals, now;

	mutex_lock(&memphis_cpu_lock);
	if (session->running && session->thread_count) {
		now = memphis_cpu_sum_totals();
		sum.enabled += now.enabled;
		sum.running += now.running;
	}
	mutex_unlock(&memphis_cpu_lock);
	stats->enabled_ns = sum.enabled;
	stats->starved_ns = sum.enabled - sum.running;
}

static u64 memphis_cpu_unattached(void)
{
	unsigned int cpu;
	u64 sum = 0;

	for_each_possible_cpu (cpu)
		sum += READ_ONCE(per_cpu(memphis_cpu_unattached_count, cpu));
	return sum;
}

const struct memphis_sampler memphis_sampler_cpu = {
	.kind = MEMPHIS_SAMPLER_CPU,
	.open = memphis_cpu_open_session,
	.close = memphis_cpu_close_session,
	.attach = memphis_cpu_attach,
	.detach = memphis_cpu_detach,
	.start = memphis_cpu_start,
	.stop = memphis_cpu_stop,
	.totals = memphis_cpu_totals,
	.unattached = memphis_cpu_unattached,
};
