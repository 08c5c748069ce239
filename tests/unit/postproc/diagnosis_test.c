// SPDX-License-Identifier: BSD-3-Clause
/* If this fails, the report blames variables for what they do not do, or stays silent about a defect that its samples show. */
#include "diagnose/diagnosis.h"
#include "evidence/evidence.h"

#include <stdlib.h>

#include "name/system_libraries.h"
#include "profile/heatmap.h"

#include "../tap.h"

enum { BINS = 16, BIN_SHIFT = 12, BASE = 0x100000, THREADS = 4 };

static struct memphis_profile profile;

/*
 * Lines of the stores of the first tick and of those that follow, to the first eight bins and to the others. 0: no line is kept of them, as in
 * profiles that were made before they were.
 */
static uint32_t store_lines[2][2];

#define IN_LIBRARY UINT32_MAX       /* no line: memset() in libc */
#define IN_MEMSET  (UINT32_MAX - 2) /* the same where there is debug information of libc */
#define IN_HEADER  (UINT32_MAX - 1) /* std::fill(), inlined at model.c:30 */

/* Accesses of a thread to bins [from, to), each bin `count` times in each tick: this many of them stores, of loads selected. */
struct use {
	uint32_t thread;
	uint16_t node, home;
	uint16_t from, to, first_tick, last_tick;
	uint32_t count, stores, selected;
};

static int compare_spots(const void *a, const void *b)
{
	const struct memphis_heatmap_spot *x = a, *y = b;

	return x->tick != y->tick   ? x->tick - y->tick
	       : x->bin != y->bin   ? x->bin - y->bin
	       : x->node != y->node ? x->node - y->node
				    : x->home - y->home;
}

static int compare_uses(const void *a, const void *b)
{
	const struct memphis_heatmap_use *x = a, *y = b;

	return x->thread != y->thread ? (int)x->thread - (int)y->thread
	       : x->bin != y->bin     ? x->bin - y->bin
				      : x->node - y->node;
}

static uint32_t text(const char *string)
{
	return memphis_profile_string(&profile, string);
}

static uint32_t instruction_at(uint32_t line)
{
	struct memphis_profile_frame frames[2] = {{text("step"), text("/src/model.c"), line},
						  {text("fill"), text("/src/model.c"), 30}};
	struct memphis_object library = {.path = text("/lib/libc.so.6")};
	uint32_t object = MEMPHIS_NONE;

	if (line == IN_MEMSET) {
		object = memphis_profile_object(&profile, &library);
		frames[0] = (struct memphis_profile_frame){
			text("__memset_avx2_unaligned_erms"),
			text("../sysdeps/x86_64/multiarch/memset-vec-unaligned-erms.S"), 336};
	} else if (line == IN_LIBRARY) {
		object = memphis_profile_object(&profile, &library);
		frames[0] = (struct memphis_profile_frame){text("memset"), 0, 0};
	} else if (line == IN_HEADER) {
		frames[0] =
			(struct memphis_profile_frame){text("std::fill"), text("/usr/include/c++/fill.h"), 9};
	}
	return memphis_profile_instruction(&profile, object, line, frames, line == IN_HEADER ? 2 : 1);
}

static void add_store(struct memphis_heatmap *heatmap, uint32_t instruction, uint64_t since_ns)
{
	struct memphis_heatmap_store *store;

	for (store = heatmap->stores; store < heatmap->stores + heatmap->store_count; store++)
		if (store->instruction == instruction) {
			store->last_ns = since_ns > store->last_ns ? since_ns : store->last_ns;
			return;
		}
	*(struct memphis_heatmap_store *)memphis_append(heatmap->stores, heatmap->store_count,
							heatmap->store_room) =
		(struct memphis_heatmap_store){instruction, 1, since_ns, since_ns};
}

static void add_use(struct memphis_heatmap *heatmap, const struct use *use, uint16_t bin, uint16_t tick)
{
	struct memphis_heatmap_spot *spot =
		memphis_append(heatmap->spots, heatmap->spot_count, heatmap->spot_room);
	struct memphis_heatmap_use *row = NULL;
	uint32_t line;
	size_t i;

	*spot = (struct memphis_heatmap_spot){.bin = bin,
					      .tick = tick,
					      .node = use->node,
					      .home = use->home,
					      .count = use->count,
					      .selected = use->selected};
	for (i = 0; i < heatmap->use_count; i++)
		if (heatmap->uses[i].thread == use->thread && heatmap->uses[i].bin == bin &&
		    heatmap->uses[i].node == use->node)
			row = &heatmap->uses[i];
	if (!row) {
		row = memphis_append(heatmap->uses, heatmap->use_count, heatmap->use_room);
		*row = (struct memphis_heatmap_use){.thread = use->thread,
						    .node = use->node,
						    .bin = bin,
						    .first_ns = tick * 1000 + use->thread,
						    .first_store = MEMPHIS_NONE};
	}
	line = store_lines[tick != 0][bin >= BINS / 2];
	if (use->stores && line && row->first_store == MEMPHIS_NONE) {
		row->first_store_ns = tick * 1000 + use->thread;
		row->first_store = instruction_at(line);
	}
	if (use->stores && line)
		add_store(heatmap, instruction_at(line), tick * 1000 + use->thread);
	if (tick * 1000u > heatmap->to_ns)
		heatmap->to_ns = tick * 1000u;
	row->count += use->count;
	row->stores += use->stores;
	row->selected += use->selected;
	heatmap->samples += use->count;
	heatmap->selected += use->selected;
}

static void add_node(struct memphis_process *process, uint32_t number, const char *cpus)
{
	struct memphis_node *node = memphis_append(process->nodes, process->node_count, process->node_room);

	*node = (struct memphis_node){number, 1 << 30, strdup(cpus), strdup("10,20")};
}

static void add_process(uint32_t pid)
{
	static const char *const names[THREADS] = {"main", "worker1", "worker2", "worker3"};
	struct memphis_processes *processes = &profile.processes;
	struct memphis_process *process = memphis_append(processes->list, processes->count, processes->room);
	char metadata[32];
	size_t i;

	process->pid = pid;
	process->threads = calloc(THREADS, sizeof(*process->threads));
	process->thread_count = THREADS;
	for (i = 0; i < THREADS; i++) {
		process->threads[i].tid = pid + (uint32_t)i;
		snprintf(metadata, sizeof(metadata), "name %s\n", names[i]);
		memphis_settings_add(&process->threads[i].metadata,
				     (struct memphis_span){metadata, strlen(metadata)});
	}
	add_node(process, 0, "0-1");
	add_node(process, 1, "2-3");
	add_node(process, 2, "-");
	profile.timelines = realloc(profile.timelines, processes->count * sizeof(*profile.timelines));
	memset(&profile.timelines[processes->count - 1], 0, sizeof(*profile.timelines));
}

static uint32_t add_variable(const char *name)
{
	struct memphis_variable variable = {
		.segment = text("heap"), .name = text(name), .site = text("model.c:10")};

	return memphis_profile_variable(&profile, &variable);
}

/* So many samples of the variable at this line, selected if `flags` say so. */
static void add_cell(uint32_t variable, uint16_t node, uint32_t line, uint64_t count,
		     struct memphis_access access)
{
	struct memphis_cell cell = {.count = count, .accesses = count, .low = BASE, .high = BASE};

	access.node = node;
	access.home = 1 - node;
	cell.key.variable = variable;
	cell.key.instruction = instruction_at(line);
	cell.key.access = access;
	memphis_profile_add(&profile, &cell);
}

static const struct memphis_access remote_dram = {0, 0, MEMPHIS_SOURCE_DRAM,
						  MEMPHIS_FLAG_LOAD | MEMPHIS_FLAG_REMOTE};
static const struct memphis_access hitm = {0, 0, MEMPHIS_SOURCE_PEER_CACHE,
					   MEMPHIS_FLAG_LOAD | MEMPHIS_FLAG_REMOTE | MEMPHIS_FLAG_HITM};

static void begin(void)
{
	memset(&profile, 0, sizeof(profile));
	strcpy(profile.selection, "remote-dram");
	add_process(100);
}

/* A close-up of these uses, of the variable `name` of a process; returns how many samples are selected. */
static struct memphis_heatmap *add_heatmap(uint32_t process, const char *name, const struct use *uses,
					   size_t count)
{
	struct memphis_heatmap *heatmap =
		memphis_append(profile.heatmaps, profile.heatmap_count, profile.heatmap_room);
	size_t i;
	uint16_t bin, tick;

	heatmap->process = process;
	heatmap->variable = add_variable(name);
	heatmap->low = BASE;
	heatmap->high = BASE + (BINS << BIN_SHIFT) - 1;
	heatmap->bin_shift = BIN_SHIFT;
	heatmap->one_in = 1;
	for (i = 0; i < count; i++)
		for (bin = uses[i].from; bin < uses[i].to; bin++)
			for (tick = uses[i].first_tick; tick <= uses[i].last_tick; tick++)
				add_use(heatmap, &uses[i], bin, tick);
	qsort(heatmap->spots, heatmap->spot_count, sizeof(*heatmap->spots), compare_spots);
	qsort(heatmap->uses, heatmap->use_count, sizeof(*heatmap->uses), compare_uses);
	if (heatmap->selected) {
		add_cell(heatmap->variable, 1, 44, heatmap->selected - heatmap->selected / 4, remote_dram);
		add_cell(heatmap->variable, 0, 55, heatmap->selected / 4, remote_dram);
	}
	return heatmap;
}

/* As it is when the samples of each process are reduced. */
static void find_evidence(const struct memphis_select_kind *kind)
{
	bool stores[8] = {false};
	size_t i, j;

	for (i = 0; i < profile.heatmap_count; i++)
		for (j = 0; j < profile.heatmaps[i].use_count; j++)
			stores[profile.heatmaps[i].process] |= profile.heatmaps[i].uses[j].stores > 0;
	profile.evidence_count = 0;
	for (i = 0; i < profile.heatmap_count; i++)
		memphis_evidence_add(&profile, &profile.heatmaps[i], kind,
				     stores[profile.heatmaps[i].process]);
}

/* What is said, sentences and advice, of the samples of `select`; the caller frees it. */
static char *said(const char *select)
{
	struct memphis_selection selection = {.kind = memphis_select_kind(select), .node = -1};
	struct memphis_view view = {.selection = &selection};
	struct memphis_text text = {0};
	struct memphis_findings findings;
	struct memphis_rows rows;
	size_t i;

	find_evidence(selection.kind);
	memphis_rows_build(&rows, &profile, &view);
	memphis_diagnose(&findings, &rows);
	memphis_text_put(&text, "");
	for (i = 0; i < findings.count; i++)
		memphis_text_print(&text, "%s\n%s\n%s\n", memphis_pattern_names[findings.list[i].pattern],
				   findings.list[i].sentence, findings.list[i].advice);
	memphis_findings_close(&findings);
	memphis_rows_close(&rows);
	return text.text;
}

static void says(const char *select, const char *want, const char *sentence)
{
	char *got = said(select);

	is_text(got, want, sentence);
	free(got);
	memphis_profile_close(&profile);
}

#define HEATMAP(name, uses) add_heatmap(0, name, uses, sizeof(uses) / sizeof(*(uses)))

static uint32_t region(const char *name)
{
	return memphis_profile_region(&profile, text(name), MEMPHIS_REGION_OUTSIDE);
}

static void add_region(struct memphis_heatmap *heatmap, uint32_t region, uint32_t count, uint32_t remote)
{
	*(struct memphis_heatmap_region *)memphis_append(heatmap->regions, heatmap->region_count,
							 heatmap->region_room) =
		(struct memphis_heatmap_region){region, count, remote, 0};
}

static void one_home(void)
{
	static const struct use apart[] = {
		{0, 0, 0, 0, 16, 0, 0, 10, 10, 0},
		{1, 0, 0, 0, 8, 1, 9, 4, 1, 0},
		{2, 1, 0, 8, 16, 1, 9, 4, 1, 1},
	};
	static const struct use together[] = {
		{0, 0, 0, 0, 16, 0, 0, 10, 10, 0},
		{1, 0, 0, 0, 16, 1, 9, 4, 1, 0},
		{2, 1, 0, 0, 16, 1, 9, 4, 1, 1},
	};
	static const struct use read[] = {
		{0, 0, 0, 0, 16, 0, 0, 4, 4, 0},
		{1, 0, 0, 0, 16, 1, 9, 4, 0, 0},
		{2, 1, 0, 0, 16, 1, 9, 4, 0, 1},
	};
	static const struct use loads[] = {
		{1, 0, 0, 0, 16, 1, 9, 4, 0, 0},
		{2, 1, 0, 0, 16, 1, 9, 4, 0, 1},
	};
	static const struct use other_node[] = {
		{0, 0, 0, 0, 16, 0, 0, 10, 10, 0},
		{2, 1, 0, 0, 16, 1, 9, 4, 1, 1},
	};

	begin();
	HEATMAP("field", apart);
	says("remote-dram",
	     "first-touch\n"
	     "[heap]:field lies on node 0, where thread 100 (main) wrote it first, and is used by "
	     "nodes 0 and 1, each a part of its own: 72 samples, 100.0 % of those selected (95 % sure:"
	     " 94.9 to 100.0)\n"
	     "initialise it in parallel, each thread what it uses later at model.c:44 (step) "
	     "(allocated at model.c:10; where it is initialised was not sampled); or interleave its "
	     "pages: node 0's part of these accesses would go from 100 % to 50 %\n",
	     "written first by one thread, then used by two nodes, part by part");
	begin();
	HEATMAP("field", together);
	says("remote-dram",
	     "first-touch\n"
	     "[heap]:field lies on node 0, where thread 100 (main) wrote it first, and is used by nodes 0 "
	     "and 1, "
	     "all the same parts: 144 samples, 100.0 % of those selected (95 % sure: 97.4 to 100.0)\n"
	     "interleave its pages, allocated at model.c:10: node 0's part of these accesses would go from "
	     "100 % "
	     "to 50 %\n",
	     "the same if both use all of it, and write");
	begin();
	HEATMAP("table", read);
	says("remote-dram",
	     "read-shared\n"
	     "[heap]:table is read by nodes 0 and 1, all the same parts, and hardly written (5.3 % of "
	     "its samples are stores); it lies on node 0: 144 samples, 100.0 % of those selected (95 %"
	     " sure: 97.4 to 100.0)\n"
	     "give each node a copy (allocated at model.c:10; where it is initialised was not "
	     "sampled); or interleave its pages: node 0's part of these accesses would go from 100 % "
	     "to 50 %\n",
	     "what nobody writes any more can have copies");
	begin();
	HEATMAP("table", loads);
	says("remote-dram",
	     "first-touch\n"
	     "[heap]:table lies on node 0, and is used by nodes 0 "
	     "and 1, "
	     "all the same parts, as far as loads tell: 144 samples, 100.0 % of those selected (95 % sure: "
	     "97.4 to 100.0)\n"
	     "interleave its pages, allocated at model.c:10: node 0's part of these accesses would go from "
	     "100 % "
	     "to 50 %\n",
	     "but where no store is ever sampled, nobody knows that");
	begin();
	HEATMAP("field", other_node);
	says("remote-dram",
	     "partition-mismatch\n"
	     "[heap]:field is used by other nodes than those that own it: 0x100000-0x10ffff are node "
	     "0's and used by node 1: 144 samples, 100.0 % of those selected (95 % sure: 97.4 to "
	     "100.0)\n"
	     "let those threads that use a part initialise it (allocated at model.c:10; where it is "
	     "initialised was not sampled), or divide the work at model.c:44 (step) as the "
	     "initialisation was: the same schedule, threads bound to CPUs\n",
	     "used by one other node alone");
}

static void several_homes(void)
{
	static const struct use swapped[] = {
		{0, 0, 0, 0, 8, 0, 0, 10, 10, 0},
		{2, 1, 1, 8, 16, 0, 0, 10, 10, 0},
		{2, 1, 0, 0, 8, 1, 9, 4, 1, 1},
		{0, 0, 1, 8, 16, 1, 9, 4, 1, 1},
	};
	static const struct use serial[] = {
		{0, 0, 0, 0, 8, 0, 9, 10, 2, 0},
		{2, 1, 1, 8, 16, 0, 9, 10, 2, 0},
		{0, 0, 1, 8, 16, 1, 9, 2, 0, 2},
	};
	static const struct use serial_rank[] = {
		{0, 0, 0, 0, 8, 0, 9, 10, 2, 0},
		{0, 0, 1, 8, 16, 1, 9, 2, 1, 2},
	};
	static const struct use rank_elsewhere[] = {{0, 0, 1, 0, 16, 1, 9, 2, 1, 2}};
	static const struct use divided[] = {
		{0, 0, 0, 0, 8, 0, 9, 10, 2, 0},
		{2, 1, 1, 8, 16, 0, 9, 10, 2, 0},
		{0, 0, 1, 8, 16, 1, 9, 6, 0, 6},
		{2, 1, 0, 0, 8, 1, 9, 4, 0, 4},
	};
	static const struct use halo[] = {
		{0, 0, 0, 0, 8, 0, 9, 40, 8, 0},
		{2, 1, 1, 8, 16, 0, 9, 40, 8, 0},
		{0, 0, 1, 8, 9, 1, 9, 2, 0, 2},
		{2, 1, 0, 7, 8, 1, 9, 2, 0, 2},
	};
	static const struct use random[] = {
		{0, 0, 0, 0, 8, 0, 0, 10, 10, 0}, {2, 1, 1, 8, 16, 0, 0, 10, 10, 0},
		{0, 0, 0, 0, 8, 1, 9, 4, 1, 0},   {0, 0, 1, 8, 16, 1, 9, 4, 1, 1},
		{2, 1, 0, 0, 8, 1, 9, 4, 1, 1},   {2, 1, 1, 8, 16, 1, 9, 4, 1, 0},
	};
	struct memphis_heatmap *heatmap;
	size_t i;

	begin();
	for (i = 1; i < THREADS; i++)
		memphis_settings_close(&profile.processes.list[0].threads[i].metadata);
	profile.processes.list[0].thread_count = 1;
	HEATMAP("tx", serial_rank);
	says("remote-dram",
	     "serial-phase\n"
	     "[heap]:tx lies on nodes 0 and 1, and the only thread of its process makes the remote accesses: "
	     "thread 100 (main) on node 0, 100 % of them, most at model.c:55 (step): 144 "
	     "samples, 100.0 % of those selected (95 % sure: 97.4 to 100.0)\n"
	     "bind the process and its memory to one node before it allocates (numactl --cpunodebind=N "
	     "--membind=N, srun --cpu-bind --mem-bind=local, mpirun --bind-to numa), so that it touches its "
	     "memory first where it stays (allocated at model.c:10; where it is initialised was not "
	     "sampled); "
	     "where it is bound, see whether the pages were touched before that, or its node was full\n",
	     "a process of one thread can't share its work out");
	begin();
	memphis_settings_add(&profile.processes.list[0].settings, (struct memphis_span){"rank 3\n", 7});
	for (i = 0; i < THREADS; i++)
		profile.processes.list[0].threads[i].read = i ? 1 : 1000;
	HEATMAP("tx", rank_elsewhere);
	says("remote-dram",
	     "partition-mismatch\n"
	     "[heap]:tx is used by other nodes than those that own it: 0x100000-0x10ffff are node 1's and "
	     "used "
	     "by node 0: 288 samples, 100.0 % of those selected (95 % sure: 98.7 to 100.0)\n"
	     "bind each rank and its memory to one node before it allocates (numactl --cpunodebind=N "
	     "--membind=N, srun --cpu-bind --mem-bind=local, mpirun --bind-to numa), so that it touches its "
	     "memory first where it stays (allocated at model.c:10; where it is initialised was not "
	     "sampled); "
	     "where it is bound, see whether the pages were touched before that, or its node was full\n",
	     "nor can a rank whose other threads only help it");
	begin();
	heatmap = HEATMAP("swapped", swapped);
	heatmap->element_bytes = 8;
	says("remote-dram",
	     "partition-mismatch\n"
	     "[heap]:swapped is used by other nodes than those that own it: elements 0-4095 are node "
	     "0's and used by node 1; elements 4096-8191 are node 1's and used by node 0: 144 samples,"
	     " 100.0 % of those selected (95 % sure: 97.4 to 100.0)\n"
	     "let those threads that use a part initialise it (allocated at model.c:10; where it is "
	     "initialised was not sampled), or divide the work at model.c:44 (step) as the "
	     "initialisation was: the same schedule, threads bound to CPUs\n",
	     "each node uses what the other one owns");
	begin();
	HEATMAP("tx", serial);
	says("remote-dram",
	     "serial-phase\n"
	     "[heap]:tx lies on nodes 0 and 1, and one thread makes most of the remote accesses: thread 100 "
	     "(main) on node 0, 100 % of them, most at model.c:55 (step): 144 samples, 100.0 % of "
	     "those selected (95 % sure: 97.4 to 100.0)\n"
	     "share the loop at model.c:55 (step) out among the threads, each what its own node owns; or let "
	     "the "
	     "owners pack what the one thread needs\n",
	     "one thread copies what both nodes own");
	begin();
	HEATMAP("tx", divided);
	says("remote-dram", "", "nobody works alone where two divide the work, though one of them does 60 %");
	begin();
	HEATMAP("tx", halo);
	says("remote-dram", "", "neighbours that look across their border are all right");
	begin();
	HEATMAP("hash", random);
	says("remote-dram", "", "and so is what all write everywhere, spread evenly");
}

static void moved(void)
{
	static const struct use thread[] = {
		{1, 0, 0, 0, 16, 0, 2, 10, 10, 0},
		{1, 1, 0, 0, 16, 3, 9, 4, 1, 2},
	};
	static const struct use pages[] = {
		{1, 0, 0, 0, 16, 0, 3, 10, 5, 0},
		{1, 0, 1, 0, 16, 4, 9, 10, 5, 2},
	};
	static const struct use memory_only[] = {
		{0, 0, 2, 0, 8, 0, 9, 4, 1, 1},
		{2, 1, 2, 8, 16, 0, 9, 4, 1, 1},
	};

	begin();
	HEATMAP("own", thread);
	says("remote-dram",
	     "moved-threads\n"
	     "[heap]:own was left behind: thread 101 (worker1) began to use it on node 0, where its pages "
	     "are, and "
	     "goes on from node 1: 224 samples, 100.0 % of those selected (95 % sure: 98.3 to 100.0)\n"
	     "bind threads to CPUs (OMP_PROC_BIND, taskset, numactl --cpunodebind), or move the pages after "
	     "them "
	     "(migratepages(8), move_pages(2))\n",
	     "a thread goes away from its pages");
	begin();
	HEATMAP("own", pages);
	says("remote-dram",
	     "moved-pages\n"
	     "[heap]:own was moved away from node 0, whose threads go on using it: 192 samples, 100.0 % of "
	     "those "
	     "selected (95 % sure: 98.0 to 100.0)\n"
	     "find out who moves the pages (automatic NUMA balancing, migratepages, cpusets), and bind the "
	     "memory "
	     "to its users' node (mbind(2), numactl)\n",
	     "pages go away from their thread");
	begin();
	HEATMAP("far", memory_only);
	says("remote-dram",
	     "memory-only-node\n"
	     "[heap]:far lies on node 2, which has no CPUs: every access is remote: 160 samples, 100.0 % of "
	     "those "
	     "selected (95 % sure: 97.7 to 100.0)\n"
	     "place it on a node with CPUs (mbind(2), numactl --membind), allocated at model.c:10, and let "
	     "what is "
	     "used less lie there\n",
	     "memory without CPUs");
}

static void initialised(void)
{
	static const struct use apart[] = {
		{0, 0, 0, 0, 16, 0, 0, 10, 10, 0},
		{1, 0, 0, 0, 8, 1, 9, 4, 1, 0},
		{2, 1, 0, 8, 16, 1, 9, 4, 1, 1},
	};
	static const struct use read[] = {
		{0, 0, 0, 0, 16, 0, 0, 4, 4, 0},
		{1, 0, 0, 0, 16, 1, 9, 4, 0, 0},
		{2, 1, 0, 0, 16, 1, 9, 4, 0, 1},
	};
	static const struct use swapped[] = {
		{0, 0, 0, 0, 8, 0, 0, 10, 10, 0},
		{2, 1, 1, 8, 16, 0, 0, 10, 10, 0},
		{2, 1, 0, 0, 8, 1, 9, 4, 1, 1},
		{0, 0, 1, 8, 16, 1, 9, 4, 1, 1},
	};
	static const struct use nothing_at_first[] = {
		{1, 0, 0, 0, 8, 1, 9, 4, 1, 0},
		{2, 1, 0, 8, 16, 1, 9, 4, 1, 1},
	};
	static const struct use parts_at_first[] = {
		{0, 0, 0, 2, 14, 0, 0, 10, 10, 0},
		{1, 0, 0, 0, 8, 1, 9, 4, 1, 0},
		{2, 1, 0, 8, 16, 1, 9, 4, 1, 1},
	};
	/* Thread 0 was here before: what it stored was not sampled. */
	static const struct use before[] = {
		{0, 0, 0, 0, 16, 0, 0, 4, 0, 0},
		{1, 0, 0, 0, 16, 1, 9, 4, 1, 0},
		{2, 1, 0, 8, 16, 1, 9, 4, 1, 1},
	};
	struct memphis_heatmap *heatmap;

	store_lines[1][0] = store_lines[1][1] = 44;

	store_lines[0][0] = store_lines[0][1] = 20;
	begin();
	HEATMAP("field", apart);
	says("remote-dram",
	     "first-touch\n"
	     "[heap]:field lies on node 0, where thread 100 (main) wrote it first at model.c:20 "
	     "(step), and is used by nodes 0 and 1, each a part of its own: 72 samples, 100.0 % of "
	     "those selected (95 % sure: 94.9 to 100.0)\n"
	     "initialise it in parallel at model.c:20 (step), each thread what it uses later at "
	     "model.c:44 (step) (allocated at model.c:10); or interleave its pages: node 0's part of "
	     "these accesses would go from 100 % to 50 %\n",
	     "the line that initialised it");
	begin();
	HEATMAP("table", read);
	says("remote-dram",
	     "read-shared\n"
	     "[heap]:table is read by nodes 0 and 1, all the same parts, and hardly written (5.3 % of "
	     "its samples are stores); it lies on node 0: 144 samples, 100.0 % of those selected (95 %"
	     " sure: 97.4 to 100.0)\n"
	     "give each node a copy (allocated at model.c:10; initialised at model.c:20 (step)); or "
	     "interleave its pages: node 0's part of these accesses would go from 100 % to 50 %\n",
	     "of what is only read since, too");
	begin();
	HEATMAP("swapped", swapped);
	says("remote-dram",
	     "partition-mismatch\n"
	     "[heap]:swapped is used by other nodes than those that own it: 0x100000-0x107fff are node"
	     " 0's and used by node 1; 0x108000-0x10ffff are node 1's and used by node 0: 144 samples,"
	     " 100.0 % of those selected (95 % sure: 97.4 to 100.0)\n"
	     "let those threads that use a part initialise it at model.c:20 (step) (allocated at "
	     "model.c:10), or divide the work at model.c:44 (step) as the initialisation was: the same"
	     " schedule, threads bound to CPUs\n",
	     "and of what several threads did");
	begin();
	HEATMAP("field", before);
	says("remote-dram",
	     "first-touch\n"
	     "[heap]:field lies on node 0, and is used by nodes 0 and 1, all the same parts: 72 "
	     "samples, 100.0 % of those selected (95 % sure: 94.9 to 100.0)\n"
	     "interleave its pages, allocated at model.c:10: node 0's part of these accesses would go "
	     "from 100 % to 50 %\n",
	     "not the line of a later store");

	begin();
	HEATMAP("field", nothing_at_first);
	says("remote-dram",
	     "first-touch\n"
	     "[heap]:field lies on node 0, and is used by nodes 0 and 1, each a part of its own: 72 "
	     "samples, 100.0 % of those selected (95 % sure: 94.9 to 100.0)\n"
	     "initialise it in parallel, each thread what it uses later at model.c:44 (step) "
	     "(allocated at model.c:10; the first stores that were sampled are at model.c:44 (step), "
	     "which goes on storing: perhaps others initialised it); or interleave its pages: node 0's"
	     " part of these accesses would go from 100 % to 50 %\n",
	     "a line that goes on storing may not be it");
	begin();
	HEATMAP("field", parts_at_first);
	says("remote-dram",
	     "first-touch\n"
	     "[heap]:field lies on node 0, where thread 100 (main) wrote it first at model.c:20 "
	     "(step), and is used by nodes 0 and 1, each a part of its own: 72 samples, 100.0 % of "
	     "those selected (95 % sure: 94.9 to 100.0)\n"
	     "initialise it in parallel at model.c:20 (step), each thread what it uses later at "
	     "model.c:44 (step) (allocated at model.c:10); or interleave its pages: node 0's part of "
	     "these accesses would go from 100 % to 50 %\n",
	     "parts whose first stores were not sampled tell nothing else");

	store_lines[0][1] = 21;
	begin();
	HEATMAP("field", apart);
	says("remote-dram",
	     "first-touch\n"
	     "[heap]:field lies on node 0, where thread 100 (main) wrote it first at model.c:20 (step)"
	     " and elsewhere, and is used by nodes 0 and 1, each a part of its own: 72 samples, 100.0 "
	     "% of those selected (95 % sure: 94.9 to 100.0)\n"
	     "initialise it in parallel at model.c:20 (step) and elsewhere, each thread what it uses "
	     "later at model.c:44 (step) (allocated at model.c:10); or interleave its pages: node 0's "
	     "part of these accesses would go from 100 % to 50 %\n",
	     "of several lines one, and that there are others");

	store_lines[0][0] = store_lines[0][1] = IN_LIBRARY;
	begin();
	HEATMAP("field", apart);
	says("remote-dram",
	     "first-touch\n"
	     "[heap]:field lies on node 0, where thread 100 (main) wrote it first in memset "
	     "(libc.so.6), and is used by nodes 0 and 1, each a part of its own: 72 samples, 100.0 % "
	     "of those selected (95 % sure: 94.9 to 100.0)\n"
	     "initialise it in parallel, each thread what it uses later at model.c:44 (step) "
	     "(allocated at model.c:10; initialised in memset (libc.so.6)); or interleave its pages: "
	     "node 0's part of these accesses would go from 100 % to 50 %\n",
	     "where there is no line, the function");

	store_lines[0][0] = store_lines[0][1] = IN_MEMSET;
	begin();
	HEATMAP("field", apart);
	says("remote-dram",
	     "first-touch\n"
	     "[heap]:field lies on node 0, where thread 100 (main) wrote it first in memset "
	     "(libc.so.6), and is used by nodes 0 and 1, each a part of its own: 72 samples, 100.0 % "
	     "of those selected (95 % sure: 94.9 to 100.0)\n"
	     "initialise it in parallel, each thread what it uses later at model.c:44 (step) "
	     "(allocated at model.c:10; initialised in memset (libc.so.6)); or interleave its pages: "
	     "node 0's part of these accesses would go from 100 % to 50 %\n",
	     "where the line is the C library's, the function by the name that programs call");

	store_lines[0][0] = store_lines[0][1] = IN_HEADER;
	begin();
	HEATMAP("field", apart);
	says("remote-dram",
	     "first-touch\n"
	     "[heap]:field lies on node 0, where thread 100 (main) wrote it first at model.c:30 "
	     "(fill), and is used by nodes 0 and 1, each a part of its own: 72 samples, 100.0 % of "
	     "those selected (95 % sure: 94.9 to 100.0)\n"
	     "initialise it in parallel at model.c:30 (fill), each thread what it uses later at "
	     "model.c:44 (step) (allocated at model.c:10); or interleave its pages: node 0's part of "
	     "these accesses would go from 100 % to 50 %\n",
	     "where the program calls what a header of the system does");
	memset(store_lines, 0, sizeof(store_lines));

	begin();
	heatmap = HEATMAP("field", apart);
	add_region(heatmap, MEMPHIS_REGION_OUTSIDE, 10, 10);
	add_region(heatmap, region("step"), 10, 4);
	add_region(heatmap, region("solve"), 100, 26);
	add_region(heatmap, region("halo"), 40, 35);
	add_region(heatmap, region("write"), 40, 25);
	says("remote-dram",
	     "first-touch\n"
	     "[heap]:field lies on node 0, where thread 100 (main) wrote it first, and is used by "
	     "nodes 0 and 1, each a part of its own: 72 samples, 100.0 % of those selected (95 % sure:"
	     " 94.9 to 100.0), 35 % in region halo, 26 % in region solve\n"
	     "initialise it in parallel, each thread what it uses later at model.c:44 (step) "
	     "(allocated at model.c:10; where it is initialised was not sampled); or interleave its "
	     "pages: node 0's part of these accesses would go from 100 % to 50 %\n",
	     "the two calipers with most of it; none that hardly has any, nor what is outside");
}

static void thresholds(void)
{
	static const struct use used[] = {
		{0, 0, 0, 0, 16, 0, 0, 10, 10, 0},
		{2, 1, 0, 0, 16, 1, 9, 4, 1, 1},
	};
	static const struct use few[] = {
		{0, 0, 0, 0, 16, 0, 0, 10, 10, 0},
		{2, 1, 0, 0, 16, 1, 9, 4, 1, 0},
		{2, 1, 0, 0, 15, 1, 1, 4, 1, 1},
	};
	static const struct use local[] = {
		{0, 0, 0, 0, 8, 0, 9, 40, 10, 4},
		{2, 1, 1, 8, 16, 0, 9, 40, 10, 4},
	};

	begin();
	HEATMAP("few", few);
	says("remote-dram", "", "fifteen samples say nothing");
	begin();
	HEATMAP("field", used);
	add_cell(add_variable("other"), 1, 99, 144 * 49, remote_dram);
	says("remote-dram", "", "what is surely no 2 % of the selected samples is not worth a word");
	begin();
	HEATMAP("field", used);
	profile.processes.list[0].threads[1].read = 144 * 9000;
	says("remote-dram", "", "nor what is surely not one in 10000 of all samples");
	begin();
	HEATMAP("mine", local);
	says("dram", "", "what is all local and balanced is praised by silence");
	begin();
	HEATMAP("field", used);
	says("loads", "", "where cached loads are selected, nothing is said of placement");
}

static void add_word(struct memphis_heatmap *heatmap, uint64_t line, uint32_t thread, uint8_t word,
		     uint32_t loads, uint32_t stores, uint32_t hitm_loads)
{
	struct memphis_heatmap_word *row =
		memphis_append(heatmap->words, heatmap->word_count, heatmap->word_room);

	*row = (struct memphis_heatmap_word){line,   thread,    (uint16_t)(thread / 2), word, loads,
					     stores, hitm_loads};
}

static void sharing(void)
{
	static const struct use nothing[] = {{0, 0, 0, 0, 16, 0, 0, 1, 0, 0}};
	struct memphis_heatmap *heatmap;
	struct memphis_heatmap_field *field;
	uint64_t line;

	begin();
	heatmap = HEATMAP("counters", nothing);
	for (line = 0; line < 2; line++) {
		add_word(heatmap, line, 0, 0, 30, 30, 20);
		add_word(heatmap, line, 2, 1, 30, 30, 20);
	}
	field = memphis_append(heatmap->fields, heatmap->field_count, heatmap->field_room);
	*field = (struct memphis_heatmap_field){.name = text("hits"), .node = 0, .hitm = 30};
	field = memphis_append(heatmap->fields, heatmap->field_count, heatmap->field_room);
	*field = (struct memphis_heatmap_field){.name = text("misses"), .offset = 8, .node = 1, .hitm = 50};
	heatmap->selected = 80;
	add_cell(heatmap->variable, 0, 66, 80, hitm);
	says("hitm",
	     "false-sharing\n"
	     "[heap]:counters has false sharing: threads use different words (misses, hits) of the same 2 "
	     "cache "
	     "lines, which go to and fro between the caches of 2 threads, most at model.c:66 (step): 80 "
	     "samples, "
	     "100.0 % of those selected (95 % sure: 95.4 to 100.0)\n"
	     "pad or align what each thread writes, so that it has cache lines of its own\n",
	     "words of their own in the same lines");
	begin();
	heatmap = HEATMAP("total", nothing);
	add_word(heatmap, 5, 0, 3, 30, 30, 20);
	add_word(heatmap, 5, 1, 3, 30, 30, 20);
	add_word(heatmap, 5, 2, 3, 30, 30, 20);
	heatmap->selected = 60;
	add_cell(heatmap->variable, 0, 66, 60, hitm);
	says("hitm",
	     "true-sharing\n"
	     "[heap]:total is written by several threads: they share words of one cache line, which goes to "
	     "and "
	     "fro "
	     "between the caches of 3 threads, most at model.c:66 (step): 60 samples, 100.0 % of those "
	     "selected "
	     "(95 % sure: 94.0 to 100.0)\n"
	     "give each thread a copy of its own and combine them at the end; take a lock less often, or "
	     "split it\n",
	     "the same word");
	begin();
	heatmap = HEATMAP("read", nothing);
	add_word(heatmap, 5, 0, 3, 30, 0, 20);
	add_word(heatmap, 5, 1, 4, 30, 30, 20);
	add_word(heatmap, 6, 0, 3, 30, 0, 20);
	heatmap->selected = 60;
	add_cell(heatmap->variable, 0, 66, 60, hitm);
	says("hitm",
	     "false-sharing\n"
	     "[heap]:read has false sharing: threads use different words of one cache line, which goes to "
	     "and fro between the caches of 2 threads, most at model.c:66 (step): 20 samples, 33.3 % of "
	     "those "
	     "selected (95 % sure: 22.7 to 45.9)\n"
	     "pad or align what each thread writes, so that it has cache lines of its own\n",
	     "what is only read suffers from stores beside it, too; unknown ones blame nobody");
	begin();
	heatmap = HEATMAP("counters", nothing);
	add_word(heatmap, 5, 0, 0, 30, 30, 20);
	add_word(heatmap, 5, 2, 1, 30, 30, 20);
	heatmap->selected = 80;
	add_cell(heatmap->variable, 0, 66, 80, hitm);
	says("remote-dram", "", "nothing is said of it where loads from other caches are not selected");
}

static void processes(void)
{
	static const struct use used[] = {
		{0, 0, 0, 0, 16, 0, 0, 10, 10, 0},
		{2, 1, 0, 0, 16, 1, 9, 4, 1, 1},
	};
	static const struct use more[] = {
		{0, 0, 0, 0, 16, 0, 0, 10, 10, 0},
		{2, 1, 0, 0, 16, 1, 9, 4, 1, 2},
	};
	/* More than the mean of the two, and fewer than the worse one has. */
	static const struct use between[] = {
		{0, 0, 0, 0, 16, 0, 0, 10, 10, 0},
		{2, 1, 0, 1, 15, 1, 9, 4, 1, 2},
	};
	char *got;

	begin();
	add_process(200);
	add_process(300);
	memphis_settings_add(&profile.processes.list[1].settings,
			     (struct memphis_span){"rank 7\nhost n03\n", 16});
	HEATMAP("field", used);
	add_heatmap(1, "field", more, 2);
	add_heatmap(2, "field", between, 2);
	profile.heatmaps[1].element_bytes = 4;
	got = said("remote-dram");
	ok(strstr(got,
		  "elements 0-16383 are node 0's and used by node 1: 684 samples, 100.0 % of those selected "
		  "(95 % sure: 99.4 to 100.0), in 3 of 3 processes, most (288) in rank 7 on host n03\n"),
	   "the same in several processes is one finding, told of the worst one");
	free(got);
	memphis_profile_close(&profile);
	begin();
	HEATMAP("field", used)->one_in = 10;
	add_cell(profile.heatmaps[0].variable, 1, 44, 9 * 144, remote_dram);
	got = said("remote-dram");
	ok(strstr(got, ": 1440 samples, 100.0 % of those selected (95 % sure: 97.4 to 100.0)\n"),
	   "where one in ten was looked at, shares are as sure as the looks were");
	free(got);
	memphis_profile_close(&profile);
}

/* Libraries whose lines are nobody's to change, by the names of their files. */
static void libraries(void)
{
	static const struct {
		const char *path;
		bool system;
	} rows[] = {
		{"/usr/lib64/libc.so.6", true},
		{"/lib/libm-2.31.so", true},
		{"/lib/ld-2.31.so", true},
		{"/lib64/ld-linux-x86-64.so.2", true},
		{"/lib64/libgcc_s-14-20240912.so.1", true},
		{"/lib64/libstdc++.so.6.0.33", true},
		{"/lib/ld-musl-x86_64.so.1", true},
		{"/opt/venv/numpy.libs/libgomp-a34b3233.so.1", true},
		{"/usr/lib/libunwind-x86_64.so.8", true},
		{"/usr/lib/libomptarget.so.19", true},
		{"/usr/lib/libgomp-plugin-nvptx.so.1", true},
		{"/opt/model/libm-facade.so", false},
		{"/opt/model/libatomicdata.so", false},
		{"/opt/model/libomptarget_model.so", false},
		{"/opt/model/libimfilter.so.2", false},
		{"/opt/model/libm-fast.so", false},
		{"/opt/model/model", false},
	};
	size_t i;

	begin();
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct memphis_object object = {0};
		struct memphis_profile_frame frame = {0};

		object.path = text(rows[i].path);
		frame.function = text("f");
		ok(memphis_in_system_library(
			   &profile,
			   memphis_profile_instruction(&profile, memphis_profile_object(&profile, &object), 1,
						       &frame, 1)) == rows[i].system,
		   "%s is %s system library", rows[i].path, rows[i].system ? "a" : "no");
	}
	memphis_profile_close(&profile);
}

int main(void)
{
	one_home();
	several_homes();
	initialised();
	moved();
	thresholds();
	sharing();
	processes();
	libraries();
	return finish();
}
