/* SPDX-License-Identifier: BSD-3-Clause */
/* Reduces a loaded profile to what a selection takes, as if its samples had been reduced with that selection. */
#ifndef MEMPHIS_NARROW_H
#define MEMPHIS_NARROW_H

#include "profile/profile.h"

/*
 * 0, -ENOMEM, or -EINVAL with *error (which begins with `name`) if the profile lacks the information: it was reduced with another
 * selection, or does not separate threads or regions. Timelines and heatmaps exist for the profile's own selection only, and are dropped
 * for another one.
 */
int memphis_profile_filter(struct memphis_profile *profile, const struct memphis_selection *selection,
			   const char *name, struct memphis_error *error);

#endif
