// SPDX-License-Identifier: BSD-3-Clause
/*
 * Exports samples over time in Chrome's trace event format, for Perfetto and chrome://tracing. Each process
 * has the names of its threads, and a bar for its lifetime with its metadata. For each accessing node, a
 * track shows the number of samples by home node. The spans of calipers are shown in the tracks of their
 * threads.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "export/export.h"
#include "base/json.h"
#include "base/outfile.h"
#include "export/axis.h"
#include "read/spans.h"

#define FLUSH_BYTES (1u << 20)

/* Keys of the metadata that a viewer shows with the bar of a process. */
static const char *const metadata[] = {"command", "host",   "rank",  "ranks",     "job_id",
				       "mode",    "period", "count", "cpu_model", "kernel_release"};

/* Losses that are also shown with the bar of a process, because they leave gaps in the tracks. */
static const char *const losses[] = {"spans_lost", "spans_left_out"};

static const char *metadata_value(const struct memphis_process *process, const char *key)
{
	return memphis_setting(&process->settings, key);
}

/* Writes a time in microseconds, the unit of this format. */
static void put_time(struct memphis_json *json, const char *key, uint64_t ns)
{
	memphis_json_real(json, key, (double)ns / 1000);
}

/*
 * Begins an event of the process. `pid` is the index of the process in the profile plus 1, because processes
 * of different hosts may have the same pid.
 */
static void begin_event(struct memphis_json *json, const char *phase, const char *name, size_t pid)
{
	memphis_json_open(json, NULL, '{');
	memphis_json_string(json, "ph", phase);
	memphis_json_string(json, "name", name);
	memphis_json_number(json, "pid", pid);
}

static void put_metadata(struct memphis_json *json, const char *kind, size_t pid, uint32_t tid,
			 const char *name)
{
	begin_event(json, "M", kind, pid);
	memphis_json_number(json, "tid", tid);
	memphis_json_open(json, "args", '{');
	memphis_json_string(json, "name", name);
	memphis_json_close(json, '}');
	memphis_json_close(json, '}');
}

static void put_names(struct memphis_json *json, const struct memphis_process *process, size_t pid)
{
	const char *rank = metadata_value(process, "rank"), *host = metadata_value(process, "host"), *name;
	struct memphis_text label = {0};
	size_t i;

	if (rank)
		memphis_text_print(&label, "rank %s, ", rank);
	memphis_text_print(&label, "process %" PRIu32, process->pid);
	if (host)
		memphis_text_print(&label, " on %s", host);
	put_metadata(json, "process_name", pid, process->pid, label.failed ? "?" : label.text);
	memphis_text_close(&label);
	for (i = 0; i < process->thread_count; i++) {
		name = memphis_setting(&process->threads[i].metadata, "name");
		if (name)
			put_metadata(json, "thread_name", pid, process->threads[i].tid, name);
	}
}

static void put_lifetime(struct memphis_json *json, const struct memphis_process *process, size_t pid,
			 uint64_t from_ns)
{
	uint64_t start = memphis_setting_number(&process->settings, "start_time_ns", 0),
		 stop = memphis_setting_number(&process->settings, "stop_time_ns", start);
	const char *value;
	uint64_t lost;
	size_t i;

	begin_event(json, "X", "sampled", pid);
	memphis_json_number(json, "tid", process->pid);
	put_time(json, "ts", from_ns);
	put_time(json, "dur", stop > start ? stop - start : 0);
	memphis_json_open(json, "args", '{');
	for (i = 0; i < sizeof(metadata) / sizeof(*metadata); i++) {
		value = metadata_value(process, metadata[i]);
		if (value)
			memphis_json_string(json, metadata[i], value);
	}
	for (i = 0; i < sizeof(losses) / sizeof(*losses); i++) {
		lost = memphis_setting_number(&process->losses, losses[i], 0);
		if (lost)
			memphis_json_number(json, losses[i], lost);
	}
	memphis_json_open(json, "regions", '[');
	for (i = 0; i < process->region_count; i++)
		memphis_json_string(json, NULL, process->regions[i].name);
	memphis_json_close(json, ']');
	memphis_json_close(json, '}');
	memphis_json_close(json, '}');
}

static void put_node(struct memphis_text *text, const char *before, uint16_t node)
{
	memphis_text_put(text, before);
	if (node == MEMPHIS_NODE_UNKNOWN)
		memphis_text_put(text, "?");
	else
		memphis_text_print(text, "%u", node);
}

/* Writes one point of a node's track, with a value for each of the `count` series of the node. */
static void put_counter(struct memphis_json *json, size_t pid, const struct memphis_series *series,
			size_t count, size_t tick, uint64_t ns)
{
	struct memphis_text name = {0};
	size_t i;

	put_node(&name, "samples on node ", series->node);
	begin_event(json, "C", name.failed ? "?" : name.text, pid);
	memphis_text_close(&name);
	put_time(json, "ts", ns);
	memphis_json_open(json, "args", '{');
	for (i = 0; i < count; i++) {
		put_node(&name, "data on node ", series[i].home);
		memphis_json_number(json, name.failed ? "?" : name.text,
				    tick < MEMPHIS_TICKS ? series[i].ticks[tick] : 0);
		memphis_text_close(&name);
	}
	memphis_json_close(json, '}');
	memphis_json_close(json, '}');
}

static bool is_same_point(const struct memphis_series *series, size_t count, size_t tick)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (series[i].ticks[tick] != series[i].ticks[tick - 1])
			return false;
	return true;
}

/* Writes a point wherever a count changes. A viewer shows each value until the next point. */
static void put_timeline(struct memphis_json *json, const struct memphis_timeline *timeline, size_t pid,
			 uint64_t from_ns)
{
	const struct memphis_series *series;
	size_t first, count, tick;

	for (first = 0; first < timeline->count; first += count) {
		series = &timeline->list[first];
		for (count = 1; first + count < timeline->count && series[count].node == series->node;)
			count++;
		for (tick = 0; tick < MEMPHIS_TICKS; tick++)
			if (!tick || !is_same_point(series, count, tick))
				put_counter(json, pid, series, count, tick,
					    from_ns + tick * timeline->width_ns);
		put_counter(json, pid, series, count, MEMPHIS_TICKS,
			    from_ns + MEMPHIS_TICKS * timeline->width_ns);
	}
}

/* Returns the rate per second of a counter, or the mean of a gauge, in a time step. Returns 0 if there is no reading. */
static double reading_of_tick(const struct memphis_counter_metric *metric, uint64_t width_ns, size_t tick)
{
	const struct memphis_counters_bin *bin = tick < MEMPHIS_TICKS ? &metric->bins[tick] : NULL;

	if (!bin || !bin->covered_ns)
		return 0;
	return metric->kind == MEMPHIS_COUNTER_GAUGE ? bin->sum / (double)bin->covered_ns
						     : bin->sum / ((double)width_ns / 1e9);
}

/* Writes the track of one metric. Metrics do not share tracks, because all values in a track must have the same unit. */
static void put_metric(struct memphis_json *json, const struct memphis_counter_metric *metric,
		       uint64_t width_ns, size_t pid, uint64_t from_ns)
{
	struct memphis_text name = {0};
	double value, before = 0;
	size_t tick;

	memphis_text_print(&name, "%s %s", metric->source, metric->name);
	if (metric->node != MEMPHIS_NODE_UNKNOWN)
		put_node(&name, " on node ", metric->node);
	for (tick = 0; tick <= MEMPHIS_TICKS; tick++) {
		value = reading_of_tick(metric, width_ns, tick);
		if (tick && tick < MEMPHIS_TICKS && value == before)
			continue;
		before = value;
		begin_event(json, "C", name.failed ? "?" : name.text, pid);
		put_time(json, "ts", from_ns + tick * width_ns);
		memphis_json_open(json, "args", '{');
		memphis_json_real(json, metric->kind == MEMPHIS_COUNTER_GAUGE ? metric->unit : "per second",
				  value);
		memphis_json_close(json, '}');
		memphis_json_close(json, '}');
	}
	memphis_text_close(&name);
}

static void put_counters(struct memphis_json *json, const struct memphis_counters *counters, size_t pid,
			 uint64_t from_ns)
{
	size_t i;

	for (i = 0; counters && i < counters->metric_count; i++)
		if (counters->metrics[i].bins)
			put_metric(json, &counters->metrics[i], counters->width_ns, pid, from_ns);
}

static void put_span(struct memphis_json *json, const struct memphis_process *process,
		     const struct memphis_thread *thread, const struct memphis_caliper_span *span, size_t pid,
		     uint64_t from_ns)
{
	begin_event(json, "X", process->regions[span->region].name, pid);
	memphis_json_number(json, "tid", thread->tid);
	put_time(json, "ts", from_ns);
	put_time(json, "dur", span->end_ns - span->begin_ns);
	if (span->open) {
		memphis_json_open(json, "args", '{');
		memphis_json_string(json, "end", "unknown");
		memphis_json_close(json, '}');
	}
	memphis_json_close(json, '}');
}

/* Writes the text so far to the file and empties it, because the spans of all threads may not fit into memory. */
static int write_out(struct memphis_outfile *file, struct memphis_text *text, struct memphis_error *error)
{
	if (text->failed)
		return memphis_fail(error, -ENOMEM, "out of memory");
	errno = 0;
	if (text->bytes && fwrite(text->text, 1, text->bytes, file->stream) != text->bytes)
		return memphis_outfile_failed(file, error);
	text->bytes = 0;
	return 0;
}

static int put_spans(struct memphis_json *json, struct memphis_outfile *file,
		     const struct memphis_profile *profile, const struct memphis_axis *axis, size_t index,
		     struct memphis_error *error)
{
	const struct memphis_process *process = &profile->processes.list[index];
	struct memphis_caliper_spans spans;
	size_t i, j;
	int rc = 0;

	for (i = 0; !rc && i < process->thread_count; i++) {
		rc = memphis_spans_read(&spans, process, &process->threads[i], error);
		for (j = 0; !rc && j < spans.count; j++) {
			put_span(json, process, &process->threads[i], &spans.list[j], index + 1,
				 memphis_axis_ns(axis, index, spans.list[j].begin_ns));
			if (json->text->bytes > FLUSH_BYTES)
				rc = write_out(file, json->text, error);
		}
		memphis_spans_close(&spans);
	}
	return rc;
}

static int put_process(struct memphis_json *json, struct memphis_outfile *file,
		       const struct memphis_profile *profile, const struct memphis_axis *axis, size_t i,
		       struct memphis_error *error)
{
	const struct memphis_process *process = &profile->processes.list[i];
	const uint64_t from_ns =
		memphis_axis_ns(axis, i, memphis_setting_number(&process->settings, "start_time_ns", 0));
	int rc;

	put_names(json, process, i + 1);
	put_lifetime(json, process, i + 1, from_ns);
	put_timeline(json, &profile->timelines[i], i + 1, from_ns);
	put_counters(json, process->counters, i + 1, from_ns);
	rc = put_spans(json, file, profile, axis, i, error);
	return rc ? rc : write_out(file, json->text, error);
}

static int put_trace(struct memphis_json *json, struct memphis_outfile *file,
		     const struct memphis_profile *profile, const struct memphis_axis *axis,
		     struct memphis_error *error)
{
	size_t i;
	int rc = 0;

	memphis_json_open(json, NULL, '{');
	memphis_json_string(json, "displayTimeUnit", "ms");
	memphis_json_open(json, "otherData", '{');
	memphis_json_string(json, "select", profile->selection);
	memphis_json_close(json, '}');
	memphis_json_open(json, "traceEvents", '[');
	for (i = 0; !rc && i < profile->processes.count; i++)
		rc = put_process(json, file, profile, axis, i, error);
	memphis_json_close(json, ']');
	memphis_json_close(json, '}');
	memphis_text_put(json->text, "\n");
	return rc ? rc : write_out(file, json->text, error);
}

int memphis_export_trace(const struct memphis_export *export, const char *path, struct memphis_error *error)
{
	struct memphis_text text = {0};
	struct memphis_json json = {&text, false};
	struct memphis_outfile file;
	struct memphis_axis axis;
	int rc;

	if (memphis_axis_open(&axis, &export->profile->processes))
		return memphis_fail(error, -ENOMEM, "out of memory");
	rc = memphis_outfile_open(&file, path, error);
	if (!rc) {
		rc = put_trace(&json, &file, export->profile, &axis, error);
		rc = memphis_outfile_close(&file, rc, error);
	}
	memphis_text_close(&text);
	memphis_axis_close(&axis);
	return rc;
}
