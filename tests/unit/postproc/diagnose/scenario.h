/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Builds profiles by hand (heatmaps, cells, threads, nodes), and compares the findings that the diagnosis reports for them.
 * Everything is static, as each test of diagnose/ is a single source file.
 */
#ifndef SCENARIO_H
#define SCENARIO_H

#include <stdlib.h>

#include "diagnose/diagnosis.h"
#include "evidence/evidence.h"
#include "name/system_libraries.h"
#include "profile/heatmap.h"

#include "../../tap.h"

enum { BINS = 16, BIN_SHIFT = 12, BASE = 0x100000, THREADS = 4 };

static struct memphis_profile profile;

/*
 * Source lines of stores: [first tick, later ticks][first eight bins, other bins]. 0: no line is recorded.
 */
static uint32_t store_lines[2][2];

#define IN_LIBRARY UINT32_MAX       /* memset() in libc, without a line */
#define IN_MEMSET  (UINT32_MAX - 2) /* memset() in libc, with debug information */
#define IN_HEADER  (UINT32_MAX - 1) /* std::fill(), inlined at model.c:30 */

/*
 * Accesses of a thread to bins [from, to), `count` to each bin in each tick. Of these, `stores` are stores and `selected` are
 * selected loads.
 */
struct use {
	uint32_t thread;
	uint16_t node, home;
	uint16_t from, to, first_tick, last_tick;
	uint32_t count, stores, selected;
};

static inline int compare_spots(const void *a, const void *b)
{
	const struct memphis_heatmap_spot *x = a, *y = b;

	return x->tick != y->tick   ? x->tick - y->tick
	       : x->bin != y->bin   ? x->bin - y->bin
	       : x->node != y->node ? x->node - y->node
				    : x->home - y->home;
}

static inline int compare_uses(const void *a, const void *b)
{
	const struct memphis_heatmap_use *x = a, *y = b;

	return x->thread != y->thread ? (int)x->thread - (int)y->thread
	       : x->bin != y->bin     ? x->bin - y->bin
				      : x->node - y->node;
}

static inline uint32_t text(const char *string)
{
	return memphis_profile_string(&profile, string);
}

static inline uint32_t instruction_at(uint32_t line)
{
	struct memphis_profile_frame frames[2] = {{text("step"), text("/src/model.c"), line, 0},
						  {text("fill"), text("/src/model.c"), 30, 0}};
	struct memphis_object library = {.path = text("/lib/libc.so.6")};
	uint32_t object = MEMPHIS_NONE;

	if (line == IN_MEMSET) {
		object = memphis_profile_object(&profile, &library);
		frames[0] = (struct memphis_profile_frame){
			text("__memset_avx2_unaligned_erms"),
			text("../sysdeps/x86_64/multiarch/memset-vec-unaligned-erms.S"), 336, 0};
	} else if (line == IN_LIBRARY) {
		object = memphis_profile_object(&profile, &library);
		frames[0] = (struct memphis_profile_frame){text("memset"), 0, 0, 0};
	} else if (line == IN_HEADER) {
		frames[0] = (struct memphis_profile_frame){text("std::fill"), text("/usr/include/c++/fill.h"),
							   9, 0};
	}
	return memphis_profile_instruction(&profile, object, line, frames, line == IN_HEADER ? 2 : 1);
}

static inline void add_store(struct memphis_heatmap *heatmap, uint32_t instruction, uint64_t since_ns)
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

static inline void add_use(struct memphis_heatmap *heatmap, const struct use *use, uint16_t bin,
			   uint16_t tick)
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

static inline void add_node(struct memphis_process *process, uint32_t number, const char *cpus)
{
	struct memphis_node *node = memphis_append(process->nodes, process->node_count, process->node_room);

	*node = (struct memphis_node){number, 1 << 30, strdup(cpus), strdup("10,20")};
}

static inline void add_process(uint32_t pid)
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

static inline uint32_t add_variable(const char *name)
{
	struct memphis_variable variable = {
		.segment = text("heap"), .name = text(name), .site = text("model.c:10")};

	return memphis_profile_variable(&profile, &variable);
}

/* Adds `count` samples of the variable at a source line; `access` decides whether they are selected. */
static inline void add_cell(uint32_t variable, uint16_t node, uint32_t line, uint64_t count,
			    struct memphis_access access)
{
	struct memphis_cell cell = {
		.measure.count = count, .measure.accesses = count, .measure.low = BASE, .measure.high = BASE};

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

static inline void begin(void)
{
	memset(&profile, 0, sizeof(profile));
	strcpy(profile.selection, "remote-dram");
	add_process(100);
}

/* Adds a heatmap of the variable `name` of a process, with the given uses, and cells for its selected samples. */
static inline struct memphis_heatmap *add_heatmap(uint32_t process, const char *name, const struct use *uses,
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

/* Collects evidence, as is done when the samples of each process are reduced. */
static inline void find_evidence(const struct memphis_select_kind *kind)
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

/* Returns pattern, sentence and advice of each finding for the samples that `select` selects; the caller frees the text. */
static inline char *findings_of(const char *select)
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
		memphis_text_print(&text, "%s\n%s\n%s\n", memphis_patterns[findings.list[i].pattern].name,
				   findings.list[i].sentence, findings.list[i].advice);
	memphis_findings_close(&findings);
	memphis_rows_close(&rows);
	return text.text;
}

static inline void expect_findings(const char *select, const char *want, const char *sentence)
{
	char *got = findings_of(select);

	is_text(got, want, sentence);
	free(got);
	memphis_profile_close(&profile);
}

#define HEATMAP(name, uses) add_heatmap(0, name, uses, sizeof(uses) / sizeof(*(uses)))

static inline uint32_t region(const char *name)
{
	return memphis_profile_region(&profile, text(name), MEMPHIS_REGION_OUTSIDE);
}

static inline void add_region(struct memphis_heatmap *heatmap, uint32_t region, uint32_t count,
			      uint32_t remote)
{
	*(struct memphis_heatmap_region *)memphis_append(heatmap->regions, heatmap->region_count,
							 heatmap->region_room) =
		(struct memphis_heatmap_region){region, count, remote, 0};
}

#endif
