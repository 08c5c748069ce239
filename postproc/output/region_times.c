// SPDX-License-Identifier: BSD-3-Clause
/* Calls and times of regions, as text and as JSON. */
#include <inttypes.h>
#include <stdio.h>

#include "output/compare.h"
#include "output/layout.h"
#include "output/output.h"
#include "view/counters_text.h"

static void put_time(struct memphis_text *text, uint64_t ns)
{
	char room[MEMPHIS_COUNTER_VALUE_BYTES];

	memphis_text_print(text, " %9s", memphis_counters_print(room, (double)ns, "ns"));
}

/* "rank 17", or "PID.TID" for a program without ranks. */
static void put_thread(const struct memphis_report *report, struct memphis_text *text, uint32_t number)
{
	const struct memphis_process *process;
	const struct memphis_thread *thread = memphis_profile_thread_of(report->profile, number, &process);
	const char *rank = memphis_setting(&process->settings, "rank");
	struct memphis_text cell = {0};

	if (rank) {
		memphis_text_put(&cell, "rank ");
		memphis_text_put_plain(&cell, rank);
	} else {
		memphis_text_print(&cell, "%" PRIu32 ".%" PRIu32, process->pid, thread->tid);
	}
	memphis_layout_cell(text, &cell, 14);
	memphis_text_close(&cell);
}

/* The share of the selected samples in the samples of the region and the regions inside it. */
static void put_share(const struct memphis_report *report, struct memphis_text *text,
		      const struct memphis_region_times_row *row)
{
	const struct memphis_region_row *samples =
		row->region == MEMPHIS_NONE ? NULL : &report->regions.list[row->region];
	char room[16] = "-";

	if (samples && samples->written_inclusive)
		snprintf(room, sizeof(room), "%.1f %%",
			 100.0 * (double)samples->selected_inclusive / (double)samples->written_inclusive);
	memphis_text_print(text, "%13s", room);
}

static void put_counters(struct memphis_text *text, const struct memphis_region_times_row *row)
{
	char room[MEMPHIS_COUNTER_VALUE_BYTES];

	if (row->inclusive_cycles)
		memphis_text_print(text, "%9s%6.2f",
				   memphis_counters_print(room, (double)row->inclusive_cycles, "count"),
				   (double)row->inclusive_instructions / (double)row->inclusive_cycles);
	else
		memphis_text_print(text, "%9s%6s", "-", "-");
}

void memphis_output_region_times_text(const struct memphis_report *report, struct memphis_text *text)
{
	const struct memphis_region_times *times = &report->region_times;
	const struct memphis_region_times_row *row;
	size_t i;

	if (!times->shown_count)
		return;
	memphis_layout_head(text, "TIME IN REGIONS");
	memphis_text_print(text, "%48s%30s\n", "summed over threads", "of one thread");
	memphis_text_print(text, "%10s%8s%10s%10s%10s%10s%10s%10s  %-14s", "calls", "threads", "inclusive",
			   "exclusive", "CPU", "least", "median", "most", "most in");
	if (times->counted)
		memphis_text_print(text, "%9s%6s", "cycles", "IPC");
	memphis_text_print(text, "%13s  region\n", report->selection->kind->name);
	for (i = 0; i < times->shown_count; i++) {
		row = &times->list[times->shown[i]];
		memphis_text_print(text, "%10" PRIu64 " %7zu", row->calls, row->thread_count);
		put_time(text, row->inclusive_ns);
		put_time(text, row->ns);
		if (row->cpu_ns)
			put_time(text, row->cpu_ns);
		else
			memphis_text_print(text, " %9s", "-");
		put_time(text, row->threads[0].ns);
		put_time(text, memphis_region_times_median(row)->ns);
		put_time(text, row->threads[row->thread_count - 1].ns);
		memphis_text_put(text, "  ");
		put_thread(report, text, row->threads[row->thread_count - 1].thread);
		if (times->counted)
			put_counters(text, row);
		put_share(report, text, row);
		memphis_text_print(text, "  %*s", (int)(2 * row->depth), "");
		memphis_text_put_plain(text, row->name);
		memphis_text_put(text, "\n");
	}
	memphis_text_put(text, "\n");
}

/* A thread and its inclusive time. */
static void put_thread_json(struct memphis_json *json, const struct memphis_report *report, const char *key,
			    const struct memphis_thread_time *time)
{
	const struct memphis_process *process;
	const struct memphis_thread *thread =
		memphis_profile_thread_of(report->profile, time->thread, &process);
	const uint64_t rank = memphis_setting_number(&process->settings, "rank", UINT64_MAX);

	memphis_json_open(json, key, '{');
	memphis_json_number(json, "ns", time->ns);
	memphis_json_number(json, "process", process->pid);
	memphis_json_number(json, "tid", thread->tid);
	if (rank == UINT64_MAX)
		memphis_json_null(json, "rank");
	else
		memphis_json_number(json, "rank", rank);
	memphis_json_close(json, '}');
}

static void put_json_path(struct memphis_json *json, const struct memphis_region_times *times, uint32_t at)
{
	if (times->list[at].parent != MEMPHIS_NONE)
		put_json_path(json, times, times->list[at].parent);
	memphis_json_string(json, NULL, times->list[at].name);
}

static void put_row_json(struct memphis_json *json, const struct memphis_report *report, uint32_t at)
{
	const struct memphis_region_times_row *row = &report->region_times.list[at];

	memphis_json_open(json, NULL, '{');
	memphis_json_open(json, "path", '[');
	put_json_path(json, &report->region_times, at);
	memphis_json_close(json, ']');
	memphis_json_number(json, "calls", row->calls);
	memphis_json_number(json, "threads", row->thread_count);
	memphis_json_number(json, "ns", row->inclusive_ns);
	memphis_json_number(json, "ns_exclusive", row->ns);
	if (row->cpu_ns)
		memphis_json_number(json, "cpu_ns", row->cpu_ns);
	else
		memphis_json_null(json, "cpu_ns");
	if (report->region_times.counted) {
		memphis_json_number(json, "cycles", row->inclusive_cycles);
		memphis_json_number(json, "cycles_exclusive", row->cycles);
		memphis_json_number(json, "instructions", row->inclusive_instructions);
		memphis_json_number(json, "instructions_exclusive", row->instructions);
	}
	put_thread_json(json, report, "least", &row->threads[0]);
	put_thread_json(json, report, "median", memphis_region_times_median(row));
	put_thread_json(json, report, "most", &row->threads[row->thread_count - 1]);
	memphis_json_close(json, '}');
}

void memphis_output_region_times_json(const struct memphis_report *report, struct memphis_json *json)
{
	const struct memphis_region_times *times = &report->region_times;
	size_t i;

	memphis_json_open(json, "region_times", '[');
	for (i = 0; i < times->shown_count; i++)
		put_row_json(json, report, times->shown[i]);
	memphis_json_close(json, ']');
}

/* A number of a row, for comparison. */
typedef uint64_t (*number_of)(const struct memphis_region_times_row *row);

static uint64_t calls_of(const struct memphis_region_times_row *row)
{
	return row->calls;
}

static uint64_t time_of(const struct memphis_region_times_row *row)
{
	return row->inclusive_ns;
}

static uint64_t most_of(const struct memphis_region_times_row *row)
{
	return row->threads[row->thread_count - 1].ns;
}

/* Row `at` of run `side`, and the rows of the other runs that have its path. */
struct compared {
	const struct memphis_compare *compare;
	size_t side;
	uint32_t at;
};

static const struct memphis_region_times_row *row_in(const struct compared *compared, size_t side)
{
	return memphis_region_times_same(&compared->compare->sides[side].times,
					 &compared->compare->sides[compared->side].times, compared->at);
}

static void put_numbers(struct memphis_text *text, const struct compared *compared, number_of number,
			const char *unit)
{
	const struct memphis_region_times_row *row, *first = row_in(compared, 0);
	char room[MEMPHIS_COUNTER_VALUE_BYTES];
	size_t i;

	for (i = 0; i < compared->compare->side_count; i++) {
		row = row_in(compared, i);
		memphis_text_put(text, i ? " -> " : "");
		if (!row)
			memphis_text_put(text, "-");
		else if (*unit)
			memphis_text_put(text, memphis_counters_print(room, (double)number(row), unit));
		else
			memphis_text_print(text, "%" PRIu64, number(row));
		if (i && row && first && number(first))
			memphis_text_print(text, " (%+.1f %%)",
					   100 * ((double)number(row) / (double)number(first) - 1));
	}
}

static void put_text_path(struct memphis_text *text, const struct memphis_region_times *times, uint32_t at)
{
	if (times->list[at].parent != MEMPHIS_NONE) {
		put_text_path(text, times, times->list[at].parent);
		memphis_text_put(text, " > ");
	}
	memphis_text_put_plain(text, times->list[at].name);
}

static void put_compared_text(const struct compared *compared, void *to)
{
	struct memphis_text *text = to;

	memphis_text_put(text, "region: ");
	put_text_path(text, &compared->compare->sides[compared->side].times, compared->at);
	memphis_text_put(text, ": calls: ");
	put_numbers(text, compared, calls_of, "");
	memphis_text_put(text, "; time: ");
	put_numbers(text, compared, time_of, "ns");
	memphis_text_put(text, "; of the longest thread: ");
	put_numbers(text, compared, most_of, "ns");
	memphis_text_put(text, "\n");
}

static void put_json_numbers(struct memphis_json *json, const char *key, const struct compared *compared,
			     number_of number)
{
	const struct memphis_region_times_row *row;
	size_t i;

	memphis_json_open(json, key, '[');
	for (i = 0; i < compared->compare->side_count; i++) {
		row = row_in(compared, i);
		if (row)
			memphis_json_number(json, NULL, number(row));
		else
			memphis_json_null(json, NULL);
	}
	memphis_json_close(json, ']');
}

static void put_compared_json(const struct compared *compared, void *to)
{
	struct memphis_json *json = to;

	memphis_json_open(json, NULL, '{');
	memphis_json_open(json, "path", '[');
	put_json_path(json, &compared->compare->sides[compared->side].times, compared->at);
	memphis_json_close(json, ']');
	put_json_numbers(json, "calls", compared, calls_of);
	put_json_numbers(json, "ns", compared, time_of);
	put_json_numbers(json, "most_ns", compared, most_of);
	memphis_json_close(json, '}');
}

/* Calls `put` for up to `top` regions: those of the first run, then those that only later runs have. */
static void visit(const struct memphis_compare *compare, size_t top, void *to,
		  void (*put)(const struct compared *compared, void *to))
{
	const struct memphis_region_times *times;
	struct compared compared = {.compare = compare};
	size_t i, earlier, done = 0;

	for (; compared.side < compare->side_count; compared.side++) {
		times = &compare->sides[compared.side].times;
		for (i = 0; i < times->shown_count && (!top || done < top); i++) {
			compared.at = times->shown[i];
			for (earlier = 0; earlier < compared.side && !row_in(&compared, earlier); earlier++)
				;
			if (earlier < compared.side)
				continue;
			put(&compared, to);
			done++;
		}
	}
}

void memphis_compare_times_text(const struct memphis_compare *compare, size_t top, struct memphis_text *text)
{
	visit(compare, top, text, put_compared_text);
}

void memphis_compare_times_json(const struct memphis_compare *compare, struct memphis_json *json)
{
	size_t rows = 0, i;

	for (i = 0; i < compare->side_count; i++)
		rows += compare->sides[i].times.shown_count;
	if (!rows)
		return;
	memphis_json_open(json, "regions", '[');
	visit(compare, 0, json, put_compared_json);
	memphis_json_close(json, ']');
}
