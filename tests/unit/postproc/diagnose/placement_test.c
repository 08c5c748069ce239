// SPDX-License-Identifier: BSD-3-Clause
/*
 * Findings about placement: pages on the wrong node, moved threads, moved pages. If this fails, the report blames a variable
 * wrongly, or does not report a defect that its samples show.
 */
#include "scenario.h"

static void one_home(void)
{
	static const struct use apart[] = {
		{0, 0, 0, 0, 16, 0, 0, 10, 10, 0, 0},
		{1, 0, 0, 0, 8, 1, 9, 4, 1, 0, 0},
		{2, 1, 0, 8, 16, 1, 9, 4, 1, 1, 0},
	};
	static const struct use together[] = {
		{0, 0, 0, 0, 16, 0, 0, 10, 10, 0, 0},
		{1, 0, 0, 0, 16, 1, 9, 4, 1, 0, 0},
		{2, 1, 0, 0, 16, 1, 9, 4, 1, 1, 0},
	};
	static const struct use read[] = {
		{0, 0, 0, 0, 16, 0, 0, 4, 4, 0, 0},
		{1, 0, 0, 0, 16, 1, 9, 4, 0, 0, 0},
		{2, 1, 0, 0, 16, 1, 9, 4, 0, 1, 0},
	};
	static const struct use loads[] = {
		{1, 0, 0, 0, 16, 1, 9, 4, 0, 0, 0},
		{2, 1, 0, 0, 16, 1, 9, 4, 0, 1, 0},
	};
	static const struct use other_node[] = {
		{0, 0, 0, 0, 16, 0, 0, 10, 10, 0, 0},
		{2, 1, 0, 0, 16, 1, 9, 4, 1, 1, 0},
	};

	begin();
	HEATMAP("field", apart);
	expect_findings(
		"remote-dram",
		"first-touch\n"
		"[heap]:field lies on node 0, where thread 100 (main) wrote it first, and is used by nodes 0 and 1, each using a different part: 72 samples, 100.0 % of the loads from other nodes' memory (95 % CI 94.9 to 100.0)\n"
		"initialise it in parallel, with each thread writing the part that it uses later at model.c:44 (step) (allocated at model.c:10; its initialisation was not sampled; that a thread on node 0 wrote it first is inferred from where its pages are, if they were not bound there); or interleave its pages: node 0's part of these accesses would go from 100 % to 50 %\n",
		"first-touch: one thread writes first, then two nodes use a part each");
	begin();
	HEATMAP("field", together);
	expect_findings(
		"remote-dram",
		"first-touch\n"
		"[heap]:field lies on node 0, where thread 100 (main) wrote it first, and is used by nodes 0 and 1, all using the same parts: 144 samples, 100.0 % of the loads from other nodes' memory (95 % CI 97.4 to 100.0)\n"
		"interleave its pages, allocated at model.c:10: node 0's part of these accesses would go from 100 % to 50 %, which spreads them, but makes few of them local; if the schedule is dynamic, make it static instead, and let each thread initialise the part that it uses\n",
		"first-touch: one thread writes first, then two nodes use and write all of it");
	begin();
	HEATMAP("table", read);
	expect_findings(
		"remote-dram",
		"read-shared\n"
		"[heap]:table is read by nodes 0 and 1, all reading the same parts, and since then hardly written (0.0 % of the samples are stores); it lies on node 0: 144 samples, 100.0 % of the loads from other nodes' memory (95 % CI 97.4 to 100.0)\n"
		"give each node a copy (allocated at model.c:10; its initialisation was not sampled); or interleave its pages: node 0's part of these accesses would go from 100 % to 50 %\n",
		"read-shared: a variable that is no longer written can have a copy per node");
	begin();
	HEATMAP("table", loads);
	expect_findings(
		"remote-dram",
		"first-touch\n"
		"[heap]:table lies on node 0, and is used by nodes 0 and 1, all using the same parts, as far as loads show: 144 samples, 100.0 % of the loads from other nodes' memory (95 % CI 97.4 to 100.0)\n"
		"interleave its pages, allocated at model.c:10: node 0's part of these accesses would go from 100 % to 50 %, which spreads them, but makes few of them local; if the schedule is dynamic, make it static instead, and let each thread initialise the part that it uses\n",
		"first-touch: without any sampled store, it is unknown whether the variable is only read");
	begin();
	HEATMAP("field", other_node);
	expect_findings(
		"remote-dram",
		"partition-mismatch\n"
		"[heap]:field lies on other nodes than those that use it: 0x100000-0x10ffff are on node 0 and used by node 1: 144 samples, 100.0 % of the loads from other nodes' memory (95 % CI 97.4 to 100.0)\n"
		"let those threads that use a part initialise it (allocated at model.c:10; its initialisation was not sampled), or divide the work at model.c:44 (step) as the initialisation was: the same schedule, threads bound to CPUs\n",
		"partition-mismatch: a single other node uses the variable");
}

static void several_homes(void)
{
	static const struct use swapped[] = {
		{0, 0, 0, 0, 8, 0, 0, 10, 10, 0, 0},
		{2, 1, 1, 8, 16, 0, 0, 10, 10, 0, 0},
		{2, 1, 0, 0, 8, 1, 9, 4, 1, 1, 0},
		{0, 0, 1, 8, 16, 1, 9, 4, 1, 1, 0},
	};
	static const struct use serial[] = {
		{0, 0, 0, 0, 8, 0, 9, 10, 2, 0, 0},
		{2, 1, 1, 8, 16, 0, 9, 10, 2, 0, 0},
		{0, 0, 1, 8, 16, 1, 9, 2, 0, 2, 55},
	};
	static const struct use serial_rank[] = {
		{0, 0, 0, 0, 8, 0, 9, 10, 2, 0, 0},
		{0, 0, 1, 8, 16, 1, 9, 2, 1, 2, 55},
	};
	static const struct use rank_elsewhere[] = {{0, 0, 1, 0, 16, 1, 9, 2, 1, 2, 0}};
	static const struct use divided[] = {
		{0, 0, 0, 0, 8, 0, 9, 10, 2, 0, 0},
		{2, 1, 1, 8, 16, 0, 9, 10, 2, 0, 0},
		{0, 0, 1, 8, 16, 1, 9, 3, 0, 3, 0},
		{2, 1, 0, 0, 8, 1, 9, 2, 0, 2, 0},
	};
	static const struct use halo[] = {
		{0, 0, 0, 0, 8, 0, 9, 40, 8, 0, 0},
		{2, 1, 1, 8, 16, 0, 9, 40, 8, 0, 0},
		{0, 0, 1, 8, 9, 1, 9, 2, 0, 2, 0},
		{2, 1, 0, 7, 8, 1, 9, 2, 0, 2, 0},
	};
	static const struct use halves[] = {
		{0, 0, 0, 0, 8, 0, 0, 10, 10, 0, 0}, {2, 1, 1, 8, 16, 0, 0, 10, 10, 0, 0},
		{0, 0, 0, 0, 8, 1, 9, 4, 1, 0, 0},   {0, 0, 1, 8, 16, 1, 9, 4, 1, 1, 0},
		{2, 1, 0, 0, 8, 1, 9, 4, 1, 1, 0},   {2, 1, 1, 8, 16, 1, 9, 4, 1, 0, 0},
	};
	static struct use spread[BINS];
	static const struct use dynamic[] = {
		{0, 0, 0, 0, 8, 0, 0, 4, 4, 0, 0}, {2, 1, 1, 8, 16, 0, 0, 4, 4, 0, 0},
		{0, 0, 0, 0, 8, 1, 9, 4, 0, 0, 0}, {0, 0, 1, 8, 16, 1, 9, 4, 0, 1, 0},
		{2, 1, 0, 0, 8, 1, 9, 4, 0, 1, 0}, {2, 1, 1, 8, 16, 1, 9, 4, 0, 0, 0},
	};
	static const struct use interleaved[] = {
		{0, 0, 0, 0, 8, 0, 9, 2, 1, 0, 0},
		{0, 0, 1, 0, 8, 0, 9, 2, 1, 1, 0},
		{2, 1, 0, 8, 16, 0, 9, 2, 1, 1, 0},
		{2, 1, 1, 8, 15, 0, 9, 2, 1, 0, 0}, /* the last part is on one node, by chance */
	};
	/* Pages of two bins each, of which the first one is on the node that uses it. */
	static const struct use alternating[] = {
		{0, 0, 0, 0, 2, 0, 9, 4, 1, 0, 0},   {0, 0, 1, 2, 4, 0, 9, 4, 1, 1, 0},
		{0, 0, 0, 4, 6, 0, 9, 4, 1, 0, 0},   {0, 0, 1, 6, 8, 0, 9, 4, 1, 1, 0},
		{2, 1, 1, 8, 10, 0, 9, 4, 1, 0, 0},  {2, 1, 0, 10, 12, 0, 9, 4, 1, 1, 0},
		{2, 1, 1, 12, 14, 0, 9, 4, 1, 0, 0}, {2, 1, 0, 14, 16, 0, 9, 4, 1, 1, 0},
	};
	struct memphis_heatmap *heatmap;
	size_t i;

	begin();
	for (i = 1; i < THREADS; i++)
		memphis_settings_close(&profile.processes.list[0].threads[i].metadata);
	profile.processes.list[0].thread_count = 1;
	HEATMAP("tx", serial_rank);
	expect_findings(
		"remote-dram",
		"serial-phase\n"
		"[heap]:tx lies on nodes 0 and 1, and the only thread of its process makes the remote accesses: thread 100 (main) on node 0, 100 % of them, most at model.c:55 (step): 144 samples, 100.0 % of the loads from other nodes' memory (95 % CI 97.4 to 100.0)\n"
		"bind the process and its memory to one node before it allocates (numactl --cpunodebind=N --membind=N, srun --cpu-bind --mem-bind=local, mpirun --bind-to numa), so that it first touches its memory on the node where it stays (allocated at model.c:10; its initialisation was not sampled); if it is bound already, check whether the pages were touched before that, or whether its node was full\n",
		"serial-phase: the advice for a process of one thread is to bind it");
	begin();
	memphis_settings_add(&profile.processes.list[0].settings, (struct memphis_span){"rank 3\n", 7});
	for (i = 0; i < THREADS; i++)
		profile.processes.list[0].threads[i].read = i ? 1 : 1000;
	HEATMAP("tx", rank_elsewhere);
	expect_findings(
		"remote-dram",
		"partition-mismatch\n"
		"[heap]:tx lies on other nodes than those that use it: 0x100000-0x10ffff are on node 1 and used by node 0: 288 samples, 100.0 % of the loads from other nodes' memory (95 % CI 98.7 to 100.0)\n"
		"bind each rank and its memory to one node before it allocates (numactl --cpunodebind=N --membind=N, srun --cpu-bind --mem-bind=local, mpirun --bind-to numa), so that it first touches its memory on the node where it stays (allocated at model.c:10; its initialisation was not sampled); if it is bound already, check whether the pages were touched before that, or whether its node was full\n",
		"partition-mismatch: the advice for a rank with only helper threads is to bind it");
	begin();
	for (i = 0; i < THREADS; i++)
		profile.processes.list[0].threads[i].read = i ? 1 : 1000;
	heatmap = HEATMAP("window", rank_elsewhere);
	profile.variables[heatmap->variable].segment = text("shm");
	expect_findings(
		"remote-dram",
		"partition-mismatch\n"
		"[shm]:window lies on other nodes than those that use it: 0x100000-0x10ffff are on node 1 and used by node 0: 288 samples, 100.0 % of the loads from other nodes' memory (95 % CI 98.7 to 100.0)\n"
		"let those threads that use a part initialise it (allocated at model.c:10; its initialisation was not sampled), or divide the work at model.c:44 (step) as the initialisation was: the same schedule, threads bound to CPUs\n",
		"partition-mismatch: binding a rank does not move shared memory, which others have placed");
	begin();
	heatmap = HEATMAP("swapped", swapped);
	heatmap->element_bytes = 8;
	expect_findings(
		"remote-dram",
		"partition-mismatch\n"
		"[heap]:swapped lies on other nodes than those that use it: elements 0-4095 are on node 0 and used by node 1; elements 4096-8191 are on node 1 and used by node 0: 144 samples, 100.0 % of the loads from other nodes' memory (95 % CI 97.4 to 100.0)\n"
		"let those threads that use a part initialise it (allocated at model.c:10; its initialisation was not sampled), or divide the work at model.c:44 (step) as the initialisation was: the same schedule, threads bound to CPUs\n",
		"partition-mismatch: each node uses the other node's part");
	begin();
	heatmap = HEATMAP("interleaved", interleaved);
	heatmap->bin_shift = BIN_SHIFT + 1; /* a page is on one node */
	heatmap->high = BASE + (BINS << (BIN_SHIFT + 1)) - 1;
	heatmap->element_bytes = 8;
	expect_findings(
		"remote-dram",
		"partition-mismatch\n"
		"[heap]:interleaved lies on other nodes than those that use it: elements 0-8191 are on several nodes and used by node 0; elements 8192-16383 are on several nodes and used by node 1: 160 samples, 100.0 % of the loads from other nodes' memory (95 % CI 97.7 to 100.0)\n"
		"let those threads that use a part initialise it (allocated at model.c:10; its initialisation was not sampled), without interleaving (numactl, mbind(2)), or divide the work at model.c:44 (step) as the initialisation was: the same schedule, threads bound to CPUs\n",
		"partition-mismatch: pages are interleaved, and each node uses a part");
	begin();
	heatmap = HEATMAP("alternating", alternating);
	heatmap->element_bytes = 8;
	expect_findings(
		"remote-dram",
		"partition-mismatch\n"
		"[heap]:alternating lies on other nodes than those that use it: elements 1024-2047 are on node 1 and used by node 0; elements 3072-4095 are on node 1 and used by node 0; elements 5120-6143 are on node 0 and used by node 1; elements 7168-8191 are on node 0 and used by node 1: 80 samples, 100.0 % of the loads from other nodes' memory (95 % CI 95.4 to 100.0)\n"
		"let those threads that use a part initialise it (allocated at model.c:10; its initialisation was not sampled), or divide the work at model.c:44 (step) as the initialisation was: the same schedule, threads bound to CPUs\n",
		"partition-mismatch: what is local between two ranges is in neither of them");
	begin();
	HEATMAP("tx", serial);
	expect_findings(
		"remote-dram",
		"serial-phase\n"
		"[heap]:tx lies on nodes 0 and 1, and one thread makes most of the remote accesses: thread 100 (main) on node 0, 100 % of them, most at model.c:55 (step): 144 samples, 100.0 % of the loads from other nodes' memory (95 % CI 97.4 to 100.0)\n"
		"divide the loop at model.c:55 (step) among the threads, so that each uses the data of its own node; or let the owners pack the data that the one thread needs\n",
		"serial-phase: one thread copies the parts of both nodes");
	begin();
	HEATMAP("tx", divided);
	expect_findings("remote-dram", "",
			"no finding where two threads divide the work, although one of them does 60 %");
	begin();
	HEATMAP("tx", halo);
	expect_findings("remote-dram", "",
			"no finding where neighbours access a few pages across their border");
	for (i = 0; i < BINS; i++) {
		const uint16_t home = i / 2 % 2, from = (uint16_t)(i / 2 * 2);

		spread[i] = (struct use){i % 2 ? 2 : 0, i % 2, home, from, (uint16_t)(from + 2), 1, 9, 4, 1,
					 i % 2 != home, 0};
	}
	begin();
	HEATMAP("hash", spread);
	expect_findings("remote-dram", "", "no finding where all nodes write everywhere, spread evenly");
	begin();
	HEATMAP("field", halves);
	expect_findings(
		"remote-dram",
		"schedule-mismatch\n"
		"[heap]:field lies on nodes 0 and 1, and most remote accesses are made at model.c:44 (step); each part lies on one node, but threads of several nodes use it: 144 samples, 100.0 % of the loads from other nodes' memory (95 % CI 97.4 to 100.0)\n"
		"divide the loop at model.c:44 (step) among the threads in the same way as the initialisation (bounds, order and schedule), so that each thread uses the data of its own node; or, if each thread needs data of all nodes, let the owners pack them, or give each node a copy\n",
		"schedule-mismatch: each node has one half, and both nodes use all of it");
	begin();
	store_lines[0][0] = store_lines[0][1] = 20;
	HEATMAP("field", halves);
	expect_findings(
		"remote-dram",
		"schedule-mismatch\n"
		"[heap]:field lies on nodes 0 and 1, and most remote accesses are made at model.c:44 (step); other loops use it on the nodes where the data are, as that at model.c:20 (step) does: 144 samples, 100.0 % of the loads from other nodes' memory (95 % CI 97.4 to 100.0)\n"
		"divide the loop at model.c:44 (step) among the threads in the same way as that at model.c:20 (step) (bounds, order and schedule), so that each thread uses the data of its own node; or, if each thread needs data of all nodes, let the owners pack them, or give each node a copy\n",
		"schedule-mismatch: the loop that initialised the halves is named");
	store_lines[0][0] = store_lines[0][1] = 0;
	begin();
	heatmap = HEATMAP("hash", halves);
	*(struct memphis_heatmap_load *)memphis_append(heatmap->loads, heatmap->load_count,
						       heatmap->load_room) = (struct memphis_heatmap_load){
		.instruction = instruction_at(44), .order = MEMPHIS_ORDER_RANDOM};
	expect_findings("remote-dram", "",
			"no finding where no schedule would make the addresses of a loop local");
	begin();
	HEATMAP("graph", dynamic);
	expect_findings(
		"remote-dram",
		"read-shared\n"
		"[heap]:graph is read by nodes 0 and 1, all reading the same parts, and since then hardly written (0.0 % of the samples are stores): 144 samples, 100.0 % of the loads from other nodes' memory (95 % CI 97.4 to 100.0)\n"
		"give each node a copy (allocated at model.c:10; its initialisation was not sampled); or make the schedule static, if it is dynamic\n",
		"read-shared: what lies on several nodes can be divided by a static schedule, and interleaving changes nothing");
}

/* Whether one thread is alone in a loop is judged from all accesses that the loop makes, and for each loop. */
static void loops(void)
{
	/* Both threads run the loop at line 60; the part of one of them begins on the other node. */
	static const struct use seam[] = {
		{0, 0, 0, 0, 8, 0, 0, 10, 10, 0, 0}, {2, 1, 1, 8, 16, 0, 0, 10, 10, 0, 0},
		{0, 0, 0, 0, 8, 1, 9, 10, 2, 0, 60}, {2, 1, 1, 8, 16, 1, 9, 10, 2, 0, 60},
		{0, 0, 1, 8, 9, 1, 9, 4, 0, 4, 60},
	};
	/* The same, with a serial loop at line 70 that reads all of it. */
	static const struct use both[] = {
		{0, 0, 0, 0, 8, 0, 0, 10, 10, 0, 0}, {2, 1, 1, 8, 16, 0, 0, 10, 10, 0, 0},
		{0, 0, 0, 0, 8, 1, 9, 10, 2, 0, 60}, {2, 1, 1, 8, 16, 1, 9, 10, 2, 0, 60},
		{0, 0, 1, 8, 9, 1, 9, 4, 0, 4, 60},  {0, 0, 0, 0, 8, 1, 9, 1, 0, 0, 70},
		{0, 0, 1, 8, 16, 1, 9, 2, 0, 2, 70},
	};
	/* At line 60, each node uses the part of the other one; one thread reads all at line 70. */
	static const struct use rest[] = {
		{0, 0, 0, 0, 8, 0, 0, 10, 10, 0, 0}, {2, 1, 1, 8, 16, 0, 0, 10, 10, 0, 0},
		{2, 1, 0, 0, 8, 1, 9, 4, 1, 1, 60},  {0, 0, 1, 8, 16, 1, 9, 4, 1, 1, 60},
		{0, 0, 0, 0, 8, 1, 9, 1, 0, 0, 70},  {0, 0, 1, 8, 16, 1, 9, 1, 0, 1, 70},
	};

	begin();
	HEATMAP("matrix", seam);
	expect_findings("remote-dram", "",
			"no serial phase where the other threads of the loop access only their own node");
	begin();
	HEATMAP("matrix", both);
	expect_findings(
		"remote-dram",
		"serial-phase\n"
		"[heap]:matrix lies on nodes 0 and 1, and one thread makes most of the remote accesses: thread 100 (main) on node 0, 100 % of them, most at model.c:70 (step): 144 samples, 80.0 % of the loads from other nodes' memory (95 % CI 73.6 to 85.2)\n"
		"divide the loop at model.c:70 (step) among the threads, so that each uses the data of its own node; or let the owners pack the data that the one thread needs\n",
		"of two loops, the serial one is found, with its own samples");
	begin();
	HEATMAP("matrix", rest);
	expect_findings(
		"remote-dram",
		"partition-mismatch\n"
		"[heap]:matrix lies on other nodes than those that use it: 0x100000-0x107fff are on node 0 and used by node 1; 0x108000-0x10ffff are on node 1 and used by node 0: 144 samples, 66.7 % of the loads from other nodes' memory (95 % CI 60.1 to 72.6)\n"
		"let those threads that use a part initialise it (allocated at model.c:10; its initialisation was not sampled), or divide the work at model.c:60 (step) as the initialisation was: the same schedule, threads bound to CPUs\n"
		"serial-phase\n"
		"[heap]:matrix lies on nodes 0 and 1, and one thread makes most of the remote accesses: thread 100 (main) on node 0, 100 % of them, most at model.c:70 (step): 72 samples, 33.3 % of the loads from other nodes' memory (95 % CI 27.4 to 39.9)\n"
		"divide the loop at model.c:70 (step) among the threads, so that each uses the data of its own node; or let the owners pack the data that the one thread needs\n",
		"what a serial loop leaves unexplained has a pattern of its own");
}

static void moved(void)
{
	static const struct use thread[] = {
		{1, 0, 0, 0, 16, 0, 2, 10, 10, 0, 0},
		{1, 1, 0, 0, 16, 3, 9, 4, 1, 2, 0},
	};
	static const struct use pages[] = {
		{1, 0, 0, 0, 16, 0, 3, 10, 5, 0, 0},
		{1, 0, 1, 0, 16, 4, 9, 10, 5, 2, 0},
	};
	static const struct use to_users[] = {
		{2, 1, 0, 0, 16, 0, 3, 10, 5, 2, 0},
		{2, 1, 1, 0, 16, 4, 9, 10, 5, 0, 0},
	};
	static const struct use late[] = {
		{2, 1, 0, 0, 16, 0, 6, 2, 1, 2, 0},
		{2, 1, 1, 0, 16, 7, 8, 2, 1, 0, 0},
	};
	/* Of the part of node 1, half moves. */
	static const struct use some[] = {
		{0, 0, 0, 0, 8, 0, 9, 2, 1, 0, 0},
		{2, 1, 0, 8, 12, 0, 6, 2, 1, 2, 0},
		{2, 1, 1, 8, 12, 7, 9, 2, 1, 0, 0},
		{2, 1, 0, 12, 16, 0, 9, 2, 1, 2, 0},
	};
	static const struct use memory_only[] = {
		{0, 0, 2, 0, 8, 0, 9, 4, 1, 1, 0},
		{2, 1, 2, 8, 16, 0, 9, 4, 1, 1, 0},
	};

	begin();
	HEATMAP("own", thread);
	expect_findings(
		"remote-dram",
		"moved-threads\n"
		"[heap]:own was left behind: thread 101 (worker1) began to use it on node 0, where its pages are, and now uses it from node 1: 224 samples, 100.0 % of the loads from other nodes' memory (95 % CI 98.3 to 100.0)\n"
		"bind threads to CPUs (OMP_PROC_BIND, taskset, numactl --cpunodebind), or move the pages after them (migratepages(8), move_pages(2))\n",
		"moved-threads: a thread leaves the node of its pages");
	begin();
	HEATMAP("own", pages);
	expect_findings(
		"remote-dram",
		"moved-pages\n"
		"[heap]:own was moved away from node 0, whose threads go on using it: 192 samples, 100.0 % of the loads from other nodes' memory (95 % CI 98.0 to 100.0)\n"
		"find out who moves the pages (automatic NUMA balancing, migratepages, cpusets), and bind the memory to its users' node (mbind(2), numactl)\n",
		"moved-pages: pages leave the node of their thread");
	begin();
	HEATMAP("own", to_users);
	expect_findings(
		"remote-dram",
		"moved-to-users\n"
		"[heap]:own lay on node 0 until its pages were moved to the nodes that use them; the remote accesses were made before: 128 samples, 100.0 % of the loads from other nodes' memory (95 % CI 97.1 to 100.0)\n"
		"nothing, if the run goes on much longer: the remote accesses ended when the pages were moved (automatic NUMA balancing); else let those threads that use a part initialise it (allocated at model.c:10; its initialisation was not sampled), so that it is there from the start\n",
		"moved-to-users: pages come to the node of their thread");
	begin();
	HEATMAP("own", late);
	expect_pattern("remote-dram", "moved-to-users", "moved-to-users: pages come after most of the run");
	begin();
	HEATMAP("own", some);
	expect_pattern("remote-dram", "first-touch",
		       "first-touch: where the pages were before some of them moved");
	begin();
	HEATMAP("far", memory_only);
	expect_findings(
		"remote-dram",
		"memory-only-node\n"
		"[heap]:far lies on node 2, which has no CPUs: every access is remote: 160 samples, 100.0 % of the loads from other nodes' memory (95 % CI 97.7 to 100.0)\n"
		"place it on a node with CPUs (mbind(2), numactl --membind), allocated at model.c:10, and leave less used data there\n",
		"memory-only-node: a variable lies on a node without CPUs");
}

int main(void)
{
	one_home();
	several_homes();
	loops();
	moved();
	return finish();
}
