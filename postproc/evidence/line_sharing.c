// SPDX-License-Identifier: BSD-3-Clause
/*
 * Detects cache lines that bounce between caches. A load that found its line modified in another cache is counted as true sharing if other
 * threads store to the loaded word, and as false sharing if they store only to other words of the line.
 */
#include "evidence/line_sharing.h"

struct sum {
	uint64_t hitm;
	uint32_t lines, threads;
};

/* Returns whether another thread stores to the line or, if same_word is true, to the same word of the line. */
static bool stored_by_others(const struct memphis_heatmap_word *words, size_t count,
			     const struct memphis_heatmap_word *word, bool same_word)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (words[i].stores && words[i].thread != word->thread &&
		    (words[i].word == word->word || !same_word))
			return true;
	return false;
}

static uint32_t threads_of(const struct memphis_heatmap_word *words, size_t count)
{
	uint32_t threads = 0;
	size_t i, j;

	for (i = 0; i < count; i++) {
		for (j = 0; words[j].thread != words[i].thread; j++)
			;
		threads += j == i;
	}
	return threads;
}

static void add_line(struct sum sums[2], const struct memphis_heatmap_word *words, size_t count)
{
	uint64_t hitm[2] = {0};
	struct sum *sum;
	size_t i;

	for (i = 0; i < count; i++)
		if (words[i].hitm && stored_by_others(words, count, &words[i], false))
			hitm[stored_by_others(words, count, &words[i], true)] += words[i].hitm;
	if (!hitm[0] && !hitm[1])
		return;
	sum = &sums[hitm[1] >= hitm[0]];
	sum->hitm += hitm[0] + hitm[1];
	sum->lines++;
	if (sum->threads < threads_of(words, count))
		sum->threads = threads_of(words, count);
}

/* Returns the number of the member's samples, over all nodes, that found the line modified in another cache. */
static uint64_t hitm_of(const struct memphis_heatmap *heatmap, uint32_t field)
{
	uint64_t hitm = 0;
	size_t i;

	for (i = 0; i < heatmap->field_count; i++)
		if (heatmap->fields[i].name == field)
			hitm += heatmap->fields[i].hitm;
	return hitm;
}

/* Fills in the two members with the most samples that found the line modified in another cache. */
static void name_fields(const struct memphis_heatmap *heatmap, struct memphis_finding *finding)
{
	uint64_t most[2] = {0}, hitm;
	uint32_t name;
	size_t i;

	for (i = 0; i < heatmap->field_count; i++) {
		name = heatmap->fields[i].name;
		hitm = hitm_of(heatmap, name);
		if (!name || name == finding->fields[0] || name == finding->fields[1] || hitm <= most[1])
			continue;
		most[1] = hitm;
		finding->fields[1] = name;
		if (hitm > most[0]) {
			most[1] = most[0];
			finding->fields[1] = finding->fields[0];
			most[0] = hitm;
			finding->fields[0] = name;
		}
	}
}

bool memphis_find_sharing(const struct memphis_heatmap *heatmap, struct memphis_finding *finding)
{
	struct sum sums[2] = {{0}}, *sum;
	size_t i, count;

	for (i = 0; i < heatmap->word_count; i += count) {
		for (count = 1; i + count < heatmap->word_count; count++)
			if (heatmap->words[i + count].line != heatmap->words[i].line)
				break;
		add_line(sums, &heatmap->words[i], count);
	}
	sum = &sums[sums[1].hitm >= sums[0].hitm];
	finding->pattern = sum == &sums[1] ? MEMPHIS_PATTERN_TRUE_SHARING : MEMPHIS_PATTERN_FALSE_SHARING;
	/* This is an upper bound, because words do not record how many of their samples were selected. */
	finding->samples = sum->hitm < heatmap->selected ? sum->hitm : heatmap->selected;
	finding->lines = sum->lines;
	finding->line_threads = sum->threads;
	name_fields(heatmap, finding);
	return sum->hitm > 0;
}
