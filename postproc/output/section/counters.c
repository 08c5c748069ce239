// SPDX-License-Identifier: BSD-3-Clause
/*
 * Performance counters that were recorded together with the samples: as text, as JSON, and the notes about
 * them. Also the counts of events in regions.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "output/section/parts.h"
#include "base/layout.h"
#include "view/counters_table.h"

/* A reading that takes longer than this gets a note, because it is uncertain at what time its values were valid. */
#define SLOW_NS 100000000u

/*
 * Appends the row of a counter in a region. If its readings cover no time, the counter has no rate, and
 * memphis_counters_print() prints "-".
 */
static void put_counter_row(struct memphis_text *text, const struct memphis_counters_row *row,
			    const struct memphis_counters_sum *sum)
{
	const struct memphis_counter_metric *metric = row->metric;
	const bool gauge = metric->kind == MEMPHIS_COUNTER_GAUGE;
	char buffer[MEMPHIS_COUNTER_VALUE_BYTES], shared[16] = "-", node[16] = "-";

	if (!gauge)
		snprintf(shared, sizeof(shared), "%.1f %%", 100 * sum->shared / sum->sum);
	if (metric->node != MEMPHIS_NODE_UNKNOWN)
		snprintf(node, sizeof(node), "%u", metric->node);
	memphis_text_put(text, "  ");
	memphis_text_print(
		text, "%14s",
		memphis_counters_print(buffer, gauge ? memphis_counters_mean(sum) : sum->sum, metric->unit));
	memphis_text_print(text, " %14s",
			   gauge ? "-"
				 : memphis_counters_print(buffer, memphis_counters_rate(sum), metric->unit));
	memphis_text_print_plain(text, " %8s %5s  %s %s", shared, node, metric->source, metric->name);
	if (gauge) {
		memphis_text_print(text, ", mean: %s",
				   memphis_counters_print(buffer, sum->low, metric->unit));
		memphis_text_print(text, " to %s", memphis_counters_print(buffer, sum->high, metric->unit));
	}
	memphis_text_put(text, metric->host ? " (host)\n" : "\n");
}

static void put_region(const struct memphis_counters_table *table, struct memphis_text *text, size_t number)
{
	const struct memphis_counters_region *region = &table->regions[number];
	size_t still = 0, i;
	char buffer[MEMPHIS_COUNTER_VALUE_BYTES];

	memphis_text_style(text, MEMPHIS_BOLD);
	memphis_text_print_plain(text, "COUNTERS: %s %s", memphis_counters_region_name(region),
				 memphis_counters_print(buffer, (double)region->longest_ns, "ns"));
	memphis_text_style(text, MEMPHIS_PLAIN);
	memphis_text_print(text, "\n  %14s %14s %8s %5s\n", "total", "per s", "shared", "node");
	for (i = 0; i < table->row_count; i++) {
		if (memphis_counters_moves(&table->rows[i], &table->rows[i].sums[number]))
			put_counter_row(text, &table->rows[i], &table->rows[i].sums[number]);
		else
			still++;
	}
	if (still)
		memphis_text_print(text, "  and %zu more: zero, or not read\n", still);
	memphis_text_put(text, "\n");
}

void memphis_output_counters_text(const struct memphis_report *report, struct memphis_text *text)
{
	size_t i;

	for (i = 0; i < report->counters.region_count; i++)
		put_region(&report->counters, text, i);
}

static void put_seconds(struct memphis_json *json, const char *key, uint64_t ns)
{
	memphis_json_real(json, key, (double)ns / 1e9);
}

static void put_counter_sum(struct memphis_json *json, const struct memphis_counters_row *row,
			    const struct memphis_counters_sum *sum)
{
	put_seconds(json, "seconds", sum->longest_ns);
	if (row->metric->kind == MEMPHIS_COUNTER_COUNTER) {
		memphis_json_real(json, "total", sum->sum);
		memphis_json_real(json, "per_second", memphis_counters_rate(sum));
		memphis_json_real(json, "shared", sum->shared);
	} else {
		memphis_json_real(json, "mean", memphis_counters_mean(sum));
		memphis_json_real(json, "low", sum->low);
		memphis_json_real(json, "high", sum->high);
	}
}

static void put_metric(struct memphis_json *json, const struct memphis_counters_row *row)
{
	const struct memphis_counter_metric *metric = row->metric;

	memphis_json_open(json, NULL, '{');
	memphis_json_string(json, "source", metric->source);
	memphis_json_string(json, "name", metric->name);
	memphis_json_string(json, "unit", strcmp(metric->unit, "-") ? metric->unit : NULL);
	memphis_json_string(json, "kind", memphis_counters_kinds[metric->kind]);
	memphis_json_string(json, "scope", metric->host ? "host" : "process");
	memphis_json_node(json, "node", metric->node);
	memphis_json_number(json, "processes", row->processes);
	memphis_json_number(json, "readings", row->readings);
	memphis_json_number(json, "gaps", row->gaps);
	put_seconds(json, "gap_seconds", row->gap_ns);
	memphis_json_number(json, "backwards", row->backwards);
	put_seconds(json, "took_most_seconds", row->took_most_ns);
	put_counter_sum(json, row, &row->all);
	memphis_json_close(json, '}');
}

static void put_region_json(struct memphis_json *json, const struct memphis_counters_table *table,
			    size_t number)
{
	const struct memphis_counters_region *region = &table->regions[number];
	const struct memphis_counters_sum *sum;
	size_t i;

	memphis_json_open(json, NULL, '{');
	memphis_json_string(json, "region", region->name);
	memphis_json_string(json, "place", memphis_counters_places[region->place]);
	put_seconds(json, "seconds", region->longest_ns);
	memphis_json_open(json, "metrics", '[');
	for (i = 0; i < table->row_count; i++) {
		sum = &table->rows[i].sums[number];
		if (!sum->covered_ns && !memphis_counters_moves(&table->rows[i], sum))
			continue;
		memphis_json_open(json, NULL, '{');
		memphis_json_number(json, "metric", i);
		put_counter_sum(json, &table->rows[i], sum);
		memphis_json_close(json, '}');
	}
	memphis_json_close(json, ']');
	memphis_json_close(json, '}');
}

static bool is_empty(const struct memphis_counters_bin *bin)
{
	return !bin->covered_ns && bin->sum == 0;
}

/* Writes one number for each time step: the count, or the mean of a gauge. Writes null if the step has no readings. */
static void put_series(struct memphis_json *json, const struct memphis_counters_table *table, size_t number)
{
	const struct memphis_counters_row *row = &table->rows[number];
	const bool gauge = row->metric->kind == MEMPHIS_COUNTER_GAUGE;
	size_t first = 0, end = MEMPHIS_TICKS, i;

	while (end && is_empty(&row->bins[end - 1]))
		end--;
	while (first < end && is_empty(&row->bins[first]))
		first++;
	memphis_json_open(json, NULL, '{');
	memphis_json_number(json, "metric", number);
	memphis_json_number(json, "first", first);
	memphis_json_open(json, "values", '[');
	for (i = first; i < end; i++) {
		memphis_json_real(json, NULL,
				  is_empty(&row->bins[i]) ? NAN
				  : gauge                 ? row->bins[i].sum / (double)row->bins[i].covered_ns
							  : row->bins[i].sum);
	}
	memphis_json_close(json, ']');
	memphis_json_close(json, '}');
}

void memphis_output_counters_json(const struct memphis_report *report, struct memphis_json *json)
{
	const struct memphis_counters_table *table = &report->counters;
	size_t i;

	if (!table->row_count && !table->problem_count)
		return;
	memphis_json_open(json, "counters", '{');
	memphis_json_open(json, "metrics", '[');
	for (i = 0; i < table->row_count; i++)
		put_metric(json, &table->rows[i]);
	memphis_json_close(json, ']');
	memphis_json_open(json, "regions", '[');
	for (i = 0; i < table->region_count; i++)
		put_region_json(json, table, i);
	memphis_json_close(json, ']');
	memphis_json_open(json, "series", '{');
	memphis_json_number(json, "width_ns", table->width_ns);
	memphis_json_open(json, "list", '[');
	for (i = 0; i < table->row_count; i++)
		put_series(json, table, i);
	memphis_json_close(json, ']');
	memphis_json_close(json, '}');
	memphis_json_open(json, "problems", '[');
	for (i = 0; i < table->problem_count; i++) {
		memphis_json_open(json, NULL, '{');
		memphis_json_string(json, "kind", memphis_counters_kinds[table->problems[i]->kind]);
		memphis_json_string(json, "source", table->problems[i]->source);
		memphis_json_string(json, "text", table->problems[i]->name);
		memphis_json_close(json, '}');
	}
	memphis_json_close(json, ']');
	memphis_json_close(json, '}');
}

/* Advice if a source could not be read. `metric` is for a single metric, and `all` for the whole source. NULL: no advice. */
static const struct remedy {
	const char *source, *metric, *all;
} remedies[] = {
	{"uncore",
	 "counters of the memory controllers need kernel.perf_event_paranoid = 0 or less, or CAP_PERFMON; the source pcp needs neither",
	 NULL},
	{"pcp", "pminfo lists the metrics that pmcd has", "systemctl status pmcd shows whether it runs"},
	{"papi", "papi_component_avail and papi_native_avail list the available events", NULL},
};

static void note_problem(struct memphis_text *notes, const struct memphis_counter_metric *problem)
{
	const size_t bytes = strlen(problem->source);
	/* If the problem concerns the whole source, its name begins with the name of the source. */
	const bool all = !strncmp(problem->name, problem->source, bytes) && problem->name[bytes] == ':';
	const char *advice = NULL;
	size_t i;

	memphis_text_put(notes, problem->kind == MEMPHIS_COUNTER_LOST ? "counters: no more answers: "
								      : "counters: not read: ");
	if (!all)
		memphis_text_print_plain(notes, "%s ", problem->source);
	memphis_text_put_plain(notes, problem->name);
	if (problem->kind == MEMPHIS_COUNTER_LOST)
		memphis_text_put(notes, "; later values are not known");
	for (i = 0; i < sizeof(remedies) / sizeof(*remedies); i++)
		if (!strcmp(remedies[i].source, problem->source))
			advice = all ? remedies[i].all : remedies[i].metric;
	if (advice)
		memphis_text_print(notes, "; %s", advice);
	memphis_text_put(notes, "\n");
}

/* Notes gaps and slow readings of a source. They concern all its metrics, because these are read together. */
static void note_source(struct memphis_text *notes, const struct memphis_counters_row *rows, size_t count)
{
	uint64_t gap_ns = 0, backwards = 0, took_ns = 0;
	size_t with_gaps = 0, i;
	char buffer[MEMPHIS_COUNTER_VALUE_BYTES];

	for (i = 0; i < count; i++) {
		with_gaps += rows[i].gaps > 0;
		backwards += rows[i].backwards;
		gap_ns = rows[i].gap_ns > gap_ns ? rows[i].gap_ns : gap_ns;
		took_ns = rows[i].took_most_ns > took_ns ? rows[i].took_most_ns : took_ns;
	}
	if (with_gaps) {
		memphis_text_print_plain(
			notes, "counters: %s: the counts of %zu of %zu metrics in up to %s are in no row",
			rows->metric->source, with_gaps, count,
			memphis_counters_print(buffer, (double)gap_ns, "ns"));
		if (backwards)
			memphis_text_print(
				notes, "; %" PRIu64 " times a counter decreased: it was reset, or is a gauge",
				backwards);
		memphis_text_put(notes, "\n");
	}
	if (took_ns >= SLOW_NS)
		memphis_text_print_plain(
			notes,
			"counters: %s took up to %s for a reading, which limits the time resolution; read fewer of its metrics, or at longer intervals\n",
			rows->metric->source, memphis_counters_print(buffer, (double)took_ns, "ns"));
}

void memphis_put_counters_notes(struct memphis_text *notes, const struct memphis_counters_table *table)
{
	size_t first, count, i;

	for (i = 0; i < table->problem_count; i++)
		note_problem(notes, table->problems[i]);
	for (first = 0; first < table->row_count; first += count) {
		for (count = 1; first + count < table->row_count; count++)
			if (strcmp(table->rows[first].metric->source,
				   table->rows[first + count].metric->source) != 0)
				break;
		note_source(notes, &table->rows[first], count);
	}
}

/* ---- counts of events in regions ---- */

void memphis_region_thread_text(const struct memphis_report *report, struct memphis_text *text,
				uint32_t number)
{
	const struct memphis_process *process;
	const struct memphis_thread *thread = memphis_profile_thread_of(report->profile, number, &process);
	const char *rank = memphis_setting(&process->settings, "rank");
	struct memphis_text cell = {0};

	if (rank)
		memphis_text_print_plain(&cell, "rank %s", rank);
	else
		memphis_text_print(&cell, "%" PRIu32 ".%" PRIu32, process->pid, thread->tid);
	memphis_layout_put_cell(text, &cell, 14);
	memphis_text_close(&cell);
}

void memphis_region_thread_json(const struct memphis_report *report, struct memphis_json *json,
				uint32_t number)
{
	const struct memphis_process *process;
	const struct memphis_thread *thread = memphis_profile_thread_of(report->profile, number, &process);
	const uint64_t rank = memphis_setting_number(&process->settings, "rank", UINT64_MAX);

	memphis_json_number(json, "process", process->pid);
	memphis_json_number(json, "tid", thread->tid);
	memphis_json_known(json, "rank", rank != UINT64_MAX, rank);
}

static void put_count(struct memphis_text *text, uint64_t count)
{
	char buffer[MEMPHIS_COUNTER_VALUE_BYTES];

	memphis_text_print(text, "%10s", memphis_counters_print(buffer, (double)count, "count"));
}

/* Writes the row of one event. */
static void put_event_row(const struct memphis_report *report, const struct memphis_region_times_row *row,
			  const struct memphis_event_sum *sum, struct memphis_text *text)
{
	put_count(text, sum->inclusive_count);
	put_count(text, sum->count);
	if (row->inclusive_instructions)
		memphis_text_print(text, "%14.3f",
				   1000 * (double)sum->inclusive_count / (double)row->inclusive_instructions);
	else
		memphis_text_print(text, "%14s", "-");
	put_count(text, sum->threads.list->number);
	put_count(text, memphis_threads_median(&sum->threads)->number);
	put_count(text, memphis_threads_most(&sum->threads)->number);
	memphis_text_put(text, "  ");
	memphis_region_thread_text(report, text, memphis_threads_most(&sum->threads)->thread);
	memphis_text_print_plain(text, "  %*s%s\n", (int)(2 * row->depth), "", row->name);
}

static void put_event(const struct memphis_report *report, size_t event, struct memphis_text *text)
{
	const struct memphis_region_times *times = &report->region_times;
	const struct memphis_region_times_row *row;
	struct memphis_text title = {0};
	size_t i;

	memphis_text_print_plain(&title, "COUNTS IN REGIONS: %s", times->events[event].name);
	memphis_layout_put_head(text, title.failed ? "COUNTS IN REGIONS" : title.text);
	memphis_text_close(&title);
	memphis_text_print(text, "%34s%30s\n", "summed over threads", "of one thread");
	memphis_text_print(text, "%10s%10s%14s%10s%10s%10s  %-14s  region\n", "inclusive", "exclusive",
			   "/ 1000 instr.", "least", "median", "most", "most in");
	for (i = 0; i < times->shown_count; i++) {
		row = &times->list[times->shown[i]];
		if (row->events[event].threads.count)
			put_event_row(report, row, &row->events[event], text);
	}
	memphis_text_put(text, "\n");
}

void memphis_region_events_text(const struct memphis_report *report, struct memphis_text *text)
{
	size_t event;

	for (event = 0; event < report->region_times.event_count && report->region_times.shown_count; event++)
		put_event(report, event, text);
}

void memphis_region_threads_json(const struct memphis_report *report, const char *unit,
				 const struct memphis_row_threads *threads, struct memphis_json *json)
{
	const struct {
		const char *key;
		const struct memphis_thread_number *number;
	} shown[] = {{"least", threads->list},
		     {"median", memphis_threads_median(threads)},
		     {"most", memphis_threads_most(threads)}};
	size_t i;

	for (i = 0; i < sizeof(shown) / sizeof(*shown); i++) {
		memphis_json_open(json, shown[i].key, '{');
		memphis_json_number(json, unit, shown[i].number->number);
		memphis_region_thread_json(report, json, shown[i].number->thread);
		memphis_json_close(json, '}');
	}
}

void memphis_region_events_json(const struct memphis_report *report,
				const struct memphis_region_times_row *row, struct memphis_json *json)
{
	const struct memphis_region_times *times = &report->region_times;
	const struct memphis_event_sum *sum;
	size_t i;

	if (!times->event_count)
		return;
	memphis_json_open(json, "events", '[');
	for (i = 0; i < times->event_count; i++) {
		sum = &row->events[i];
		if (!sum->threads.count)
			continue;
		memphis_json_open(json, NULL, '{');
		memphis_json_string(json, "name", times->events[i].name);
		memphis_json_number(json, "count", sum->inclusive_count);
		memphis_json_number(json, "count_exclusive", sum->count);
		memphis_json_number(json, "threads", sum->threads.count);
		memphis_region_threads_json(report, "count", &sum->threads, json);
		memphis_json_close(json, '}');
	}
	memphis_json_close(json, ']');
}
