// SPDX-License-Identifier: BSD-3-Clause
/* Selections of samples. If this fails, reports count other samples than the selected ones. */
#include "profile/selection.h"

#include <stdlib.h>

#include "../../tap.h"

static const struct memphis_sample remote_load = {
	.source = MEMPHIS_SOURCE_DRAM, .flags = 0x5, .home_node = 1};
static const struct memphis_sample local_load = {.source = MEMPHIS_SOURCE_DRAM, .flags = 0x1};
static const struct memphis_sample remote_hitm = {
	.source = MEMPHIS_SOURCE_PEER_CACHE, .flags = 0xd, .node = 1};
static const struct memphis_sample away_store = {.flags = 0x2, .home_node = 1};
static const struct memphis_sample unknown_home = {.flags = 0x2, .home_node = MEMPHIS_NODE_UNKNOWN};

/* Returns which of the five samples the kind selects. */
static const char *takes(const char *kind, int64_t node)
{
	const struct memphis_sample *samples[] = {&remote_load, &local_load, &remote_hitm, &away_store,
						  &unknown_home};
	struct memphis_selection selection = {.kind = memphis_select_kind(kind), .node = node};
	struct memphis_access access;
	static char line[6];
	int i;

	for (i = 0; i < 5; i++) {
		access = memphis_access_of(samples[i]);
		line[i] = memphis_selection_takes(&selection, &access) ? 'x' : '-';
	}
	return line;
}

static void regions(void)
{
	struct memphis_region list[] = {
		{1, 0, "a"}, {2, 1, "b"}, {3, 2, "c"}, {4, 4, "loop"}, {5, 9, "lost"}};
	struct memphis_process process = {.regions = list, .region_count = 5};
	struct memphis_selection selection = {.kind = memphis_select_kinds, .node = -1, .region = "b"};
	bool *wanted;
	size_t count;

	ok(!memphis_selection_regions(&selection, &process, &wanted, &count),
	   "regions are looked up by name");
	ok(count == 6 && !wanted[0] && !wanted[1] && wanted[2] && wanted[3] && !wanted[4] && !wanted[5],
	   "a region and the regions inside it are selected; cycles are harmless");
	free(wanted);
}

int main(void)
{
	is_text(memphis_select_kinds[0].name, "remote-dram", "remote DRAM is the default");
	is_text(takes("remote-dram", -1), "x----", "remote-dram selects loads from remote DRAM");
	is_text(takes("local-dram", -1), "-x---", "local-dram selects loads from local DRAM");
	is_text(takes("dram", -1), "xx---", "dram selects loads from any DRAM");
	is_text(takes("remote", -1), "x-x--", "remote selects loads from remote DRAM and caches");
	is_text(takes("remote-cache", -1), "--x--", "remote-cache selects loads from remote caches");
	is_text(takes("hitm", -1), "--x--", "hitm selects loads of modified lines of other caches");
	is_text(takes("loads", -1), "xxx--", "loads selects all loads");
	is_text(takes("stores", -1), "---xx", "stores selects all stores");
	is_text(takes("away", -1), "x-xx-", "away selects accesses whose home node is another node");
	is_text(takes("home", -1), "-x---", "home selects accesses whose home node is the accessing node");
	is_text(takes("away-stores", -1), "---x-",
		"away-stores selects stores whose home node is another node");
	is_text(takes("all", -1), "xxxxx", "all selects everything");
	is_text(takes("all", 1), "--x--", "a node selects accesses made on it only");
	ok(!memphis_select_kind("nonsense"), "an unknown kind is refused");
	regions();
	return finish();
}
