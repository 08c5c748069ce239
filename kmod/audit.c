// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writes audit messages to the kernel log, for sites that record who uses the device. If there are too many
 * messages, some are left out, and their number is logged later.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": audit: " fmt

#include <linux/cred.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/uidgid.h>
#include <linux/user_namespace.h>
#include <linux/workqueue.h>

#include "audit.h"
#include "budget.h"

/*
 * Each user may write a limited number of lines per interval, so that nobody can fill the log. With one limit
 * for all users together, a user could use it up and so hide what another one does. The limit is high enough
 * for a job that has one rank on each CPU of a large node, because every rank needs a line.
 */
#define AUDIT_LINES    512
#define AUDIT_INTERVAL (60 * HZ)
#define AUDIT_USERS    64

static bool audit;
module_param(audit, bool, 0644);
MODULE_PARM_DESC(
	audit,
	"Log each open of the device, and each thread of another process that is attached (default off).");

struct memphis_quota {
	kuid_t uid;
	unsigned long end; /* end of the interval, in jiffies */
	unsigned int lines;
	u64 left_out; /* number of lines left out and not yet reported by a message */
};

/*
 * The last entry is shared by all users for whom no entry is free. This happens if more than AUDIT_USERS
 * users are active in one interval.
 */
static struct memphis_quota memphis_quotas[AUDIT_USERS + 1];
static DEFINE_SPINLOCK(memphis_quotas_lock); /* guards memphis_quotas */

static void memphis_audit_report(struct work_struct *work);
static DECLARE_DELAYED_WORK(memphis_audit_work, memphis_audit_report);

static void memphis_audit_report(struct work_struct *work)
{
	const struct memphis_quota *others = memphis_quotas + AUDIT_USERS;
	struct memphis_quota *quota, was;

	for (quota = memphis_quotas; quota <= others; quota++) {
		spin_lock(&memphis_quotas_lock);
		was = *quota;
		quota->left_out = 0;
		spin_unlock(&memphis_quotas_lock);
		if (was.left_out && quota == others)
			pr_notice("%llu more lines of several users were left out\n", was.left_out);
		else if (was.left_out)
			pr_notice("%llu more lines of uid %u were left out\n", was.left_out,
				  from_kuid(&init_user_ns, was.uid));
	}
}

void memphis_audit_exit(void)
{
	cancel_delayed_work_sync(&memphis_audit_work);
	memphis_audit_report(NULL);
}

static bool memphis_quota_is_over(const struct memphis_quota *quota)
{
	return !quota->lines || time_after_eq(jiffies, quota->end);
}

/* Returns the entry of the user. If there is none, returns a free entry, or the shared one if no entry is free. */
static struct memphis_quota *memphis_quota_of(kuid_t uid)
{
	struct memphis_quota *quota, *found = memphis_quotas + AUDIT_USERS;
	unsigned int i;

	for (i = 0; i < AUDIT_USERS; i++) {
		quota = memphis_quotas + i;
		if (quota->lines && uid_eq(quota->uid, uid))
			return quota;
		if (memphis_quota_is_over(quota) && !quota->left_out)
			found = quota;
	}
	return found;
}

/* Returns true if the user may write a line now. Otherwise, counts the line as left out and returns false. */
static bool memphis_audit_has_room(void)
{
	const kuid_t uid = memphis_user_uid();
	struct memphis_quota *quota;
	bool has_room;

	spin_lock(&memphis_quotas_lock);
	quota = memphis_quota_of(uid);
	if (memphis_quota_is_over(quota)) {
		quota->uid = uid;
		quota->lines = 0;
		quota->end = jiffies + AUDIT_INTERVAL;
	}
	has_room = quota->lines < AUDIT_LINES;
	if (has_room)
		quota->lines++;
	else
		quota->left_out++;
	spin_unlock(&memphis_quotas_lock);
	if (!has_room)
		schedule_delayed_work(&memphis_audit_work, AUDIT_INTERVAL);
	return has_room;
}

struct memphis_actor {
	uid_t uid; /* the user to whom the line is charged, as an ID in the initial user namespace */
	/* " as uid N" if the process runs under another ID than that of the charged user, otherwise empty */
	char also[32];
	pid_t pid; /* ID of the thread group in the initial PID namespace */
	char name[TASK_COMM_LEN];
};

static struct memphis_actor memphis_actor_of_current(void)
{
	struct memphis_actor actor = {
		.uid = from_kuid(&init_user_ns, memphis_user_uid()),
		.pid = task_tgid_nr(current),
	};

	if (!uid_eq(memphis_user_uid(), current_uid()))
		snprintf(actor.also, sizeof(actor.also), " as uid %u",
			 from_kuid(&init_user_ns, current_uid()));
	get_task_comm(actor.name, current);
	return actor;
}

/* A process can choose any name for itself, so the name is printed with %*pE, which escapes unprintable bytes. */
void memphis_audit_open(void)
{
	struct memphis_actor actor;

	if (!READ_ONCE(audit) || !memphis_audit_has_room())
		return;
	actor = memphis_actor_of_current();
	pr_notice("opened by uid %u%s, pid %d (%*pE)\n", actor.uid, actor.also, actor.pid,
		  (int)strlen(actor.name), actor.name);
}

void memphis_audit_attach(struct task_struct *task)
{
	struct memphis_actor actor;
	char name[TASK_COMM_LEN];

	if (!READ_ONCE(audit) || !memphis_audit_has_room())
		return;
	actor = memphis_actor_of_current();
	get_task_comm(name, task);
	pr_notice("uid %u%s, pid %d (%*pE) attaches thread %d of pid %d (%*pE)\n", actor.uid, actor.also,
		  actor.pid, (int)strlen(actor.name), actor.name, task_pid_nr(task), task_tgid_nr(task),
		  (int)strlen(name), name);
}
