// SPDX-License-Identifier: BSD-3-Clause
/* Tests findings of pages that are moved to and fro between nodes. */
#include "scenario.h"

/* Nodes use the variable in turn. Its pages follow when a turn is nearly over, or half over. */
static const struct use turns[] = {
	{0, 0, 0, 0, 16, 0, 1, 8, 1, 0, 0},   {2, 1, 0, 0, 16, 2, 4, 8, 1, 2, 0},
	{2, 1, 1, 0, 16, 5, 5, 8, 1, 0, 0},   {0, 0, 1, 0, 16, 6, 8, 8, 1, 2, 0},
	{0, 0, 0, 0, 16, 9, 10, 8, 1, 0, 0},  {2, 1, 0, 0, 16, 11, 13, 8, 1, 2, 0},
	{2, 1, 1, 0, 16, 14, 16, 8, 1, 0, 0},
};

static void to_and_fro(void)
{
	/* The same by one thread, which runs on both nodes. */
	static const struct use wanderer[] = {
		{1, 0, 0, 0, 16, 0, 1, 4, 1, 0, 0},  {1, 1, 0, 0, 16, 2, 4, 4, 1, 2, 0},
		{1, 1, 1, 0, 16, 5, 5, 4, 1, 0, 0},  {1, 0, 1, 0, 16, 6, 8, 4, 1, 2, 0},
		{1, 0, 0, 0, 16, 9, 10, 4, 1, 0, 0},
	};

	begin();
	HEATMAP("exchange", turns);
	expect_findings(
		"remote-dram",
		"ping-pong\n"
		"[heap]:exchange went to and fro between nodes 0 and 1: pages were moved 3 times or more, and came back: 288 samples, 100.0 % of the loads from other nodes' memory (95 % CI 98.7 to 100.0)\n"
		"bind it to the node that uses it most (mbind(2), numactl --membind), so that automatic NUMA balancing leaves the pages alone, or turn that off (sysctl kernel.numa_balancing=0); if the nodes take turns, give each a part or a copy of its own, at model.c:44 (step)\n",
		"ping-pong: pages follow nodes that use them in turn");
	begin();
	HEATMAP("own", wanderer);
	expect_findings(
		"remote-dram",
		"ping-pong\n"
		"[heap]:own went to and fro between nodes 0 and 1: pages were moved 2 times or more, and came back; thread 101 (worker1), which makes 100 % of the remote accesses, ran on several nodes, too: 192 samples, 100.0 % of the loads from other nodes' memory (95 % CI 98.0 to 100.0)\n"
		"bind the thread to CPUs of one node (OMP_PROC_BIND, taskset, numactl --cpunodebind), so that its pages may stay there\n",
		"ping-pong: pages follow a thread that runs on several nodes in turn");
}

static void not_to_and_fro(void)
{
	struct memphis_heatmap *heatmap;
	size_t i;

	/* Each bin has two pages, one on each node, which are used one after the other. */
	begin();
	heatmap = HEATMAP("interleaved", turns);
	heatmap->high = BASE + (BINS << (BIN_SHIFT + 1)) - 1;
	heatmap->bin_shift = BIN_SHIFT + 1;
	for (i = 0; i < heatmap->spot_count; i++)
		heatmap->spots[i].lowest = heatmap->spots[i].highest = heatmap->spots[i].home ? 0x8000 : 0;
	expect_findings("remote-dram", "",
			"no ping-pong of pages that stay, and are used one after the other");
	begin();
	HEATMAP("renewed", turns)->renewed = true;
	expect_findings("remote-dram", "", "no ping-pong of successive blocks in the same memory");
}

int main(void)
{
	to_and_fro();
	not_to_and_fro();
	return finish();
}
