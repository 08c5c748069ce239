// SPDX-License-Identifier: BSD-3-Clause
/* Reads the counter values of all processes from their files, and removes duplicates of host-wide metrics. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "read/process.h"

static int add_chunk(struct memphis_counters *counters, const struct memphis_chunk_view *chunk)
{
	struct memphis_counter_value value;
	uint32_t i;
	int rc = 0;

	for (i = 0; !rc && i < chunk->count; i++) {
		memcpy(&value, chunk->payload + i * sizeof(value), sizeof(value));
		rc = memphis_counters_add_value(counters, &value);
	}
	return rc;
}

static int read_values(struct memphis_counters *counters, struct memphis_file *file,
		       struct memphis_error *error)
{
	struct memphis_chunk_view chunk;
	int rc;

	while ((rc = memphis_file_next(file, &chunk, error)) > 0) {
		if (chunk.type != MEMPHIS_CHUNK_COUNTERS)
			continue;
		rc = memphis_file_payload(file, &chunk, error);
		if (rc)
			return rc;
		rc = add_chunk(counters, &chunk);
		if (rc == -ENOMEM)
			return memphis_fail(error, rc, "%s: out of memory", file->path);
		if (rc)
			return memphis_fail(
				error, rc,
				"%s: offset 0x%" PRIx64
				": the counters chunk is malformed: a value of an unknown metric, out of time order, or not a number; the file is damaged, or its writer has a defect: please report it",
				file->path, chunk.offset);
	}
	return rc;
}

/* Replaces regions that the file does not describe by MEMPHIS_COUNTER_UNKNOWN in all marks. */
static void replace_unknown_regions(const struct memphis_process *process)
{
	struct memphis_counters *counters = process->counters;
	uint32_t region = 0, known = 0, *own;
	size_t i;

	for (i = 0; i < counters->mark_count; i++) {
		own = &counters->marks[i].region;
		if (*own != region)
			known = *own && !memphis_process_region(process, *own) ? MEMPHIS_COUNTER_UNKNOWN
									       : *own;
		region = *own;
		*own = known;
	}
}

static int read_process(struct memphis_process *process, struct memphis_error *error)
{
	struct memphis_file file;
	int rc;

	rc = memphis_file_open(&file, process->path, error);
	if (rc)
		return rc;
	file.ahead = MEMPHIS_FILE_AHEAD;
	process->counters->start_ns = memphis_setting_number(&process->settings, "start_time_ns", 0);
	replace_unknown_regions(process);
	rc = read_values(process->counters, &file, error);
	memphis_counters_settle(process->counters);
	memphis_file_close(&file);
	return rc;
}

int memphis_counters_read_all(struct memphis_processes *processes, struct memphis_error *error)
{
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < processes->count; i++)
		if (processes->list[i].counters)
			rc = read_process(&processes->list[i], error);
	return rc;
}

/* A host-wide metric together with its host and process. */
struct entry {
	const char *host;
	struct memphis_process *process;
	struct memphis_counter_metric *metric;
};

/* Sorts entries by host and metric. In each group of equal host and metric, the entry to keep comes first. */
static int compare_entries(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	const uint64_t *first = x->process->run, *second = y->process->run;
	int rc = strcmp(x->host, y->host);

	if (!rc)
		rc = memphis_counters_compare(x->metric, y->metric);
	if (!rc)
		rc = (x->metric->covered_ns < y->metric->covered_ns) -
		     (x->metric->covered_ns > y->metric->covered_ns);
	if (!rc)
		rc = (first[0] > second[0]) - (first[0] < second[0]);
	if (!rc)
		rc = (first[1] > second[1]) - (first[1] < second[1]);
	return rc ? rc : (x->metric > y->metric) - (x->metric < y->metric);
}

static bool is_host_metric(const struct memphis_counter_metric *metric)
{
	return metric->host && metric->kind <= MEMPHIS_COUNTER_GAUGE;
}

/* Removes the metric; its source becomes NULL. */
static void drop(struct memphis_counter_metric *metric)
{
	memphis_counters_metric_close(metric);
	memset(metric, 0, sizeof(*metric));
}

static void remove_dropped(struct memphis_counters *counters)
{
	size_t kept = 0, i;

	for (i = 0; i < counters->metric_count; i++)
		if (counters->metrics[i].source)
			counters->metrics[kept++] = counters->metrics[i];
	counters->metric_count = kept;
}

int memphis_counters_keep_one_per_host(struct memphis_processes *processes)
{
	struct memphis_process *process;
	size_t count = 0, room = 0, i, j;
	struct entry *entries = NULL;
	const char *host;

	for (i = 0; i < processes->count; i++) {
		process = &processes->list[i];
		host = memphis_setting(&process->settings, "host");
		for (j = 0; process->counters && j < process->counters->metric_count; j++) {
			if (!is_host_metric(&process->counters->metrics[j]))
				continue;
			if (memphis_grow(&entries, &room, count + 1, sizeof(*entries))) {
				free(entries);
				return -ENOMEM;
			}
			entries[count++] =
				(struct entry){host ? host : "", process, &process->counters->metrics[j]};
		}
	}
	memphis_sort(entries, count, compare_entries);
	/*
	 * Iterate backwards, because each entry is compared with the preceding one, which must not have been
	 * removed yet.
	 */
	for (i = count; i-- > 1;)
		if (!strcmp(entries[i].host, entries[i - 1].host) &&
		    !memphis_counters_compare(entries[i].metric, entries[i - 1].metric))
			drop(entries[i].metric);
	for (i = 0; i < processes->count; i++)
		if (processes->list[i].counters)
			remove_dropped(processes->list[i].counters);
	free(entries);
	return 0;
}
