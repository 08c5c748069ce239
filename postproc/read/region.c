// SPDX-License-Identifier: BSD-3-Clause
/* The regions of a process. */
#include <stdlib.h>

#include "read/process.h"

const struct memphis_region *memphis_process_region(const struct memphis_process *process, uint32_t id)
{
	size_t i;

	/* Fast path: ids usually count from 1 in the order in which regions are written. */
	if (id && id <= process->region_count && process->regions[id - 1].id == id)
		return &process->regions[id - 1];
	for (i = 0; i < process->region_count; i++)
		if (process->regions[i].id == id)
			return &process->regions[i];
	return NULL;
}

void memphis_process_free_regions(struct memphis_process *process)
{
	size_t i;

	for (i = 0; !process->regions_shared && i < process->region_count; i++)
		free(process->regions[i].name);
	if (!process->regions_shared)
		free(process->regions);
	process->regions = NULL;
}
