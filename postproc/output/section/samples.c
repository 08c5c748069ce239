// SPDX-License-Identifier: BSD-3-Clause
/* Samples of each thread, by accessing node and home node, and over time, as JSON. */
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

static void put_thread_series(struct memphis_json *json, const struct memphis_timeline *timeline,
			      const struct memphis_process *process)
{
	const struct memphis_thread_series *series, *end = timeline->threads + timeline->thread_count;
	uint64_t steps[MEMPHIS_STEPS];
	size_t i;

	memphis_json_open(json, "threads", '[');
	for (series = timeline->threads; series < end; series++) {
		for (i = 0; i < MEMPHIS_STEPS; i++)
			steps[i] = series->steps[i];
		memphis_json_open(json, NULL, '{');
		memphis_json_number(json, "tid", process->threads[series->thread].tid);
		memphis_json_node(json, "node", series->node);
		memphis_json_node(json, "home", series->home);
		put_values(json, "steps", steps, MEMPHIS_STEPS);
		memphis_json_close(json, '}');
	}
	memphis_json_close(json, ']');
}

/* Writes the waiting of one node, or of all if `node` is -1. */
static void put_wait_series(struct memphis_json *json, const struct memphis_timeline *timeline, int64_t node)
{
	const struct memphis_wait_series *waits, *end = timeline->waits + timeline->wait_count;

	memphis_json_open(json, "waiting", '[');
	for (waits = timeline->waits; waits < end; waits++) {
		if (node >= 0 && waits->node != node)
			continue;
		memphis_json_open(json, NULL, '{');
		memphis_json_node(json, "node", waits->node);
		memphis_json_string(json, "source", memphis_wait_source_names[waits->source]);
		put_values(json, "samples", waits->counts, MEMPHIS_STEPS);
		put_values(json, "latency_cycles", waits->cycles, MEMPHIS_STEPS);
		memphis_json_close(json, '}');
	}
	memphis_json_close(json, ']');
}

static void put_timeline(struct memphis_json *json, const struct memphis_report *report, size_t number)
{
	const struct memphis_timeline *timeline = &report->profile->timelines[number];
	const struct memphis_process *process = &report->profile->processes.list[number];
	const struct memphis_series *series, *end = timeline->list + timeline->count;

	memphis_json_open(json, NULL, '{');
	memphis_json_number(json, "process", number);
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
	memphis_json_number(json, "step_ns", MEMPHIS_STEP_TICKS * timeline->width_ns);
	put_thread_series(json, timeline, process);
	put_wait_series(json, timeline, report->selection->node);
	memphis_json_close(json, '}');
}

void memphis_output_timelines_json(const struct memphis_report *report, struct memphis_json *json)
{
	const struct memphis_profile *profile = report->profile;
	size_t i;

	memphis_json_open(json, "timeline", '[');
	for (i = 0; i < profile->processes.count; i++)
		if (profile->timelines[i].width_ns && memphis_job_details(report->job, i))
			put_timeline(json, report, i);
	memphis_json_close(json, ']');
}
