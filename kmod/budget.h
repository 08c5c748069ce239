/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Budget of pinned memory per user: the sum over all sessions of a user is bounded.
 */
#ifndef MEMPHIS_BUDGET_H
#define MEMPHIS_BUDGET_H

#include <linux/gfp.h>
#include <linux/types.h>

/*
 * For all allocations on behalf of a user. The user chooses the size: that must neither fill the log with
 * warnings nor invoke the OOM killer, so the request fails where memory is short, on the node or in the
 * caller's cgroup.
 */
#define MEMPHIS_GFP (GFP_KERNEL_ACCOUNT | __GFP_NOWARN | __GFP_RETRY_MAYFAIL)

struct memphis_user;

/**
 * memphis_user_get() - gets the account of the caller's user, and creates it if needed
 *
 * Return: the account, to be released with memphis_user_put(), or NULL.
 */
struct memphis_user *memphis_user_get(void);

/**
 * memphis_user_put() - releases an account
 * @user: from memphis_user_get(); all that the caller charged has been uncharged
 */
void memphis_user_put(struct memphis_user *user);

/**
 * memphis_user_charge() - charges pinned memory to a user
 * @user: the account
 * @bytes: amount, to be returned with memphis_user_uncharge()
 *
 * Return: 0, or -EDQUOT if the sum would exceed the budget; nothing is charged then.
 */
int memphis_user_charge(struct memphis_user *user, u64 bytes);

/**
 * memphis_user_uncharge() - undoes memphis_user_charge()
 * @user: the account
 * @bytes: amount that was charged
 */
void memphis_user_uncharge(struct memphis_user *user, u64 bytes);

/**
 * memphis_budget_bytes() - limit on the pinned memory of one user
 *
 * Return: present value of the parameter ring_budget_bytes.
 */
u64 memphis_budget_bytes(void);

#endif
