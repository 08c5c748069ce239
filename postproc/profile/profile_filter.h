/* SPDX-License-Identifier: BSD-3-Clause */
/* Leaves of a profile that was loaded what a selection takes, as if its samples had been reduced with that. */
#ifndef MEMPHIS_NARROW_H
#define MEMPHIS_NARROW_H

#include "profile/profile.h"

/*
 * 0, -ENOMEM, or -EINVAL with *error (which begins with `name`) where the profile does not know enough: it was reduced with another
 * selection, or does not tell threads or regions apart. What it does not know of another selection than its own are the lines over time;
 * these are left out then.
 */
int memphis_profile_filter(struct memphis_profile *profile, const struct memphis_selection *selection,
			   const char *name, struct memphis_error *error);

#endif
