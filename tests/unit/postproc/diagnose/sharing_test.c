// SPDX-License-Identifier: BSD-3-Clause
/*
 * False and true sharing of cache lines. If this fails, the report blames a variable wrongly, or does not report sharing that its
 * samples show.
 */
#include "scenario.h"

static void add_word(struct memphis_heatmap *heatmap, uint64_t line, uint32_t thread, uint8_t word,
		     uint32_t loads, uint32_t stores, uint32_t hitm_loads)
{
	struct memphis_heatmap_word *row =
		memphis_append(heatmap->words, heatmap->word_count, heatmap->word_room);

	*row = (struct memphis_heatmap_word){line,   thread,    (uint16_t)(thread / 2), word, loads,
					     stores, hitm_loads};
}

/* Adds loads of modified lines, at line 66. */
static void add_modified(struct memphis_heatmap *heatmap, uint32_t count)
{
	place_of(heatmap, 66, 0, 0)->modified += count;
	add_cell(heatmap->variable, 0, 66, count, hitm);
}

static void sharing(void)
{
	static const struct use nothing[] = {{0, 0, 0, 0, 16, 0, 0, 1, 0, 0, 0}};
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
	add_modified(heatmap, 80);
	expect_findings(
		"hitm",
		"false-sharing\n"
		"[heap]:counters has false sharing: threads use different words (misses, hits) of the same 2 cache lines, which go to and fro between the caches of 2 threads, most at model.c:66 (step): 80 samples, 100.0 % of the loads of lines that another cache had modified (95 % CI 95.4 to 100.0)\n"
		"pad or align what each thread writes, so that it has cache lines of its own\n",
		"false-sharing: threads use different words of the same lines");
	begin();
	heatmap = HEATMAP("total", nothing);
	add_word(heatmap, 5, 0, 3, 30, 30, 20);
	add_word(heatmap, 5, 1, 3, 30, 30, 20);
	add_word(heatmap, 5, 2, 3, 30, 30, 20);
	add_modified(heatmap, 60);
	expect_findings(
		"hitm",
		"true-sharing\n"
		"[heap]:total is written by several threads: they share words of one cache line, which goes to and fro between the caches of 3 threads, most at model.c:66 (step): 60 samples, 100.0 % of the loads of lines that another cache had modified (95 % CI 94.0 to 100.0)\n"
		"give each thread a copy of its own and combine them at the end; take a lock less often, or split it\n",
		"true-sharing: threads use the same word");
	begin();
	heatmap = HEATMAP("read", nothing);
	add_word(heatmap, 5, 0, 3, 30, 0, 20);
	add_word(heatmap, 5, 1, 4, 30, 30, 20);
	add_word(heatmap, 6, 0, 3, 30, 0, 20);
	add_modified(heatmap, 60);
	expect_findings(
		"hitm",
		"false-sharing\n"
		"[heap]:read has false sharing: threads use different words of one cache line, which goes to and fro between the caches of 2 threads, most at model.c:66 (step): 20 samples, 33.3 % of the loads of lines that another cache had modified (95 % CI 22.7 to 45.9)\n"
		"pad or align what each thread writes, so that it has cache lines of its own\n",
		"false-sharing: a word that is only read suffers from stores to its line");
	begin();
	heatmap = HEATMAP("counters", nothing);
	add_word(heatmap, 5, 0, 0, 30, 30, 20);
	add_word(heatmap, 5, 2, 1, 30, 30, 20);
	add_modified(heatmap, 80);
	expect_pattern("remote-dram", "false-sharing",
		       "false sharing is found although loads from other caches are not selected");
}

int main(void)
{
	sharing();
	return finish();
}
