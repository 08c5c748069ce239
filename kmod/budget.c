// SPDX-License-Identifier: GPL-2.0-only
/* Budget accounts of pinned memory, one for each user who has an open session. */
#include <linux/cred.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/uidgid.h>
#include <linux/user_namespace.h>

#include "budget.h"

static unsigned long ring_budget_bytes = 256UL << 20;
module_param(ring_budget_bytes, ulong, 0644);
MODULE_PARM_DESC(ring_budget_bytes,
		 "Pinned memory, in bytes, that one user's sessions may hold together (default 268435456).");

struct memphis_user {
	struct list_head link;
	kuid_t uid;
	unsigned int sessions;
	u64 bytes;
};

static LIST_HEAD(memphis_users);
static DEFINE_MUTEX(memphis_users_lock); /* guards the list and all members of its entries */

/*
 * Inside a user namespace, a user may act under any subordinate ID. All these IDs are therefore charged to
 * the user who created the outermost namespace. If root created the namespace, as a container runtime does,
 * each ID counts as a separate user.
 */
kuid_t memphis_user_uid(void)
{
	const struct user_namespace *ns;
	kuid_t uid = current_uid();

	for (ns = current_user_ns(); ns != &init_user_ns; ns = ns->parent)
		if (!uid_eq(ns->owner, GLOBAL_ROOT_UID))
			uid = ns->owner;
	return uid;
}

struct memphis_user *memphis_user_get(void)
{
	kuid_t uid = memphis_user_uid();
	struct memphis_user *user;

	mutex_lock(&memphis_users_lock);
	list_for_each_entry (user, &memphis_users, link)
		if (uid_eq(user->uid, uid))
			goto found;
	user = kzalloc(sizeof(*user), MEMPHIS_GFP);
	if (!user)
		goto out;
	user->uid = uid;
	list_add(&user->link, &memphis_users);
found:
	user->sessions++;
out:
	mutex_unlock(&memphis_users_lock);
	return user;
}

void memphis_user_put(struct memphis_user *user)
{
	mutex_lock(&memphis_users_lock);
	if (!--user->sessions) {
		WARN_ON_ONCE(user->bytes);
		list_del(&user->link);
		kfree(user);
	}
	mutex_unlock(&memphis_users_lock);
}

int memphis_user_charge(struct memphis_user *user, u64 bytes)
{
	u64 budget = memphis_budget_bytes();
	int error = 0;

	mutex_lock(&memphis_users_lock);
	/* The budget may have been lowered below the amount already charged. */
	if (user->bytes > budget || bytes > budget - user->bytes)
		error = -EDQUOT;
	else
		user->bytes += bytes;
	mutex_unlock(&memphis_users_lock);
	return error;
}

void memphis_user_uncharge(struct memphis_user *user, u64 bytes)
{
	mutex_lock(&memphis_users_lock);
	user->bytes -= bytes;
	mutex_unlock(&memphis_users_lock);
}

u64 memphis_budget_bytes(void)
{
	return READ_ONCE(ring_budget_bytes);
}
