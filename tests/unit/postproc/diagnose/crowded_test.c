// SPDX-License-Identifier: BSD-3-Clause
/*
 * Memory whose node serves all others, too. If this fails, a report says that other places of memory save next to nothing where they would relieve a
 * controller, or calls memory crowded that is merely far away.
 */
#include "scenario.h"

static const struct use uses[] = {
	{0, 0, 0, 0, 16, 0, 0, 10, 10, 0, 0},
	{1, 0, 0, 0, 8, 1, 9, 4, 1, 0, 60},
	{2, 1, 0, 8, 16, 1, 9, 4, 1, 1, 60},
};

/* Adds `count` loads of a node from the memory of another one, or from its own; all of these have this latency. */
static void add_loads(uint16_t node, uint16_t home, uint64_t count, uint64_t cycles)
{
	const struct memphis_access access = {node, home, MEMPHIS_SOURCE_DRAM,
					      MEMPHIS_FLAG_LOAD | (node == home ? 0 : MEMPHIS_FLAG_REMOTE)};
	struct memphis_measure *measure = &memphis_totals_get(&profile.totals, 0, 0, access)->measure;

	measure->count += count;
	measure->accesses += count;
	measure->latency_cycles = measure->count * cycles;
	measure->latency_squares = measure->count * cycles * cycles;
}

static void expect_crowded(bool crowded, const char *sentence)
{
	static const char text[] =
		", each using a different part; node 0's memory is crowded: it serves nearly all loads from memory, and those of node 0 itself take as long (850 cycles) as those of other nodes (900): ";
	char *got = findings_of("remote-dram");

	ok(!strncmp(got, "first-touch\n", 12) && !strstr(got, text) == !crowded &&
		   !strstr(got, "crowded") == !crowded,
	   "%s", sentence);
	free(got);
	memphis_profile_close(&profile);
}

static void begin_loads(uint64_t own, uint64_t own_cycles, uint64_t elsewhere)
{
	begin();
	HEATMAP("field", uses);
	add_loads(0, 0, own, own_cycles);
	add_loads(1, 0, 28, 900);
	add_loads(1, 1, elsewhere, 200);
}

static void set_distances(const char *distances)
{
	size_t i;

	for (i = 0; i < 2; i++) {
		free(profile.processes.list[0].nodes[i].distances);
		profile.processes.list[0].nodes[i].distances = strdup(distances);
	}
}

int main(void)
{
	begin_loads(100, 850, 0);
	set_distances("20,20");
	expect_crowded(true, "memory is crowded if it is as slow for its own node");
	begin_loads(100, 500, 0);
	set_distances("20,20");
	expect_crowded(false, "but not if it is faster for its own node");
	begin_loads(19, 850, 0);
	set_distances("20,20");
	expect_crowded(false, "nor if few samples of its own node say so");
	begin_loads(100, 850, 50);
	set_distances("20,20");
	expect_crowded(false, "nor if other memory serves a part of the loads");
	begin_loads(100, 850, 0);
	set_distances("12,12");
	expect_crowded(false, "nor if both nodes are on one socket");
	return finish();
}
