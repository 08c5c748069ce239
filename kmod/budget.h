/* SPDX-License-Identifier: GPL-2.0-only */
/* Limits the memory that each user can pin, summed over all sessions of the user. */
#ifndef MEMPHIS_BUDGET_H
#define MEMPHIS_BUDGET_H

#include <linux/gfp.h>
#include <linux/types.h>
#include <linux/uidgid.h>

/*
 * Flags for all allocations on behalf of a user. Because the user chooses the size, an allocation must not
 * fill the log with warnings or invoke the OOM killer; it fails if memory is short on the node or in the
 * caller's cgroup.
 */
#define MEMPHIS_GFP (GFP_KERNEL_ACCOUNT | __GFP_NOWARN | __GFP_RETRY_MAYFAIL)

struct memphis_user;

/**
 * memphis_user_uid() - returns the ID of the user who is charged for what the caller does
 *
 * Return: normally the ID of the caller. In a user namespace that was not created by root, the ID of the user
 * who created the outermost of these namespaces.
 */
kuid_t memphis_user_uid(void);

/**
 * memphis_user_get() - gets the budget account of the calling user, and creates it if needed
 *
 * Return: the account, to be released with memphis_user_put(), or NULL if memory is exhausted.
 */
struct memphis_user *memphis_user_get(void);

/**
 * memphis_user_put() - releases an account
 * @user: the account, from memphis_user_get(); the caller has uncharged everything that it charged
 */
void memphis_user_put(struct memphis_user *user);

/**
 * memphis_user_charge() - charges pinned memory to a user
 * @user: the account
 * @bytes: amount, to be returned with memphis_user_uncharge()
 *
 * Return: 0, or -EDQUOT if the sum would exceed the budget, in which case nothing is charged.
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
 * Return: the current value of the module parameter ring_budget_bytes.
 */
u64 memphis_budget_bytes(void);

#endif
