/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pinned memory, accounted by user: the sum over a user's sessions is bounded.
 */
#ifndef MEMPHIS_BUDGET_H
#define MEMPHIS_BUDGET_H

#include <linux/types.h>

struct memphis_user;

/* The account of the caller's user; NULL: no memory. Each get needs its put. */
struct memphis_user *memphis_user_get(void);
void memphis_user_put(struct memphis_user *user);

/* -EDQUOT if the user's sum would exceed the budget. */
int memphis_user_charge(struct memphis_user *user, u64 bytes);
void memphis_user_uncharge(struct memphis_user *user, u64 bytes);

u64 memphis_budget_bytes(void);

#endif
