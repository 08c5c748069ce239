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

/* Writes the values without trailing zeros. */
static void put_values(struct memphis_json *json, const char *key, const uint64_t *values, size_t count)
{
	size_t i;

	while (count && !values[count - 1])
		count--;
	memphis_json_open(json, key, '[');
	for (i = 0; i < count; i++)
		memphis_json_number(json, NULL, values[i]);
	memphis_json_close(json, ']');
}

static void put_timeline(struct memphis_json *json, const struct memphis_timeline *timeline, size_t process)
{
	const struct memphis_series *series, *end = timeline->list + timeline->count;

	memphis_json_open(json, NULL, '{');
	memphis_json_number(json, "process", process);
	memphis_json_number(json, "width_ns", timeline->width_ns);
	memphis_json_open(json, "series", '[');
	for (series = timeline->list; series < end; series++) {
		memphis_json_open(json, NULL, '{');
		memphis_json_node(json, "node", series->node);
		memphis_json_node(json, "home", series->home);
		put_values(json, "ticks", series->ticks, MEMPHIS_TICKS);
		memphis_json_close(json, '}');
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
