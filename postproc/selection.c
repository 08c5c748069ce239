// SPDX-License-Identifier: BSD-3-Clause
/* Which samples count: the table of kinds, and regions by name. */
#include "selection.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SOURCE(name) (1 << MEMPHIS_SOURCE_##name)
#define FLAG(name)   MEMPHIS_FLAG_##name

const struct memphis_select_kind memphis_select_kinds[] = {
	{"remote-dram", "loads served by another node's memory", SOURCE(DRAM), FLAG(REMOTE), FLAG(REMOTE), 0},
	{"local-dram", "loads served by the node's own memory", SOURCE(DRAM), FLAG(REMOTE), 0, 0},
	{"dram", "loads served by any memory", SOURCE(DRAM), 0, 0, 0},
	{"remote-cache", "loads served by a cache of another node", SOURCE(PEER_CACHE), FLAG(REMOTE),
	 FLAG(REMOTE), 0},
	{"peer-cache", "loads served by any other core complex's cache", SOURCE(PEER_CACHE), 0, 0, 0},
	{"remote", "loads served by another node, memory or cache", 0, FLAG(REMOTE), FLAG(REMOTE), 0},
	{"hitm", "loads of lines that another cache held modified", 0, FLAG(HITM), FLAG(HITM), 0},
	{"away", "accesses whose page another node owns, stores and cached loads too", 0, 0, 0, 1},
	{"home", "accesses whose page the accessing node owns", 0, 0, 0, -1},
	{"away-stores", "stores to pages that another node owns", 0, FLAG(STORE), FLAG(STORE), 1},
	{"extension", "loads served by memory behind CXL and the like", SOURCE(EXTENSION), 0, 0, 0},
	{"loads", "all loads", 0, FLAG(LOAD), FLAG(LOAD), 0},
	{"stores", "all stores", 0, FLAG(STORE), FLAG(STORE), 0},
	{"locked", "locked accesses", 0, FLAG(LOCKED), FLAG(LOCKED), 0},
	{"tlb-miss", "accesses that missed both TLB levels", 0, FLAG(L2_TLB_MISS), FLAG(L2_TLB_MISS), 0},
	{"all", "every sample", 0, 0, 0, 0},
	{NULL, NULL, 0, 0, 0, 0},
};

const struct memphis_select_kind *memphis_select_kind(const char *name)
{
	const struct memphis_select_kind *kind;

	for (kind = memphis_select_kinds; kind->name; kind++)
		if (!strcmp(kind->name, name))
			return kind;
	return NULL;
}

size_t memphis_region_ids(const struct memphis_process *process)
{
	uint32_t highest = 0;
	size_t i;

	for (i = 0; i < process->region_count; i++)
		if (process->regions[i].id > highest)
			highest = process->regions[i].id;
	return (size_t)(highest > 1 << 20 ? 1 << 20 : highest) + 1;
}

int memphis_selection_regions(const struct memphis_selection *selection,
			      const struct memphis_process *process, bool **wanted, size_t *count)
{
	const struct memphis_region *region;
	size_t id, steps;

	*count = memphis_region_ids(process);
	*wanted = calloc(*count, sizeof(**wanted));
	if (!*wanted)
		return -ENOMEM;
	for (id = 1; id < *count; id++) {
		region = memphis_process_region(process, (uint32_t)id);
		for (steps = 0; region && steps < process->region_count; steps++) {
			if (!strcmp(region->name, selection->region))
				(*wanted)[id] = true;
			region = memphis_process_region(process, region->parent);
		}
	}
	return 0;
}

static bool has_process(const struct memphis_processes *processes, int64_t pid)
{
	size_t i;

	for (i = 0; i < processes->count; i++)
		if (processes->list[i].pid == pid)
			return true;
	return false;
}

static bool has_region(const struct memphis_processes *processes, const char *name)
{
	const struct memphis_process *process;
	size_t i, j;

	for (i = 0; i < processes->count; i++) {
		process = &processes->list[i];
		for (j = 0; j < process->region_count; j++)
			if (!strcmp(process->regions[j].name, name))
				return true;
	}
	return false;
}

int memphis_selection_check(const struct memphis_selection *selection,
			    const struct memphis_processes *processes, struct memphis_error *error)
{
	if (selection->pid >= 0 && !has_process(processes, selection->pid))
		return memphis_fail(error, -ENOENT,
				    "no process %ld in these files; memphis dump tells which there are",
				    (long)selection->pid);
	if (selection->region && !has_region(processes, selection->region))
		return memphis_fail(error, -ENOENT,
				    "no region \"%s\" in these files; memphis dump tells which there are",
				    selection->region);
	return 0;
}
