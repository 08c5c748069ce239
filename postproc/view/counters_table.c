// SPDX-License-Identifier: BSD-3-Clause
/* Adds up the counters of all processes by region and metric. */
#include "view/counters_table.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"

struct entry {
	const struct memphis_process *process;
	const struct memphis_counter_metric *metric;
};

struct build {
	struct memphis_counters_table *table;
	struct entry *entries; /* sorted by metric, then in the order of processes */
	size_t count, room;
	/* each key is a letter for the kind of place, followed by the name of the region */
	struct memphis_strings names;
};

static int compare_entries(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	int rc = memphis_counters_compare(x->metric, y->metric);

	if (!rc)
		rc = (x->process > y->process) - (x->process < y->process);
	return rc ? rc : (x->metric > y->metric) - (x->metric < y->metric);
}

static int collect_entries(struct build *build, const struct memphis_processes *processes,
			   const struct memphis_selection *selection)
{
	const struct memphis_counters *counters;
	size_t i, j;

	for (i = 0; i < processes->count; i++) {
		counters = processes->list[i].counters;
		for (j = 0; counters && j < counters->metric_count; j++) {
			if (!memphis_selection_has(selection, &processes->list[i]) &&
			    !counters->metrics[j].host)
				continue;
			if (memphis_grow(&build->entries, &build->room, build->count + 1,
					 sizeof(*build->entries)))
				return -ENOMEM;
			build->entries[build->count++] =
				(struct entry){&processes->list[i], &counters->metrics[j]};
		}
	}
	memphis_sort(build->entries, build->count, compare_entries);
	return 0;
}

static bool is_first_of_metric(const struct build *build, size_t i)
{
	return !i || memphis_counters_compare(build->entries[i - 1].metric, build->entries[i].metric);
}

/*
 * Returns the number of the region with this place and name. A new region gets the next number. Returns
 * MEMPHIS_NO_STRING if memory is exhausted.
 */
static uint32_t number_region(struct build *build, enum memphis_counters_place place, const char *name)
{
	static const char *const kinds[] = {[MEMPHIS_COUNTER_IN_REGION] = "r",
					    [MEMPHIS_COUNTER_IN_NONE] = "o",
					    [MEMPHIS_COUNTER_IN_UNKNOWN] = "u"};
	struct memphis_text key = {0};
	uint32_t number;

	memphis_text_put(&key, kinds[place]);
	memphis_text_put(&key, name ? name : "");
	number = key.failed ? MEMPHIS_NO_STRING : memphis_strings_add(&build->names, key.text, key.bytes);
	memphis_text_close(&key);
	/* Number 0 of the pool is the empty string. */
	return number == MEMPHIS_NO_STRING ? number : number - 1;
}

/* The recursion ends, because it follows a parent only if it comes earlier in the list. */
void memphis_counters_put_path(struct memphis_text *text, const struct memphis_process *process,
			       const struct memphis_region *region)
{
	const struct memphis_region *parent = memphis_process_region(process, region->parent);

	if (parent && parent < region) {
		memphis_counters_put_path(text, process, parent);
		memphis_text_put(text, " > ");
	}
	memphis_text_put(text, region->name);
}

static uint32_t find_or_add_region(struct build *build, const struct memphis_process *process, uint32_t id)
{
	const struct memphis_region *region = memphis_process_region(process, id);
	const enum memphis_counters_place place = region ? MEMPHIS_COUNTER_IN_REGION
						  : id   ? MEMPHIS_COUNTER_IN_UNKNOWN
							 : MEMPHIS_COUNTER_IN_NONE;
	struct memphis_counters_table *table = build->table;
	struct memphis_counters_region *kept;
	struct memphis_text path = {0};
	uint32_t number;

	if (region)
		memphis_counters_put_path(&path, process, region);
	number = path.failed ? MEMPHIS_NO_STRING : number_region(build, place, path.text);
	if (number == MEMPHIS_NO_STRING || number < table->region_count)
		goto close;
	kept = memphis_append(table->regions, table->region_count, table->region_room);
	if (!kept) {
		number = MEMPHIS_NO_STRING;
		goto close;
	}
	kept->place = place;
	kept->name = path.text;
	return number;

close:
	memphis_text_close(&path);
	return number;
}

static int compare_regions(const void *a, const void *b)
{
	const struct memphis_counters_region *x = a, *y = b;

	if (x->place != y->place)
		return x->place < y->place ? -1 : 1;
	if (x->longest_ns != y->longest_ns)
		return x->longest_ns > y->longest_ns ? -1 : 1;
	return x->name && y->name ? strcmp(x->name, y->name) : 0;
}

/* Collects the regions, sorts them by duration, and numbers their names again in this order. */
static int find_regions(struct build *build)
{
	struct memphis_counters_table *table = build->table;
	const struct memphis_counter_metric *metric;
	uint64_t *longest;
	uint32_t number;
	size_t i, j;

	for (i = 0; i < build->count; i++) {
		metric = build->entries[i].metric;
		for (j = 0; j < metric->cell_count; j++) {
			number =
				find_or_add_region(build, build->entries[i].process, metric->cells[j].region);
			if (number == MEMPHIS_NO_STRING)
				return -ENOMEM;
			longest = &table->regions[number].longest_ns;
			if (metric->cells[j].covered_ns > *longest)
				*longest = metric->cells[j].covered_ns;
		}
	}
	memphis_sort(table->regions, table->region_count, compare_regions);
	memphis_strings_close(&build->names);
	for (i = 0; i < table->region_count; i++)
		if (number_region(build, table->regions[i].place, table->regions[i].name) ==
		    MEMPHIS_NO_STRING)
			return -ENOMEM;
	return 0;
}

static void add_cell(struct memphis_counters_sum *sum, const struct memphis_counters_cell *cell)
{
	sum->sum += cell->sum;
	sum->shared += cell->shared;
	sum->low = fmin(sum->low, cell->low);
	sum->high = fmax(sum->high, cell->high);
	sum->covered_ns += cell->covered_ns;
	if (cell->covered_ns > sum->longest_ns)
		sum->longest_ns = cell->covered_ns;
}

static int add_metric(struct build *build, struct memphis_counters_row *row, const struct entry *entry)
{
	const struct memphis_counter_metric *metric = entry->metric;
	uint64_t ratio, longest = row->all.longest_ns;
	uint32_t region;
	size_t i;

	row->processes++;
	row->readings += metric->readings;
	row->gaps += metric->gaps;
	row->gap_ns = metric->gap_ns > row->gap_ns ? metric->gap_ns : row->gap_ns;
	row->backwards += metric->backwards;
	row->took_most_ns =
		metric->took_most_ns > row->took_most_ns ? metric->took_most_ns : row->took_most_ns;
	for (i = 0; i < metric->cell_count; i++) {
		region = find_or_add_region(build, entry->process, metric->cells[i].region);
		if (region == MEMPHIS_NO_STRING)
			return -ENOMEM;
		add_cell(&row->sums[region], &metric->cells[i]);
		add_cell(&row->all, &metric->cells[i]);
	}
	row->all.longest_ns = metric->covered_ns > longest ? metric->covered_ns : longest;
	if (!metric->bins)
		return 0;
	ratio = build->table->width_ns / entry->process->counters->width_ns;
	for (i = 0; i < MEMPHIS_TICKS; i++) {
		row->bins[i / ratio].sum += metric->bins[i].sum;
		row->bins[i / ratio].covered_ns += metric->bins[i].covered_ns;
	}
	return 0;
}

static int make_rows(struct build *build)
{
	struct memphis_counters_table *table = build->table;
	struct memphis_counters_row *row = NULL;
	const struct memphis_counter_metric *metric, **problem;
	size_t rows = 0, i;
	int rc = 0;

	for (i = 0; i < build->count; i++) {
		rows += is_first_of_metric(build, i) &&
			build->entries[i].metric->kind <= MEMPHIS_COUNTER_GAUGE;
		if (build->entries[i].process->counters->width_ns > table->width_ns)
			table->width_ns = build->entries[i].process->counters->width_ns;
	}
	table->rows = calloc(rows + 1, sizeof(*table->rows));
	table->sums = calloc(rows * table->region_count + 1, sizeof(*table->sums));
	table->bins = calloc(rows * MEMPHIS_TICKS + 1, sizeof(*table->bins));
	if (!table->rows || !table->sums || !table->bins)
		return -ENOMEM;
	for (i = 0; i < rows * table->region_count; i++)
		table->sums[i] = (struct memphis_counters_sum){.low = INFINITY, .high = -INFINITY};
	for (i = 0; !rc && i < build->count; i++) {
		metric = build->entries[i].metric;
		if (metric->kind > MEMPHIS_COUNTER_GAUGE) {
			problem = is_first_of_metric(build, i)
					  ? memphis_append(table->problems, table->problem_count,
							   table->problem_room)
					  : &table->problems[table->problem_count - 1];
			if (!problem)
				return -ENOMEM;
			*problem = metric;
			continue;
		}
		if (is_first_of_metric(build, i)) {
			row = &table->rows[table->row_count];
			row->metric = metric;
			row->all = (struct memphis_counters_sum){.low = INFINITY, .high = -INFINITY};
			row->sums = table->sums + table->row_count * table->region_count;
			row->bins = table->bins + table->row_count++ * MEMPHIS_TICKS;
		}
		rc = add_metric(build, row, &build->entries[i]);
	}
	return rc;
}

int memphis_counters_table_make(struct memphis_counters_table *table,
				const struct memphis_processes *processes,
				const struct memphis_selection *selection)
{
	struct build build = {.table = table};
	int rc = collect_entries(&build, processes, selection);

	if (!rc)
		rc = find_regions(&build);
	if (!rc)
		rc = make_rows(&build);
	memphis_strings_close(&build.names);
	free(build.entries);
	return rc;
}

void memphis_counters_table_close(struct memphis_counters_table *table)
{
	size_t i;

	for (i = 0; i < table->region_count; i++)
		free(table->regions[i].name);
	free(table->regions);
	free(table->rows);
	free(table->sums);
	free(table->bins);
	free(table->problems);
	memset(table, 0, sizeof(*table));
}

double memphis_counters_rate(const struct memphis_counters_sum *sum)
{
	return sum->longest_ns ? sum->sum / ((double)sum->longest_ns / 1e9) : NAN;
}

double memphis_counters_mean(const struct memphis_counters_sum *sum)
{
	return sum->covered_ns ? sum->sum / (double)sum->covered_ns : NAN;
}

bool memphis_counters_moves(const struct memphis_counters_row *row, const struct memphis_counters_sum *sum)
{
	if (row->metric->kind == MEMPHIS_COUNTER_COUNTER)
		return sum->sum != 0;
	return sum->low <= sum->high && (sum->low != 0 || sum->high != 0);
}

/* ---- values of counters and names of their regions as text ---- */

const char *const memphis_counters_places[] = {"caliper", "outside", "unknown"};

const char *memphis_counters_region_name(const struct memphis_counters_region *region)
{
	static const char *const names[] = {[MEMPHIS_COUNTER_IN_NONE] = "(outside any caliper)",
					    [MEMPHIS_COUNTER_IN_UNKNOWN] = "(unknown region)"};

	return region->name ? region->name : names[region->place];
}

struct scale {
	double unit;
	const char *symbol;
};

/* Prints three significant digits, in the largest unit that is not larger than the value. */
static void print_scaled(char *buffer, size_t bytes, double value, const struct scale *scales)
{
	double size = fabs(value);

	while (scales->unit > size && scales->unit > 1)
		scales++;
	size /= scales->unit;
	snprintf(buffer, bytes, "%.*f%s",
		 size >= 100 || size == floor(size) ? 0
		 : size >= 10                       ? 1
						    : 2,
		 value / scales->unit, scales->symbol);
}

const char *memphis_counters_print(char buffer[MEMPHIS_COUNTER_VALUE_BYTES], double value, const char *unit)
{
	static const struct scale numbers[] = {{1e18, " E"}, {1e15, " P"}, {1e12, " T"}, {1e9, " G"},
					       {1e6, " M"},  {1e3, " k"},  {1, ""}},
				  bytes[] = {{1e18, " EB"}, {1e15, " PB"}, {1e12, " TB"}, {1e9, " GB"},
					     {1e6, " MB"},  {1e3, " kB"},  {1, " B"}},
				  times[] = {{1e9, " s"}, {1e6, " ms"}, {1e3, " us"}, {1, " ns"}};
	size_t used;

	if (!isfinite(value)) {
		snprintf(buffer, MEMPHIS_COUNTER_VALUE_BYTES, "-");
	} else if (!strcmp(unit, "bytes")) {
		print_scaled(buffer, MEMPHIS_COUNTER_VALUE_BYTES, value, bytes);
	} else if (!strcmp(unit, "ns")) {
		print_scaled(buffer, MEMPHIS_COUNTER_VALUE_BYTES, value, times);
	} else {
		print_scaled(buffer, MEMPHIS_COUNTER_VALUE_BYTES, value, numbers);
		used = strlen(buffer);
		if (strcmp(unit, "count") && strcmp(unit, "-"))
			snprintf(buffer + used, MEMPHIS_COUNTER_VALUE_BYTES - used, " %.20s", unit);
	}
	return buffer;
}
