// SPDX-License-Identifier: BSD-3-Clause
/* Sorts a profile into its canonical order. Adds the rows of each table to an empty profile, in the order of their contents. */
#include "profile/profile.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "profile/numbers.h"

#define ROW_BYTES_MAX 1024

struct order {
	struct memphis_profile *profile, ordered;
	struct memphis_numbers numbers;
	uint32_t *processes, *threads; /* new numbers, by old number */
};

static int compare_strings(const void *a, const void *b, void *context)
{
	const struct memphis_strings *strings = context;

	return strcmp(memphis_strings_get(strings, *(const uint32_t *)a),
		      memphis_strings_get(strings, *(const uint32_t *)b));
}

/* Sets order->numbers.strings[i] to 1 if some row refers to string i. */
static void mark_strings(const struct order *order)
{
	const struct memphis_profile *profile = order->profile;
	const struct memphis_profile_frame *frame;
	uint32_t *strings = order->numbers.strings;
	size_t i, j;

	for (i = 0; i < profile->object_count; i++)
		strings[profile->objects[i].path] = strings[profile->objects[i].build_id] =
			strings[profile->objects[i].found] = strings[profile->objects[i].debug_path] =
				strings[profile->objects[i].split_missing] = 1;
	for (i = 0; i < profile->variable_count; i++)
		strings[profile->variables[i].segment] = strings[profile->variables[i].name] =
			strings[profile->variables[i].qualified] = strings[profile->variables[i].site] =
				strings[profile->variables[i].how] = strings[profile->variables[i].why_not] =
					strings[profile->variables[i].object] =
						strings[profile->variables[i].declared] =
							strings[profile->variables[i].unit] = 1;
	/*
	 * Frames are visited through their instructions, because the array also contains frames that were replaced by
	 * better ones.
	 */
	for (i = 0; i < profile->instruction_count; i++) {
		frame = profile->frames + profile->instructions[i].frame;
		for (j = 0; j < profile->instructions[i].frame_count; j++, frame++)
			strings[frame->function] = strings[frame->path] = 1;
		strings[profile->instructions[i].type] = strings[profile->instructions[i].member] =
			strings[profile->instructions[i].called] = 1;
	}
	for (i = 0; i < profile->region_count; i++)
		strings[profile->regions[i].name] = 1;
	for (i = 0; i < profile->heatmap_count; i++) {
		for (j = 0; j < profile->heatmaps[i].field_count; j++)
			strings[profile->heatmaps[i].fields[j].name] = 1;
		for (j = 0; j < profile->heatmaps[i].part_count; j++)
			strings[profile->heatmaps[i].parts[j].name] = 1;
	}
	for (i = 0; i < profile->evidence_count; i++)
		strings[profile->evidence[i].fields[0]] = strings[profile->evidence[i].fields[1]] = 1;
}

static int order_strings(struct order *order)
{
	struct memphis_strings *from = &order->profile->strings, *to = &order->ordered.strings;
	uint32_t *numbers;
	size_t i;
	int rc = 0;

	if (memphis_strings_add(to, "", 0) == MEMPHIS_NO_STRING)
		return -ENOMEM;
	if (!from->count)
		return 0;
	mark_strings(order);
	numbers = memphis_numbers_sorted(1, from->count - 1, compare_strings, from);
	for (i = 0; numbers && i < from->count - 1; i++) {
		if (!order->numbers.strings[numbers[i]])
			continue;
		order->numbers.strings[numbers[i]] =
			memphis_strings_add_text(to, memphis_strings_get(from, numbers[i]));
		if (order->numbers.strings[numbers[i]] == MEMPHIS_NO_STRING)
			rc = -ENOMEM;
	}
	order->numbers.strings[0] = 0;
	free(numbers);
	return numbers ? rc : -ENOMEM;
}

static int compare_processes(const void *a, const void *b, void *context)
{
	const struct memphis_process *x = &((struct memphis_process *)context)[*(const uint32_t *)a],
				     *y = &((struct memphis_process *)context)[*(const uint32_t *)b];
	int rc = strcmp(x->path ? x->path : "", y->path ? y->path : "");

	if (rc)
		return rc;
	if (x->run[0] != y->run[0])
		return x->run[0] < y->run[0] ? -1 : 1;
	return x->run[1] < y->run[1] ? -1 : x->run[1] > y->run[1];
}

/*
 * Moves row numbers[i] to position i, for rows of at most ROW_BYTES_MAX bytes. Follows the cycles of the
 * permutation, so that each row moves only once. Changes the numbers.
 */
static void permute_rows(void *rows, size_t count, size_t bytes, uint32_t *numbers)
{
	char held[ROW_BYTES_MAX], *base = rows;
	uint32_t at, next;
	size_t i;

	for (i = 0; i < count; i++) {
		if (numbers[i] == i)
			continue;
		memcpy(held, base + i * bytes, bytes);
		for (at = (uint32_t)i; numbers[at] != i; at = next) {
			next = numbers[at];
			memcpy(base + at * bytes, base + next * bytes, bytes);
			numbers[at] = at;
		}
		memcpy(base + at * bytes, held, bytes);
		numbers[at] = at;
	}
}

/* Moves processes and timelines to the ordered profile. The processes of a large job are ordered in place. */
static int order_processes(struct order *order)
{
	struct memphis_profile *profile = order->profile, *ordered = &order->ordered;
	const size_t count = profile->processes.count;
	uint32_t *numbers = memphis_numbers_sorted(0, count, compare_processes, profile->processes.list);
	struct memphis_process *list = profile->processes.list;
	uint32_t *firsts = calloc(count + 1, sizeof(*firsts)), thread = 0;
	size_t i, j;

	ordered->timelines = calloc(count + 1, sizeof(*ordered->timelines));
	if (!numbers || !firsts || !ordered->timelines) {
		free(numbers);
		free(firsts);
		return -ENOMEM;
	}
	for (i = 0; i < count; i++)
		firsts[i + 1] = firsts[i] + (uint32_t)list[i].thread_count;
	for (i = 0; i < count; i++) {
		order->processes[numbers[i]] = (uint32_t)i;
		ordered->timelines[i] = profile->timelines[numbers[i]];
		for (j = 0; j < list[numbers[i]].thread_count; j++)
			order->threads[firsts[numbers[i]] + j] = thread++;
	}
	_Static_assert(sizeof(*list) <= ROW_BYTES_MAX, "permute_rows() holds one");
	permute_rows(list, count, sizeof(*list), numbers);
	ordered->processes.list = list;
	ordered->processes.count = count;
	ordered->processes.room = profile->processes.room;
	profile->processes.list = NULL;
	profile->processes.count = profile->processes.room = 0;
	ordered->processes.empty_files = profile->processes.empty_files;
	ordered->processes.damaged_files = profile->processes.damaged_files;
	ordered->processes.empty_directories = profile->processes.empty_directories;
	/* The binaries are still open if the profile has just been made from sample files. */
	ordered->processes.binaries = profile->processes.binaries;
	memset(&profile->processes.binaries, 0, sizeof(profile->processes.binaries));
	free(firsts);
	free(numbers);
	return 0;
}

static int compare_access(const struct memphis_access *x, const struct memphis_access *y)
{
	const uint32_t first[] = {x->node, x->home, x->source, x->flags},
		       second[] = {y->node, y->home, y->source, y->flags};

	return memphis_numbers_compare(first, second, 4);
}

static int compare_totals(const void *a, const void *b, void *context)
{
	const struct memphis_total *x = &((struct memphis_total *)context)[*(const uint32_t *)a],
				   *y = &((struct memphis_total *)context)[*(const uint32_t *)b];
	const uint32_t first[] = {x->process, x->thread}, second[] = {y->process, y->thread};
	int rc = memphis_numbers_compare(first, second, 2);

	return rc ? rc : compare_access(&x->access, &y->access);
}

static int compare_cells(const void *a, const void *b, void *context)
{
	const struct memphis_cell_key *x = &((struct memphis_cell *)context)[*(const uint32_t *)a].key,
				      *y = &((struct memphis_cell *)context)[*(const uint32_t *)b].key;
	const uint32_t first[] = {x->variable, x->instruction, x->region, x->thread},
		       second[] = {y->variable, y->instruction, y->region, y->thread};
	int rc = memphis_numbers_compare(first, second, 4);

	if (!rc)
		rc = compare_access(&x->access, &y->access);
	return rc ? rc : memphis_numbers_compare(&x->reason, &y->reason, 1);
}

/*
 * Sorts rows in place. Totals and cells are the largest tables, and sorting copies of the rows would need the
 * same amount of memory again.
 */
static int sort_rows(void *rows, size_t count, size_t bytes, memphis_compare_rows *compare)
{
	uint32_t *numbers = memphis_numbers_sorted(0, count, compare, rows);

	if (!numbers)
		return -ENOMEM;
	permute_rows(rows, count, bytes, numbers);
	free(numbers);
	return 0;
}

/* Replaces the numbers in totals and cells, and sorts both in place. */
static int order_numbers(struct order *order)
{
	struct memphis_profile *profile = order->profile;
	struct memphis_cell *cell;
	size_t i;

	_Static_assert(sizeof(struct memphis_cell) <= ROW_BYTES_MAX &&
			       sizeof(struct memphis_total) <= ROW_BYTES_MAX,
		       "permute_rows() holds one");
	memphis_strings_close(&profile->totals.keys); /* the index refers to the old positions */
	for (i = 0; i < profile->totals.count; i++)
		profile->totals.list[i].process = order->processes[profile->totals.list[i].process];
	for (i = 0; i < profile->cell_count; i++) {
		cell = &profile->cells[i];
		cell->key.variable = order->numbers.variables[cell->key.variable];
		cell->key.instruction = order->numbers.instructions[cell->key.instruction];
		cell->key.region = order->numbers.regions[cell->key.region];
		if (profile->by_thread)
			cell->key.thread = order->threads[cell->key.thread];
	}
	if (sort_rows(profile->totals.list, profile->totals.count, sizeof(*profile->totals.list),
		      compare_totals))
		return -ENOMEM;
	return sort_rows(profile->cells, profile->cell_count, sizeof(*profile->cells), compare_cells);
}

/* Replaces the numbers in the examples. Inserts the examples into the new profile, which restores their sort order. */
static void order_examples(struct order *order)
{
	const struct memphis_examples *examples = &order->profile->examples;
	struct memphis_example example;
	unsigned int reason, i;

	for (reason = 0; reason < MEMPHIS_UNATTRIBUTED_REASONS; reason++)
		for (i = 0; i < examples->count[reason]; i++) {
			example = examples->list[reason][i];
			example.code = order->numbers.instructions[example.code];
			example.variable = order->numbers.variables[example.variable];
			example.thread = order->threads[example.thread];
			memphis_examples_add(&order->ordered.examples, reason, &example);
		}
}

/* Compares by process. Heatmaps of the same process keep their order, with the most selected samples first. */
static int compare_heatmaps(const void *a, const void *b, void *context)
{
	const struct memphis_heatmap *x = &((struct memphis_heatmap *)context)[*(const uint32_t *)a],
				     *y = &((struct memphis_heatmap *)context)[*(const uint32_t *)b];

	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	return memphis_numbers_compare(a, b, 1);
}

static int order_heatmaps(struct order *order)
{
	struct memphis_profile *profile = order->profile;
	const size_t count = profile->heatmap_count;
	struct memphis_heatmap *ordered = calloc(count + 1, sizeof(*ordered)), *heatmap;
	uint32_t *numbers;
	size_t i;

	for (i = 0; i < count; i++) {
		heatmap = &profile->heatmaps[i];
		heatmap->process = order->processes[heatmap->process];
		memphis_heatmap_renumber(heatmap, &order->numbers);
	}
	numbers = memphis_numbers_sorted(0, count, compare_heatmaps, profile->heatmaps);
	if (!ordered || !numbers) {
		free(ordered);
		free(numbers);
		return -ENOMEM;
	}
	for (i = 0; i < count; i++)
		ordered[i] = profile->heatmaps[numbers[i]];
	free(numbers);
	free(profile->heatmaps);
	profile->heatmaps = NULL;
	profile->heatmap_count = profile->heatmap_room = 0;
	order->ordered.heatmaps = ordered;
	order->ordered.heatmap_count = count;
	order->ordered.heatmap_room = count + 1;
	return 0;
}

static int compare_evidence(const void *a, const void *b)
{
	const struct memphis_finding *x = a, *y = b;

	return memphis_order(x->process, y->process) ?:
	       memphis_order(x->variable, y->variable) ?:
	       memphis_order(x->pattern, y->pattern) ?:
	       memphis_order(x->instruction, y->instruction);
}

static void order_evidence(struct order *order)
{
	struct memphis_profile *from = order->profile, *to = &order->ordered;
	size_t i;

	to->evidence = from->evidence;
	to->evidence_count = from->evidence_count;
	to->evidence_room = from->evidence_room;
	from->evidence = NULL;
	from->evidence_count = from->evidence_room = 0;
	for (i = 0; i < to->evidence_count; i++) {
		to->evidence[i].process = order->processes[to->evidence[i].process];
		memphis_finding_renumber(&to->evidence[i], &order->numbers);
	}
	memphis_sort(to->evidence, to->evidence_count, compare_evidence);
}

static void order_sharing(struct order *order)
{
	struct memphis_profile *from = order->profile, *to = &order->ordered;
	size_t i;

	to->sharing = from->sharing;
	to->sharing_count = from->sharing_count;
	to->sharing_room = from->sharing_room;
	from->sharing = NULL;
	from->sharing_count = from->sharing_room = 0;
	for (i = 0; i < to->sharing_count; i++) {
		to->sharing[i].process = order->processes[to->sharing[i].process];
		to->sharing[i].variable = order->numbers.variables[to->sharing[i].variable];
	}
}

static int order_all(struct order *order)
{
	const struct memphis_profile *profile = order->profile;
	const size_t threads = memphis_profile_thread(profile, profile->processes.count);
	int rc;

	order->processes = calloc(profile->processes.count + 1, sizeof(uint32_t));
	order->threads = calloc(threads + 1, sizeof(uint32_t));
	if (!order->processes || !order->threads)
		return -ENOMEM;
	rc = memphis_numbers_open(&order->numbers, profile);
	if (!rc)
		rc = order_strings(order);
	if (!rc)
		rc = memphis_numbers_move(&order->numbers, &order->ordered, order->profile, true);
	if (!rc)
		rc = order_processes(order);
	if (!rc)
		order_examples(order);
	if (!rc)
		order_evidence(order);
	if (!rc)
		order_sharing(order);
	return rc ? rc : order_heatmaps(order);
}

int memphis_profile_order(struct memphis_profile *profile)
{
	struct order order = {.profile = profile};
	int rc = order_all(&order);

	if (!rc)
		rc = memphis_counters_keep_one_per_host(&order.ordered.processes);
	if (!rc)
		rc = order_numbers(&order);
	if (rc) {
		memphis_profile_close(&order.ordered);
	} else {
		memcpy(order.ordered.selection, profile->selection, sizeof(profile->selection));
		order.ordered.by_region = profile->by_region;
		order.ordered.by_thread = profile->by_thread;
		order.ordered.totals = profile->totals;
		order.ordered.cells = profile->cells;
		order.ordered.cell_count = profile->cell_count;
		order.ordered.cell_room = profile->cell_room;
		memset(&profile->totals, 0, sizeof(profile->totals));
		profile->cells = NULL;
		free(profile->timelines);
		profile->timelines = NULL;
		memphis_profile_close(profile);
		*profile = order.ordered;
		rc = memphis_shown_names_find(&profile, 1);
	}
	memphis_numbers_close(&order.numbers);
	free(order.processes);
	free(order.threads);
	return rc;
}
