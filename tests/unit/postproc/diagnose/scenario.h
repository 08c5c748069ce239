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
 * Accesses of a thread to bins [from, to), `count` to each bin in each tick. Of these, `stores` are stores, and `loads` are selected loads from
 * memory. They are made at the source line; 0 stands for line 44, or 20 if they end with the first tick.
 */
struct use {
	uint32_t thread;
	uint16_t node, home;
	uint16_t from, to, first_tick, last_tick;
	uint32_t count, stores, loads;
	uint32_t line;
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
	return memphis_profile_add_string(&profile, string);
}

#define OTHER_LOOP 200 /* lines of another function than step() */

static inline uint32_t instruction_at(uint32_t line)
{
	struct memphis_profile_frame frames[2] = {
		{text(line < OTHER_LOOP ? "step" : "other"), text("/src/model.c"), line, 0},
		{text("fill"), text("/src/model.c"), 30, 0}};
	struct memphis_object library = {.path = text("/lib/libc.so.6")};
	uint32_t object = MEMPHIS_NONE;

	if (line == IN_MEMSET) {
		object = memphis_profile_add_object(&profile, &library);
		frames[0] = (struct memphis_profile_frame){
			text("__memset_avx2_unaligned_erms"),
			text("../sysdeps/x86_64/multiarch/memset-vec-unaligned-erms.S"), 336, 0};
	} else if (line == IN_LIBRARY) {
		object = memphis_profile_add_object(&profile, &library);
		frames[0] = (struct memphis_profile_frame){text("memset"), 0, 0, 0};
	} else if (line == IN_HEADER) {
		frames[0] = (struct memphis_profile_frame){text("std::fill"), text("/usr/include/c++/fill.h"),
							   9, 0};
	}
	return memphis_profile_add_instruction(&profile, object, line, frames, line == IN_HEADER ? 2 : 1);
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

static inline int compare_places(const void *a, const void *b)
{
	const struct memphis_heatmap_place *x = a, *y = b;

	return x->instruction != y->instruction ? (int)x->instruction - (int)y->instruction
	       : x->thread != y->thread         ? (int)x->thread - (int)y->thread
						: (int)x->region - (int)y->region;
}

static inline struct memphis_heatmap_place *place_of(struct memphis_heatmap *heatmap, uint32_t line,
						     uint32_t thread, uint32_t region)
{
	const uint32_t instruction = instruction_at(line);
	struct memphis_heatmap_place *place;
	size_t i;

	for (i = 0; i < heatmap->place_count; i++) {
		place = &heatmap->places[i];
		if (place->instruction == instruction && place->thread == thread && place->region == region)
			return place;
	}
	place = memphis_append(heatmap->places, heatmap->place_count, heatmap->place_room);
	place->instruction = instruction;
	place->thread = thread;
	place->region = region;
	return place;
}

static inline uint32_t line_of(const struct use *use)
{
	if (use->line)
		return use->line;
	return use->last_tick ? 44 : 20;
}

/* `remote`: number of the use's remote loads in each bin and tick. */
static inline void add_use(struct memphis_heatmap *heatmap, const struct use *use, uint32_t remote,
			   uint16_t bin, uint16_t tick)
{
	struct memphis_heatmap_place *place = place_of(heatmap, line_of(use), use->thread, 0);
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
					      .selected = use->loads,
					      .loads = use->count - use->stores,
					      .stores = use->stores,
					      .remote = remote};
	place->meanwhile += use->count;
	place->remote += remote;
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
	row->selected += use->loads;
	row->remote += remote;
	heatmap->samples += use->count;
	heatmap->selected += use->loads;
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

	return memphis_profile_add_variable(&profile, &variable);
}

/* Adds `count` samples of the variable at a source line, and to the totals; `access` decides whether they are selected. */
static inline void add_cell(uint32_t variable, uint16_t node, uint32_t line, uint64_t count,
			    struct memphis_access access)
{
	struct memphis_cell cell = {
		.measure.count = count, .measure.accesses = count, .measure.low = BASE, .measure.high = BASE};

	access.node = node;
	access.home = access.flags & MEMPHIS_FLAG_REMOTE ? 1 - node : node;
	cell.key.variable = variable;
	cell.key.instruction = instruction_at(line);
	cell.key.access = access;
	memphis_profile_add_cell(&profile, &cell);
	memphis_totals_get(&profile.totals, 0, 0, access)->measure.count += count;
}

static const struct memphis_access remote_dram = {0, 0, MEMPHIS_SOURCE_DRAM,
						  MEMPHIS_FLAG_LOAD | MEMPHIS_FLAG_REMOTE};
static const struct memphis_access local_dram = {0, 0, MEMPHIS_SOURCE_DRAM, MEMPHIS_FLAG_LOAD};
static const struct memphis_access hitm = {0, 0, MEMPHIS_SOURCE_PEER_CACHE,
					   MEMPHIS_FLAG_LOAD | MEMPHIS_FLAG_REMOTE | MEMPHIS_FLAG_HITM};

static inline void begin(void)
{
	memset(&profile, 0, sizeof(profile));
	strcpy(profile.selection, "remote-dram");
	add_process(100);
}

/* The uses of each heatmap. */
static struct {
	const struct use *list;
	size_t count;
} uses_of[8];

static inline bool is_explained(const struct memphis_heatmap *heatmap, const struct use *use)
{
	const uint32_t instruction = instruction_at(line_of(use));
	size_t i;

	for (i = 0; i < heatmap->place_count; i++)
		if (heatmap->places[i].instruction == instruction && heatmap->places[i].phase)
			return true;
	return false;
}

/* Sums the uses of the heatmap; those of places that are explained in `by`, if it is given, have no remote loads. */
static inline void sum_uses(struct memphis_heatmap *heatmap, size_t number, const struct memphis_heatmap *by)
{
	const struct use *use, *end = uses_of[number].list + uses_of[number].count;
	uint16_t bin, tick;

	for (use = uses_of[number].list; use < end; use++)
		for (bin = use->from; bin < use->to; bin++)
			for (tick = use->first_tick; tick <= use->last_tick; tick++)
				add_use(heatmap, use,
					use->node == use->home || (by && is_explained(by, use)) ? 0
												: use->loads,
					bin, tick);
	qsort(heatmap->spots, heatmap->spot_count, sizeof(*heatmap->spots), compare_spots);
	qsort(heatmap->uses, heatmap->use_count, sizeof(*heatmap->uses), compare_uses);
	qsort(heatmap->places, heatmap->place_count, sizeof(*heatmap->places), compare_places);
}
/* Adds a heatmap of the variable `name` of a process, with the given uses, and cells for its selected samples. */
static inline struct memphis_heatmap *add_heatmap(uint32_t process, const char *name, const struct use *uses,
						  size_t count)
{
	struct memphis_heatmap *heatmap =
		memphis_append(profile.heatmaps, profile.heatmap_count, profile.heatmap_room);
	const struct use *use;
	uint64_t loads;

	uses_of[profile.heatmap_count - 1].list = uses;
	uses_of[profile.heatmap_count - 1].count = count;
	heatmap->process = process;
	heatmap->variable = add_variable(name);
	heatmap->low = BASE;
	heatmap->high = BASE + (BINS << BIN_SHIFT) - 1;
	heatmap->bin_shift = BIN_SHIFT;
	heatmap->one_in = 1;
	heatmap->certainty = 1;
	sum_uses(heatmap, profile.heatmap_count - 1, NULL);
	for (use = uses; use < uses + count; use++) {
		loads = (uint64_t)(use->to - use->from) * (use->last_tick - use->first_tick + 1u) *
			use->loads;
		if (loads)
			add_cell(heatmap->variable, use->node, line_of(use), loads,
				 use->node == use->home ? local_dram : remote_dram);
	}
	return heatmap;
}

/* Collects evidence, as is done when the samples of each process are reduced. */
static inline void find_evidence(void)
{
	struct memphis_heatmap *heatmap, rest;
	bool stores[8] = {false};
	size_t i, j;

	for (i = 0; i < profile.heatmap_count; i++)
		for (j = 0; j < profile.heatmaps[i].use_count; j++)
			stores[profile.heatmaps[i].process] |= profile.heatmaps[i].uses[j].stores > 0;
	profile.evidence_count = 0;
	for (i = 0; i < profile.heatmap_count; i++) {
		heatmap = &profile.heatmaps[i];
		if (!memphis_evidence_add_of_places(&profile, heatmap, stores[heatmap->process])) {
			memphis_evidence_add(&profile, heatmap, stores[heatmap->process]);
			continue;
		}
		rest = *heatmap;
		rest.spots = NULL;
		rest.uses = NULL;
		rest.places = NULL;
		rest.spot_count = rest.spot_room = rest.use_count = rest.use_room = rest.place_count =
			rest.place_room = rest.samples = 0;
		sum_uses(&rest, i, heatmap);
		free(rest.places);
		rest.places = heatmap->places;
		rest.place_count = heatmap->place_count;
		memphis_evidence_add(&profile, &rest, stores[heatmap->process]);
		free(rest.spots);
		free(rest.uses);
	}
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

	find_evidence();
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

/* Expects one finding of this pattern. */
static inline void expect_pattern(const char *select, const char *pattern, const char *sentence)
{
	char *got = findings_of(select);

	ok(!strncmp(got, pattern, strlen(pattern)) && got[strlen(pattern)] == '\n', "%s", sentence);
	free(got);
	memphis_profile_close(&profile);
}

#define HEATMAP(name, uses) add_heatmap(0, name, uses, sizeof(uses) / sizeof(*(uses)))

static inline uint32_t region(const char *name)
{
	return memphis_profile_add_region(&profile, text(name), MEMPHIS_REGION_OUTSIDE);
}

/* Adds `remote` of the variable's remote loads to the region. */
static inline void add_region(struct memphis_heatmap *heatmap, uint32_t region, uint32_t remote)
{
	place_of(heatmap, 44, 2, region)->remote += remote;
	qsort(heatmap->places, heatmap->place_count, sizeof(*heatmap->places), compare_places);
}

#endif
