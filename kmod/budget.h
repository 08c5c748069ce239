/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pinned memory, accounted by user: the sum over a user's sessions is bounded.
 */
#ifndef MEMPHIS_BUDGET_H
#define MEMPHIS_BUDGET_H

#include <linux/gfp.h>
#include <linux/types.h>

/*
 * How memory is asked for on behalf of a user. No warning: the size is the user's choice, and the log is not the user's to
 * fill. Nor may it get anyone killed: where memory is short, on the node or in the caller's cgroup, the request is refused.
 */
#define MEMPHIS_GFP (GFP_KERNEL_ACCOUNT | __GFP_NOWARN | __GFP_RETRY_MAYFAIL)

struct memphis_user;

/**
 * memphis_user_get() - the account of the caller's user
 *
 * Return: the account, to be given to memphis_user_put(); NULL: no memory.
 */
struct memphis_user *memphis_user_get(void);

/**
 * memphis_user_put() - gives an account back
 * @user: from memphis_user_get(), with nothing charged by that caller any more
 */
void memphis_user_put(struct memphis_user *user);

/**
 * memphis_user_charge() - adds to what a user holds
 * @user: the account
 * @bytes: to be taken off again by memphis_user_uncharge()
 *
 * Return: 0, or -EDQUOT if the sum would exceed the budget; then nothing is added.
 */
int memphis_user_charge(struct memphis_user *user, u64 bytes);

/**
 * memphis_user_uncharge() - takes off what a user held
 * @user: the account
 * @bytes: as they were charged
 */
void memphis_user_uncharge(struct memphis_user *user, u64 bytes);

/**
 * memphis_budget_bytes() - what one user may hold at present
 *
 * Return: the parameter ring_budget_bytes.
 */
u64 memphis_budget_bytes(void);

#endif
