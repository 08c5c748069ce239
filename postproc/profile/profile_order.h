/* SPDX-License-Identifier: BSD-3-Clause */
/* Sorts a profile into its canonical order, in which equal profiles are identical row by row. */
#ifndef MEMPHIS_PROFILE_ORDER_H
#define MEMPHIS_PROFILE_ORDER_H

#include "profile/profile.h"

/*
 * Sorts processes by the path of their files and all other rows by their contents, and drops strings without a reference. Returns 0 or
 * -ENOMEM; after a failure, the profile can only be closed.
 */
int memphis_profile_order(struct memphis_profile *profile);

#endif
