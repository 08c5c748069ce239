/* SPDX-License-Identifier: BSD-3-Clause */
/* Brings a profile into one order, whatever came first into it: equal profiles are equal row by row then. */
#ifndef MEMPHIS_PROFILE_ORDER_H
#define MEMPHIS_PROFILE_ORDER_H

#include "profile/profile.h"

/*
 * Processes by the path of their files, all else by what it says; strings that nothing refers to are left out. 0 or -ENOMEM, after which
 * the profile can only be closed.
 */
int memphis_profile_order(struct memphis_profile *profile);

#endif
