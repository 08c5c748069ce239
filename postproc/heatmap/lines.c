// SPDX-License-Identifier: BSD-3-Clause
/*
 * Counts which threads accessed which words of the cache lines that moved between the caches of threads. A load that
 * finds its line modified in another cache (HITM) shows such a line.
 */
#include "heatmap/second_pass.h"

#include <errno.h>
#include <stdlib.h>

#include <memphis/sample.h>

#include "base/error.h"
#include "base/order.h"

#define LINE_SHIFT 6
#define WORD_SHIFT 3

/* Compares by line, thread, word and node. */
static int compare_words(const void *a, const void *b)
{
	const struct memphis_heatmap_word *x = a, *y = b;

	return memphis_order(x->line, y->line) ?:
	       memphis_order(x->thread, y->thread) ?:
	       memphis_order(x->word, y->word) ?:
	       memphis_order(x->node, y->node);
}

struct line {
	size_t first, count; /* range in the array of words */
	uint64_t line, hitm;
};

static int compare_lines(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	return memphis_order(y->hitm, x->hitm) ?: memphis_order(x->line, y->line);
}

/* Keeps the words of the lines that loads found modified in another cache most often, and drops the others. */
static int keep_lines(struct memphis_heatmap *heatmap, const struct memphis_heatmap_word *words, size_t count)
{
	struct line *lines = calloc(count + 1, sizeof(*lines));
	size_t line_count = 0, i, j;

	if (!lines)
		return -ENOMEM;
	for (i = 0; i < count; i++) {
		if (!i || words[i].line != words[i - 1].line)
			lines[line_count++] = (struct line){.first = i, .line = words[i].line};
		lines[line_count - 1].count++;
		lines[line_count - 1].hitm += words[i].hitm;
	}
	qsort(lines, line_count, sizeof(*lines), compare_lines);
	for (i = 0; i < line_count && i < MEMPHIS_HEATMAP_LINES && lines[i].hitm; i++) {
		if (memphis_grow(&heatmap->words, &heatmap->word_room, heatmap->word_count + lines[i].count,
				 sizeof(*words)))
			break;
		for (j = 0; j < lines[i].count; j++)
			heatmap->words[heatmap->word_count++] = words[lines[i].first + j];
	}
	free(lines);
	return 0;
}

static int compare_line_numbers(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return memphis_order(*x, *y);
}

/*
 * Lists the line of each load that found it modified in another cache, in ascending order. A line can occur several
 * times. Most variables have no such lines. The caller must free *lines.
 */
static int list_modified_lines(struct memphis_heatmap_record *const *records, size_t count, uint64_t **lines,
			       size_t *line_count)
{
	size_t capacity = 0, i;
	uint64_t *line;

	*lines = NULL;
	*line_count = 0;
	for (i = 0; i < count; i++) {
		if (!(records[i]->flags & MEMPHIS_FLAG_HITM))
			continue;
		line = memphis_append(*lines, *line_count, capacity);
		if (!line)
			return -ENOMEM;
		*line = records[i]->address >> LINE_SHIFT;
	}
	memphis_sort(*lines, *line_count, compare_line_numbers);
	return 0;
}

int memphis_heatmap_fill_words(struct memphis_heatmap *heatmap, struct memphis_heatmap_record *const *records,
			       size_t count)
{
	struct memphis_heatmap_word *words = NULL, *last = NULL, *word;
	size_t capacity = 0, word_count = 0, kept = 0, line_count, i;
	uint64_t *lines, line;
	int rc = list_modified_lines(records, count, &lines, &line_count);

	for (i = 0; !rc && line_count && i < count; i++) {
		line = records[i]->address >> LINE_SHIFT;
		if (!bsearch(&line, lines, line_count, sizeof(line), compare_line_numbers))
			continue;
		word = memphis_append(words, word_count, capacity);
		if (!word) {
			rc = -ENOMEM;
			break;
		}
		word->line = line;
		word->thread = records[i]->thread;
		word->node = records[i]->node;
		word->word = records[i]->address >> WORD_SHIFT & 7;
		word->loads = !!(records[i]->flags & MEMPHIS_FLAG_LOAD);
		word->stores = !!(records[i]->flags & MEMPHIS_FLAG_STORE);
		word->hitm = !!(records[i]->flags & MEMPHIS_FLAG_HITM);
	}
	free(lines);
	memphis_sort(words, word_count, compare_words);
	for (i = 0; i < word_count; i++) {
		if (last && !compare_words(last, &words[i])) {
			last->loads += words[i].loads;
			last->stores += words[i].stores;
			last->hitm += words[i].hitm;
		} else {
			last = &words[kept++];
			*last = words[i];
		}
	}
	if (!rc)
		rc = keep_lines(heatmap, words, kept);
	free(words);
	return rc;
}
