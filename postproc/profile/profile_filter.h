/* SPDX-License-Identifier: BSD-3-Clause */
/* Filters a loaded profile by a selection. The result is the same as if the profile had been made from the selected samples. */
#ifndef MEMPHIS_NARROW_H
#define MEMPHIS_NARROW_H

#include "profile/profile.h"

/*
 * Returns 0, -ENOMEM, or -EINVAL if the profile lacks the information because it was made with another selection or does not separate
 * threads or regions. The message in *error begins with `name`. Timelines and heatmaps exist only for the profile's own selection; any
 * other selection drops them.
 */
int memphis_profile_filter(struct memphis_profile *profile, const struct memphis_selection *selection,
			   const char *name, struct memphis_error *error);

#endif
