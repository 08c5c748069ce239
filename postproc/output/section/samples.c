// SPDX-License-Identifier: BSD-3-Clause
/* Samples of each thread, and of each process over time, by accessing node and home node, as JSON. */
#include "output/section/parts.h"

void memphis_output_threads_json(const struct memphis_report *report, struct memphis_json *json)
{
	const struct memphis_profile *profile = report->profile;
	const struct memphis_process *process;
	const struct memphis_thread *thread;
	const struct memphis_total *total;
	struct memphis_sum sum = {.lines = 0};
	const struct memphis_shown shown = {.rows = report->rows, .sum = &sum};
	size_t i;

	memphis_json_open(json, "threads", '[');
	for (i = 0; i < profile->totals.count; i++) {
		total = &profile->totals.list[i];
		if (!memphis_selection_takes(report->selection, &total->access))
			continue;
		if (!memphis_job_details(report->job, total->process))
			continue;
		process = &profile->processes.list[total->process];
		thread = &process->threads[total->thread];
		memphis_json_open(json, NULL, '{');
		memphis_json_number(json, "process", total->process);
		memphis_json_number(json, "pid", process->pid);
		memphis_json_number(json, "tid", thread->tid);
		memphis_json_string(json, "name", memphis_setting(&thread->metadata, "name"));
		memphis_json_node(json, "node", total->access.node);
		memphis_json_node(json, "home", total->access.home);
		memphis_json_string(json, "source", memphis_source_name(total->access.source));
		memphis_json_number(json, "flags", total->access.flags);
		sum.measure = total->measure;
		memphis_columns_json(json, MEMPHIS_IN_TOTALS, &shown);
		memphis_json_close(json, '}');
	}
	memphis_json_close(json, ']');
}

static void put_timeline(struct memphis_json *json, const struct memphis_timeline *timeline, size_t process)
{
	const struct memphis_series *series;
	size_t i, at;

	memphis_json_open(json, NULL, '{');
	memphis_json_number(json, "process", process);
	memphis_json_number(json, "width_ns", timeline->width_ns);
	memphis_json_open(json, "ticks", '[');
	for (i = 0; i < timeline->count; i++) {
		series = &timeline->list[i];
		for (at = 0; at < MEMPHIS_TICKS; at++) {
			if (!series->ticks[at])
				continue;
			memphis_json_open(json, NULL, '{');
			memphis_json_number(json, "index", at);
			memphis_json_node(json, "node", series->node);
			memphis_json_node(json, "home", series->home);
			memphis_json_number(json, "count", series->ticks[at]);
			memphis_json_close(json, '}');
		}
	}
	memphis_json_close(json, ']');
	memphis_json_close(json, '}');
}

void memphis_output_timelines_json(const struct memphis_report *report, struct memphis_json *json)
{
	const struct memphis_profile *profile = report->profile;
	size_t i;

	memphis_json_open(json, "timeline", '[');
	for (i = 0; i < profile->processes.count; i++)
		if (profile->timelines[i].width_ns && memphis_job_details(report->job, i))
			put_timeline(json, &profile->timelines[i], i);
	memphis_json_close(json, ']');
}
