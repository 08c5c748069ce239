/* SPDX-License-Identifier: BSD-3-Clause */
/* Merges the regions of all processes into one tree. */
#ifndef MEMPHIS_PROFILE_REGIONS_H
#define MEMPHIS_PROFILE_REGIONS_H

#include "profile/profile.h"

/*
 * Adds the regions of a process to the profile. Sets *rows to a malloc'ed array of *count entries that gives the profile's row for each
 * region id. Returns 0 or -ENOMEM; the caller frees *rows in both cases.
 */
int memphis_regions_add(struct memphis_profile *profile, const struct memphis_process *process,
			uint32_t **rows, size_t *count);

/* Returns whether the row of the profile is a call of an MPI function, or inside one. */
bool memphis_region_is_mpi(const struct memphis_profile *profile, uint32_t region);

#endif
