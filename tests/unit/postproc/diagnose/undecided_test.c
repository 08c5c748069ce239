// SPDX-License-Identifier: BSD-3-Clause
/*
 * Variables on one node whose samples do not show which remedy helps. If this fails, a report recommends a remedy by chance, or none although samples of
 * several variables show it together.
 */
#include "scenario.h"

/* One thread initialises all, then both nodes read all of it. */
#define READ                                                                     \
	{0, 0, 0, 0, 16, 0, 0, 4, 4, 0, 0}, {1, 0, 0, 0, 16, 1, 1, 1, 0, 0, 60}, \
	{                                                                        \
		2, 1, 0, 0, 16, 1, 2, 1, 0, 1, 60                                \
	}

static const struct use only_read[] = {READ}, one_store[] = {READ, {1, 0, 0, 4, 5, 3, 3, 1, 1, 0, 60}},
			two_stores[] = {READ, {1, 0, 0, 4, 6, 3, 3, 1, 1, 0, 60}},
			three_stores[] = {READ, {1, 0, 0, 4, 7, 3, 3, 1, 1, 0, 60}};
/* Node 1 uses all of it; node 0 some of it, which may be a part. */
static const struct use part[] = {{0, 0, 0, 0, 16, 0, 0, 4, 4, 0, 0},
				  {1, 0, 0, 0, 8, 1, 1, 1, 0, 0, 60},
				  {2, 1, 0, 4, 16, 1, 2, 1, 0, 1, 60}};

static void expect_patterns(const char *first, const char *second, const char *sentence)
{
	char *got = findings_of("remote-dram"), *line = got;
	size_t i;

	ok(!strncmp(got, first, strlen(first)), "%s", sentence);
	for (i = 0; i < 3 && line; i++)
		line = strchr(line + 1, '\n');
	ok(line && !strncmp(line + 1, second, strlen(second)) && !line[1 + strlen(second)] == !*second,
	   "%s: the second finding", sentence);
	free(got);
	memphis_profile_close(&profile);
}

int main(void)
{
	begin();
	memphis_settings_add(&profile.processes.list[0].settings,
			     (struct memphis_span){"period 65536\n", 13});
	HEATMAP("table", two_stores);
	expect_findings(
		"remote-dram",
		"undecided\n"
		"[heap]:table lies on node 0, and is used by nodes 0 and 1; these samples are too few to tell whether it is only read: 32 samples, 100.0 % of the loads from other nodes' memory (95 % CI 89.3 to 100.0)\n"
		"sample 4 times as often (--period 16384), or run 4 times as long to know whether each node may have a copy (allocated at model.c:10; its initialisation was not sampled); or interleave its pages: node 0's part of these accesses would go from 100 % to 50 %\n",
		"whether a variable with a few stores is only read is undecided");
	begin();
	HEATMAP("table", part);
	expect_findings(
		"remote-dram",
		"undecided\n"
		"[heap]:table lies on node 0, and is used by nodes 0 and 1; these samples are too few to tell whether each node uses a different part: 24 samples, 100.0 % of the loads from other nodes' memory (95 % CI 86.2 to 100.0)\n"
		"sample 4 times as often, or run 4 times as long to know whether threads that use a part should initialise it (allocated at model.c:10; its initialisation was not sampled); or interleave its pages: node 0's part of these accesses would go from 100 % to 50 %\n",
		"whether few samples of one node show a part of its own is undecided");
	begin();
	HEATMAP("table", only_read);
	expect_pattern("remote-dram", "read-shared",
		       "what has no stores after its initialisation is read-shared");
	begin();
	HEATMAP("grid%tx", one_store);
	expect_pattern("remote-dram", "undecided", "one store in few samples is undecided");
	begin();
	HEATMAP("grid%tx", one_store);
	HEATMAP("grid%ty", one_store);
	expect_patterns("read-shared\n[heap]:grid%tx and [heap]:grid%ty are read", "",
			"two members of which each is undecided show it together");
	begin();
	HEATMAP("grid%tx", one_store);
	HEATMAP("grid%ty", only_read);
	expect_patterns("read-shared\n[heap]:grid%tx and [heap]:grid%ty are read", "",
			"a member that is undecided is of the finding of another one");
	begin();
	HEATMAP("grid%tx", three_stores);
	HEATMAP("grid%ty", only_read);
	expect_patterns("undecided\n[heap]:grid%tx lies", "read-shared\n[heap]:grid%ty is read",
			"unless its samples rather show the contrary");
	return finish();
}
