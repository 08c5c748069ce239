// SPDX-License-Identifier: BSD-3-Clause
/* Calls and times of regions, as text and as JSON. */
#include <inttypes.h>
#include <stdio.h>

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

static void put_path(struct memphis_json *json, const struct memphis_region_times *times, uint32_t at)
{
	if (times->list[at].parent != MEMPHIS_NONE)
		put_path(json, times, times->list[at].parent);
	memphis_json_string(json, NULL, times->list[at].name);
}

static void put_row_json(struct memphis_json *json, const struct memphis_report *report, uint32_t at)
{
	const struct memphis_region_times_row *row = &report->region_times.list[at];

	memphis_json_open(json, NULL, '{');
	memphis_json_open(json, "path", '[');
	put_path(json, &report->region_times, at);
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
