// SPDX-License-Identifier: GPL-2.0-only
/*
 * Audit messages in the kernel log, for sites that record who uses the device.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": audit: " fmt

#include <linux/cred.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/uidgid.h>
#include <linux/user_namespace.h>

#include "audit.h"

static bool audit;
module_param(audit, bool, 0644);
MODULE_PARM_DESC(
	audit,
	"Log each open of the device, and each thread of another process that is attached (default off).");

struct memphis_actor {
	uid_t uid; /* in the initial user namespace */
	pid_t pid; /* of the thread group, in the initial PID namespace */
	char name[TASK_COMM_LEN];
};

static struct memphis_actor memphis_actor_of_current(void)
{
	struct memphis_actor actor = {
		.uid = from_kuid(&init_user_ns, current_uid()),
		.pid = task_tgid_nr(current),
	};

	get_task_comm(actor.name, current);
	return actor;
}

/* A process can choose its name freely, so %*pE escapes unprintable bytes. */
void memphis_audit_open(void)
{
	struct memphis_actor actor;

	if (!READ_ONCE(audit))
		return;
	actor = memphis_actor_of_current();
	pr_notice("opened by uid %u, pid %d (%*pE)\n", actor.uid, actor.pid, (int)strlen(actor.name),
		  actor.name);
}

void memphis_audit_attach(struct task_struct *task)
{
	struct memphis_actor actor;
	char name[TASK_COMM_LEN];

	if (!READ_ONCE(audit))
		return;
	actor = memphis_actor_of_current();
	get_task_comm(name, task);
	pr_notice("uid %u, pid %d (%*pE) attaches thread %d of pid %d (%*pE)\n", actor.uid, actor.pid,
		  (int)strlen(actor.name), actor.name, task_pid_nr(task), task_tgid_nr(task),
		  (int)strlen(name), name);
}
