/* SPDX-License-Identifier: BSD-3-Clause */
/* The regions of all processes as one tree. */
#ifndef MEMPHIS_PROFILE_REGIONS_H
#define MEMPHIS_PROFILE_REGIONS_H

#include "profile/profile.h"

/*
 * Adds the regions of a process to the profile. *rows, malloc'ed, gets the profile's row of each region id, *count entries. 0 or -ENOMEM;
 * free *rows in either case.
 */
int memphis_regions_add(struct memphis_profile *profile, const struct memphis_process *process,
			uint32_t **rows, size_t *count);

#endif
