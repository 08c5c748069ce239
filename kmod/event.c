// SPDX-License-Identifier: GPL-2.0-only
/*
 * Creates perf events for users who may not use perf because of perf_event_paranoid.
 *
 * perf requires CAP_PERFMON of the current task for an event of a CPU, and before it passes physical
 * addresses (Linux 7.1 and later). The module has its own rule, which it checks first: who may open the
 * device, and whose threads these are. While it creates an event, the module therefore gives the task this
 * capability and no other. A stacked file system lends the capabilities of its mounter in the same way.
 * Everything else about the task remains the same, above all its security label. If a security module refuses
 * perf to the task (hook perf_event_open), or refuses the capability, the event is refused.
 *
 * The credentials with this capability are made when the session is opened. Requests do not make them,
 * because the kernel allocates credentials in a way that may invoke the OOM killer of a cgroup whose memory
 * the user has used up. A task that has changed its credentials since then gets new ones.
 *
 * The event is created in the task that makes the request. A kernel thread could also create it. But then a
 * request would wait for that thread with locks held, and for all other work of that thread. Also, the
 * kernel's label would pass each security module.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/user_namespace.h>

#include "event.h"
#include "pmu.h"
#include "session.h"

/*
 * Returns the caller's credentials with CAP_PERFMON and no other capability, or NULL. The capability is in
 * the initial user namespace, because perf accepts no other. A task in a container may have no capability
 * there.
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

int memphis_event_begin(struct memphis_device_session *session)
{
	session->lent = memphis_lend_perfmon();
	if (!session->lent)
		return -ENOMEM;
	session->lent_to = get_current_cred();
	return 0;
}

void memphis_event_end(struct memphis_device_session *session)
{
	put_cred(session->lent_to);
	put_cred(session->lent);
}

bool memphis_event_knows_current(const struct memphis_device_session *session)
{
	return session->lent_to == current_cred();
}

/*
 * Creates the event with the given credentials. perf uses the capability, and the kernel records this in the
 * task's flags for process accounting. The flag is restored, because the task has not used its own rights.
 */
static struct perf_event *memphis_create_with(const struct cred *lent, struct perf_event_attr *attr, int cpu,
					      struct task_struct *task, perf_overflow_handler_t handler,
					      void *context)
{
	const bool has_used_rights = current->flags & PF_SUPERPRIV;
	const struct cred *own = override_creds(lent);
	struct perf_event *event;

	event = perf_event_create_kernel_counter(attr, cpu, task, handler, context);
	revert_creds(own);
	if (!has_used_rights)
		current->flags &= ~PF_SUPERPRIV;
	return event;
}

struct perf_event *memphis_event_create(const struct memphis_device_session *session,
					struct perf_event_attr *attr, int cpu, struct task_struct *task,
					perf_overflow_handler_t handler, void *context)
{
	struct perf_event *event;
	struct cred *lent;

	if (session && memphis_event_knows_current(session))
		return memphis_create_with(session->lent, attr, cpu, task, handler, context);
	lent = memphis_lend_perfmon();
	if (!lent)
		return ERR_PTR(-ENOMEM);
	event = memphis_create_with(lent, attr, cpu, task, handler, context);
	put_cred(lent);
	return event;
}

#define ASK_TRIES 100

/*
 * Asks the security modules by creating an event. Modules can't call the hook of the security modules, but
 * perf calls it for each event of a CPU. The event is disabled, and only the answer matters. It is created on
 * the caller's CPU, because perf may have to interrupt the CPU of an event. If that CPU is going offline, the
 * result is -ENODEV. The attempt is then repeated, because the caller will soon run on another CPU.
 */
int memphis_event_ask(const struct memphis_device_session *session)
{
	const struct memphis_config config = {.period = memphis_pmu.period_max,
					      .count = __ffs(memphis_pmu.counts)};
	struct perf_event_attr attr;
	struct perf_event *event;
	unsigned int tries;
	int error = -ENODEV;

	for (tries = 0; error == -ENODEV && tries < ASK_TRIES; tries++) {
		cond_resched();
		memphis_pmu_attr(&attr, &config, __ffs(memphis_pmu.events));
		event = memphis_event_create(session, &attr, raw_smp_processor_id(), NULL, NULL, NULL);
		error = PTR_ERR_OR_ZERO(event);
	}
	if (!error)
		perf_event_release_kernel(event);
	return error;
}
