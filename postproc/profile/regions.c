// SPDX-License-Identifier: BSD-3-Clause
/* Merges the regions of all processes into one tree. */
#include "profile/regions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profile/selection.h"

int memphis_regions_add(struct memphis_profile *profile, const struct memphis_process *process,
			uint32_t **rows, size_t *count)
{
	const struct memphis_region *region;
	uint32_t parent, name, row;
	size_t i;

	*count = memphis_region_ids(process);
	*rows = malloc(*count * sizeof(**rows));
	if (!*rows || memphis_profile_region(profile, 0, MEMPHIS_REGION_OUTSIDE) == MEMPHIS_NONE)
		return -ENOMEM;
	for (i = 0; i < *count; i++)
		(*rows)[i] = MEMPHIS_REGION_UNKNOWN;
	(*rows)[0] = MEMPHIS_REGION_OUTSIDE;
	for (i = 0; i < process->region_count; i++) {
		region = &process->regions[i];
		if (region->id >= *count)
			continue;
		/* A parent precedes its children (docs/format.md). A region whose parent is unknown is placed at the top level. */
		parent = region->parent < *count ? (*rows)[region->parent] : MEMPHIS_REGION_OUTSIDE;
		if (parent == MEMPHIS_REGION_UNKNOWN)
			parent = MEMPHIS_REGION_OUTSIDE;
		name = memphis_profile_string(profile, region->name);
		row = name == MEMPHIS_NONE ? name : memphis_profile_region(profile, name, parent);
		if (row == MEMPHIS_NONE)
			return -ENOMEM;
		(*rows)[region->id] = row;
	}
	return 0;
}

bool memphis_region_is_mpi(const struct memphis_profile *profile, uint32_t region)
{
	const char *name;

	for (; region > MEMPHIS_REGION_UNKNOWN && region < profile->region_count;
	     region = profile->regions[region].parent) {
		name = memphis_profile_text(profile, profile->regions[region].name);
		if (name && !strncmp(name, "MPI_", 4))
			return true;
		if (!profile->regions[region].depth)
			return false;
	}
	return false;
}
