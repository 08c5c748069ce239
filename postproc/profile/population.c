// SPDX-License-Identifier: BSD-3-Clause
#include "profile/population.h"

const char *const memphis_population_texts[MEMPHIS_POPULATIONS] = {
	[MEMPHIS_REMOTE_LOADS] = "loads from other nodes' memory",
	[MEMPHIS_MODIFIED_LOADS] = "loads of lines that another cache had modified",
	[MEMPHIS_FETCHES] = "loads that fetched a line",
};

static bool is_from_memory(const struct memphis_access *access)
{
	return access->source == MEMPHIS_SOURCE_DRAM || access->source == MEMPHIS_SOURCE_EXTENSION;
}

static bool is_remote(const struct memphis_access *access)
{
	return is_from_memory(access) && memphis_goes_away(access);
}

static bool is_modified(const struct memphis_access *access)
{
	return access->flags & MEMPHIS_FLAG_HITM;
}

static bool is_fetch(const struct memphis_access *access)
{
	return (is_from_memory(access) || access->source == MEMPHIS_SOURCE_L3) && !is_modified(access);
}

bool memphis_population_has(enum memphis_population population, const struct memphis_access *access)
{
	static bool (*const has[MEMPHIS_POPULATIONS])(const struct memphis_access *access) = {
		[MEMPHIS_REMOTE_LOADS] = is_remote,
		[MEMPHIS_MODIFIED_LOADS] = is_modified,
		[MEMPHIS_FETCHES] = is_fetch,
	};

	return access->flags & MEMPHIS_FLAG_LOAD && has[population](access);
}
