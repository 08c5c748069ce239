// SPDX-License-Identifier: BSD-3-Clause
/*
 * Where a variable was initialised, and in which regions it is used. If this fails, findings point to the wrong source line or
 * caliper.
 */
#include "scenario.h"

static void initialised(void)
{
	static const struct use apart[] = {
		{0, 0, 0, 0, 16, 0, 0, 10, 10, 0, 0},
		{1, 0, 0, 0, 8, 1, 9, 4, 1, 0, 0},
		{2, 1, 0, 8, 16, 1, 9, 4, 1, 1, 0},
	};
	static const struct use read[] = {
		{0, 0, 0, 0, 16, 0, 0, 4, 4, 0, 0},
		{1, 0, 0, 0, 16, 1, 9, 4, 0, 0, 0},
		{2, 1, 0, 0, 16, 1, 9, 4, 0, 1, 0},
	};
	static const struct use swapped[] = {
		{0, 0, 0, 0, 8, 0, 0, 10, 10, 0, 0},
		{2, 1, 1, 8, 16, 0, 0, 10, 10, 0, 0},
		{2, 1, 0, 0, 8, 1, 9, 4, 1, 1, 0},
		{0, 0, 1, 8, 16, 1, 9, 4, 1, 1, 0},
	};
	static const struct use nothing_at_first[] = {
		{1, 0, 0, 0, 8, 1, 9, 4, 1, 0, 0},
		{2, 1, 0, 8, 16, 1, 9, 4, 1, 1, 0},
	};
	static const struct use parts_at_first[] = {
		{0, 0, 0, 2, 14, 0, 0, 10, 10, 0, 0},
		{1, 0, 0, 0, 8, 1, 9, 4, 1, 0, 0},
		{2, 1, 0, 8, 16, 1, 9, 4, 1, 1, 0},
	};
	/* Thread 0 accesses the variable before the others, but its stores were not sampled. */
	static const struct use before[] = {
		{0, 0, 0, 0, 16, 0, 0, 4, 0, 0, 0},
		{1, 0, 0, 0, 16, 1, 9, 4, 1, 0, 0},
		{2, 1, 0, 8, 16, 1, 9, 4, 1, 1, 0},
	};
	/* A buffer in the first parts, then all parts at another line. */
	static const struct use buffer[] = {
		{0, 0, 0, 0, 2, 0, 0, 10, 10, 0, 20},
		{0, 0, 0, 0, 16, 1, 1, 10, 10, 0, 24},
		{1, 0, 0, 0, 8, 2, 9, 4, 0, 0, 44},
		{2, 1, 0, 8, 16, 2, 9, 4, 0, 1, 44},
	};
	/* The first stores were hardly sampled, but are far apart. */
	static const struct use hardly[] = {
		{0, 0, 0, 2, 3, 0, 0, 10, 10, 0, 20},  {0, 0, 0, 12, 13, 0, 0, 10, 10, 0, 20},
		{0, 0, 0, 0, 16, 1, 1, 10, 10, 0, 24}, {1, 0, 0, 0, 8, 2, 9, 4, 0, 0, 44},
		{2, 1, 0, 8, 16, 2, 9, 4, 0, 1, 44},
	};
	struct memphis_heatmap *heatmap;

	store_lines[1][0] = store_lines[1][1] = 44;

	store_lines[0][0] = store_lines[0][1] = 20;
	begin();
	HEATMAP("field", apart);
	expect_findings(
		"remote-dram",
		"first-touch\n"
		"[heap]:field lies on node 0, where thread 100 (main) wrote it first at model.c:20 (step), and is used by nodes 0 and 1, each using a different part: 72 samples, 100.0 % of the loads from other nodes' memory (95 % CI 94.9 to 100.0)\n"
		"initialise it in parallel at model.c:20 (step), with each thread writing the part that it uses later at model.c:44 (step) (allocated at model.c:10); or interleave its pages: node 0's part of these accesses would go from 100 % to 50 %\n",
		"a first-touch finding names the line that initialised the variable");
	begin();
	HEATMAP("table", read);
	expect_findings(
		"remote-dram",
		"read-shared\n"
		"[heap]:table is read by nodes 0 and 1, all reading the same parts, and since then hardly written (0.0 % of the samples are stores); it lies on node 0: 144 samples, 100.0 % of the loads from other nodes' memory (95 % CI 97.4 to 100.0)\n"
		"give each node a copy (allocated at model.c:10; initialised at model.c:20 (step)); or interleave its pages: node 0's part of these accesses would go from 100 % to 50 %\n",
		"a read-shared finding names the line that initialised the variable");
	begin();
	memphis_settings_add(&profile.processes.list[0].settings,
			     (struct memphis_span){"huge_pages always\n", 18});
	HEATMAP("swapped", swapped);
	expect_findings(
		"remote-dram",
		"partition-mismatch\n"
		"[heap]:swapped lies on other nodes than those that use it: 0x100000-0x107fff are on node 0 and used by node 1; 0x108000-0x10ffff are on node 1 and used by node 0: 144 samples, 100.0 % of the loads from other nodes' memory (95 % CI 97.4 to 100.0)\n"
		"let those threads that use a part initialise it at model.c:20 (step) (allocated at model.c:10), or divide the work at model.c:44 (step) as the initialisation was: the same schedule, threads bound to CPUs; huge pages are always on, and one that has the parts of two threads lies on one node: align parts to 2 MiB, or use small pages there (MADV_NOHUGEPAGE)\n",
		"a partition-mismatch finding names the line where several threads initialised the variable");
	begin();
	HEATMAP("field", before);
	expect_findings(
		"remote-dram",
		"first-touch\n"
		"[heap]:field lies on node 0, and is used by nodes 0 and 1, all using the same parts: 72 samples, 100.0 % of the loads from other nodes' memory (95 % CI 94.9 to 100.0)\n"
		"interleave its pages, allocated at model.c:10: node 0's part of these accesses would go from 100 % to 50 %, which spreads them, but makes few of them local; if the schedule is dynamic, make it static instead, and let each thread initialise the part that it uses\n",
		"the line of a later store is not named as the initialisation");

	begin();
	HEATMAP("field", nothing_at_first);
	expect_findings(
		"remote-dram",
		"first-touch\n"
		"[heap]:field lies on node 0, and is used by nodes 0 and 1, each using a different part: 72 samples, 100.0 % of the loads from other nodes' memory (95 % CI 94.9 to 100.0)\n"
		"initialise it in parallel, with each thread writing the part that it uses later at model.c:44 (step) (allocated at model.c:10; the first sampled stores are at model.c:44 (step), which continues to store: other code may have initialised it); or interleave its pages: node 0's part of these accesses would go from 100 % to 50 %\n",
		"a first store at a line that continues to store may not be the initialisation");
	begin();
	HEATMAP("field", parts_at_first);
	expect_findings(
		"remote-dram",
		"first-touch\n"
		"[heap]:field lies on node 0, where thread 100 (main) wrote it first at model.c:20 (step), and is used by nodes 0 and 1, each using a different part: 72 samples, 100.0 % of the loads from other nodes' memory (95 % CI 94.9 to 100.0)\n"
		"initialise it in parallel at model.c:20 (step), with each thread writing the part that it uses later at model.c:44 (step) (allocated at model.c:10); or interleave its pages: node 0's part of these accesses would go from 100 % to 50 %\n",
		"parts whose first stores were not sampled do not matter");

	store_lines[1][0] = store_lines[1][1] = 24;
	begin();
	HEATMAP("field", buffer);
	expect_findings(
		"remote-dram",
		"first-touch\n"
		"[heap]:field lies on node 0, where thread 100 (main) wrote it first at model.c:24 (step), and is used by nodes 0 and 1, each using a different part: 64 samples, 100.0 % of the loads from other nodes' memory (95 % CI 94.3 to 100.0)\n"
		"initialise it in parallel at model.c:24 (step), with each thread writing the part that it uses later at model.c:44 (step) (allocated at model.c:10); or interleave its pages: node 0's part of these accesses would go from 100 % to 50 %\n",
		"a buffer in the first parts does not hide the line that initialised the rest");
	begin();
	HEATMAP("field", hardly);
	expect_findings(
		"remote-dram",
		"first-touch\n"
		"[heap]:field lies on node 0, where thread 100 (main) wrote it first, and is used by nodes 0 and 1, each using a different part: 64 samples, 100.0 % of the loads from other nodes' memory (95 % CI 94.3 to 100.0)\n"
		"initialise it in parallel, with each thread writing the part that it uses later at model.c:44 (step) (allocated at model.c:10; its initialisation was not sampled; that a thread on node 0 wrote it first is inferred from where its pages are, if they were not bound there); or interleave its pages: node 0's part of these accesses would go from 100 % to 50 %\n",
		"a line that stored after stores all over the variable has not initialised it");

	store_lines[1][0] = store_lines[1][1] = 44;
	store_lines[0][1] = 21;
	begin();
	HEATMAP("field", apart);
	expect_findings(
		"remote-dram",
		"first-touch\n"
		"[heap]:field lies on node 0, where thread 100 (main) wrote it first at model.c:20 (step) and elsewhere, and is used by nodes 0 and 1, each using a different part: 72 samples, 100.0 % of the loads from other nodes' memory (95 % CI 94.9 to 100.0)\n"
		"initialise it in parallel at model.c:20 (step) and elsewhere, with each thread writing the part that it uses later at model.c:44 (step) (allocated at model.c:10); or interleave its pages: node 0's part of these accesses would go from 100 % to 50 %\n",
		"of several initialising lines, one is named with 'and elsewhere'");

	store_lines[0][0] = store_lines[0][1] = IN_LIBRARY;
	begin();
	HEATMAP("field", apart);
	expect_findings(
		"remote-dram",
		"first-touch\n"
		"[heap]:field lies on node 0, where thread 100 (main) wrote it first in memset (libc.so.6), and is used by nodes 0 and 1, each using a different part: 72 samples, 100.0 % of the loads from other nodes' memory (95 % CI 94.9 to 100.0)\n"
		"initialise it in parallel, with each thread writing the part that it uses later at model.c:44 (step) (allocated at model.c:10; initialised in memset (libc.so.6)); or interleave its pages: node 0's part of these accesses would go from 100 % to 50 %\n",
		"an initialising function without line information is named");

	store_lines[0][0] = store_lines[0][1] = IN_MEMSET;
	begin();
	HEATMAP("field", apart);
	expect_findings(
		"remote-dram",
		"first-touch\n"
		"[heap]:field lies on node 0, where thread 100 (main) wrote it first in memset (libc.so.6), and is used by nodes 0 and 1, each using a different part: 72 samples, 100.0 % of the loads from other nodes' memory (95 % CI 94.9 to 100.0)\n"
		"initialise it in parallel, with each thread writing the part that it uses later at model.c:44 (step) (allocated at model.c:10; initialised in memset (libc.so.6)); or interleave its pages: node 0's part of these accesses would go from 100 % to 50 %\n",
		"an initialising function of the C library is named as programs call it");

	store_lines[0][0] = store_lines[0][1] = IN_HEADER;
	begin();
	HEATMAP("field", apart);
	expect_findings(
		"remote-dram",
		"first-touch\n"
		"[heap]:field lies on node 0, where thread 100 (main) wrote it first at model.c:30 (fill) via std::fill, and is used by nodes 0 and 1, each using a different part: 72 samples, 100.0 % of the loads from other nodes' memory (95 % CI 94.9 to 100.0)\n"
		"initialise it in parallel at model.c:30 (fill) via std::fill, with each thread writing the part that it uses later at model.c:44 (step) (allocated at model.c:10); or interleave its pages: node 0's part of these accesses would go from 100 % to 50 %\n",
		"code inlined from a system header is named by the program's line");
	memset(store_lines, 0, sizeof(store_lines));

	begin();
	HEATMAP("rows", apart)->small_blocks = true;
	expect_findings(
		"remote-dram",
		"first-touch\n"
		"[heap]:rows lies on node 0, where thread 100 (main) wrote it first, and is used by nodes 0 and 1, each using a different part: 72 samples, 100.0 % of the loads from other nodes' memory (95 % CI 94.9 to 100.0)\n"
		"allocate and initialise it in parallel, with each thread writing the part that it uses later at model.c:44 (step) (allocated at model.c:10; its initialisation was not sampled; that a thread on node 0 wrote it first is inferred from where its pages are, if they were not bound there), as malloc writes in front of each block, which is smaller than a page, and so places it; or allocate one large block, and initialise that so; or interleave its pages: node 0's part of these accesses would go from 100 % to 50 %\n",
		"blocks smaller than a page are placed by who allocates them");
	begin();
	HEATMAP("rows", swapped)->small_blocks = true;
	expect_findings(
		"remote-dram",
		"partition-mismatch\n"
		"[heap]:rows lies on other nodes than those that use it: 0x100000-0x107fff are on node 0 and used by node 1; 0x108000-0x10ffff are on node 1 and used by node 0: 144 samples, 100.0 % of the loads from other nodes' memory (95 % CI 97.4 to 100.0)\n"
		"let those threads that use a part allocate and initialise it (allocated at model.c:10; its initialisation was not sampled), as malloc writes in front of each block, which is smaller than a page, and so places it; or allocate one large block, and initialise that so, or divide the work at model.c:44 (step) as the initialisation was: the same schedule, threads bound to CPUs\n",
		"the parts of small blocks are placed by who allocates them, too");

	begin();
	heatmap = HEATMAP("field", apart);
	place_of(heatmap, 44, 2, 0)->remote = 10;
	add_region(heatmap, region("step"), 4);
	add_region(heatmap, region("solve"), 26);
	add_region(heatmap, region("halo"), 35);
	add_region(heatmap, region("write"), 25);
	expect_findings(
		"remote-dram",
		"first-touch\n"
		"[heap]:field lies on node 0, where thread 100 (main) wrote it first, and is used by nodes 0 and 1, each using a different part: 72 samples, 100.0 % of the loads from other nodes' memory (95 % CI 94.9 to 100.0), 35 % in region halo, 26 % in region solve\n"
		"initialise it in parallel, with each thread writing the part that it uses later at model.c:44 (step) (allocated at model.c:10; its initialisation was not sampled; that a thread on node 0 wrote it first is inferred from where its pages are, if they were not bound there); or interleave its pages: node 0's part of these accesses would go from 100 % to 50 %\n",
		"a finding names the two regions with most of its samples, unless they have few");
}

int main(void)
{
	initialised();
	return finish();
}
