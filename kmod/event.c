// SPDX-License-Identifier: GPL-2.0-only
/*
 * Creates perf events for users whom perf_event_paranoid keeps from perf.
 *
 * perf asks whether the current task has CAP_PERFMON: for an event of a CPU, and before it gives out physical addresses (7.1 and
 * later). The module has its own rule, which it checks before: who may open the device, and whose threads these are. So the
 * device lends this capability, and no other, while the event is created, as a stacked file system lends that of its
 * mounter. All else about the task stays the same, above all its label: a security module that refuses perf to
 * the task (hook perf_event_open), or the capability, refuses the event.
 *
 * This happens in the task that makes the request. A kernel thread could create the event as well, but then a request would
 * wait for it with locks held, behind whatever else that thread waits for; and the kernel's label would pass each security module.
 */
#include <linux/capability.h>
#include <linux/cpumask.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/perf_event.h>
#include <linux/user_namespace.h>

#include "event.h"
#include "pmu.h"

/*
 * Returns the caller's credentials with CAP_PERFMON and no other capability, or NULL. The capability is one in the initial
 * user namespace, since perf accepts no other one; a task in a container may have none there.
 */
static struct cred *memphis_lend_perfmon(void)
{
	struct cred *cred = prepare_creds();

	if (!cred)
		return NULL;
	cred->cap_effective = (kernel_cap_t){};
	cap_raise(cred->cap_effective, CAP_PERFMON);
	put_user_ns(cred->user_ns);
	cred->user_ns = get_user_ns(&init_user_ns);
	return cred;
}

struct perf_event *memphis_event_create(struct perf_event_attr *attr, int cpu, struct task_struct *task,
					perf_overflow_handler_t handler, void *context)
{
	struct cred *lent = memphis_lend_perfmon();
	const struct cred *own;
	struct perf_event *event;

	if (!lent)
		return ERR_PTR(-ENOMEM);
	own = override_creds(lent);
	event = perf_event_create_kernel_counter(attr, cpu, task, handler, context);
	revert_creds(own);
	put_cred(lent);
	return event;
}

/*
 * Modules cannot call the hook of the security modules, but perf does, for each event of a CPU. The event is disabled, and
 * only the answer is of interest. Events of a CPU that goes offline get -ENODEV.
 */
int memphis_event_ask(void)
{
	const struct memphis_config config = {.period = memphis_pmu.period_max,
					      .count = __ffs(memphis_pmu.counts)};
	struct perf_event_attr attr;
	struct perf_event *event;
	unsigned int cpu;

	for_each_online_cpu (cpu) {
		memphis_pmu_attr(&attr, &config, __ffs(memphis_pmu.events));
		event = memphis_event_create(&attr, cpu, NULL, NULL, NULL);
		if (!IS_ERR(event)) {
			perf_event_release_kernel(event);
			return 0;
		}
		if (PTR_ERR(event) != -ENODEV)
			return PTR_ERR(event);
	}
	return -ENODEV;
}
