// SPDX-License-Identifier: BSD-3-Clause
/* Collects traffic from counters of memory controllers and from sampled loads. */
#include "bandwidth/traffic.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read/access.h"

#define NODES       " (nodes "
#define ENTRIES_MIN 4096 /* entries that are not united before there are so many */

int memphis_limit_compare_regions(const struct memphis_limit *a, const struct memphis_limit *b)
{
	if (a->counted != b->counted)
		return a->counted ? -1 : 1;
	if (a->place != b->place)
		return a->place < b->place ? -1 : 1;
	return a->region && b->region ? strcmp(a->region, b->region)
				      : (a->region != NULL) - (b->region != NULL);
}

int memphis_limit_compare(const struct memphis_limit *a, const struct memphis_limit *b)
{
	int rc = memphis_limit_compare_regions(a, b);

	if (!rc)
		rc = strcmp(a->nodes, b->nodes);
	if (!rc)
		rc = (a->node > b->node) - (a->node < b->node);
	return rc ? rc : (a->from > b->from) - (a->from < b->from);
}

static int compare_entries(const void *a, const void *b)
{
	const struct memphis_traffic_entry *x = a, *y = b;
	int rc = memphis_limit_compare(&x->limit, &y->limit);

	return rc ? rc : memphis_compare_hosts(x->limit.host, y->limit.host);
}

static uint64_t longer(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Adds the traffic of another entry of the same row and host, in the same time. */
static void combine(struct memphis_traffic_entry *entry, struct memphis_traffic_entry *more)
{
	entry->limit.read += more->limit.read;
	entry->limit.write += more->limit.write;
	entry->limit.shared += more->limit.shared;
	entry->squares += more->squares;
	entry->largest = fmax(entry->largest, more->largest);
	entry->read_ns = longer(entry->read_ns, more->read_ns);
	entry->write_ns = longer(entry->write_ns, more->write_ns);
	free(more->limit.region);
}

/* Sorts the entries, and combines those of the same row and host. */
static void unite(struct memphis_traffic *traffic)
{
	struct memphis_traffic_entry *entries = traffic->entries;
	size_t kept = 0, i;

	if (traffic->count)
		qsort(entries, traffic->count, sizeof(*entries), compare_entries);
	for (i = 0; i < traffic->count; i++)
		if (kept && !compare_entries(&entries[kept - 1], &entries[i]))
			combine(&entries[kept - 1], &entries[i]);
		else
			entries[kept++] = entries[i];
	traffic->count = traffic->united = kept;
}

static struct memphis_traffic_entry *add_entry(struct memphis_traffic *traffic)
{
	struct memphis_traffic_entry *entry;

	/* A large job has many more entries than rows. */
	if (traffic->count >= 2 * traffic->united + ENTRIES_MIN)
		unite(traffic);
	entry = memphis_append(traffic->entries, traffic->count, traffic->room);
	if (entry)
		*entry = (struct memphis_traffic_entry){.limit.from = MEMPHIS_NODE_UNKNOWN,
							.limit.limit = NAN};
	return entry;
}

/* --- Counters of the memory controllers. */

/* A counter of several nodes has their list at the end of its name (libsampler/counters/uncore_find.c). */
static const char *nodes_of(const struct memphis_counter_metric *metric)
{
	const char *list = strstr(metric->name, NODES);

	return list ? list + strlen(NODES) : NULL;
}

static bool is_traffic(const struct memphis_counter_metric *metric)
{
	return metric->kind == MEMPHIS_COUNTER_COUNTER && !strcmp(metric->source, "uncore") &&
	       !strcmp(metric->unit, "bytes") && (metric->node != MEMPHIS_NODE_UNKNOWN || nodes_of(metric));
}

static int add_cell(struct memphis_traffic *traffic, const struct memphis_process *process,
		    const struct memphis_counter_metric *metric, const struct memphis_counters_cell *cell)
{
	const struct memphis_region *region = memphis_process_region(process, cell->region);
	struct memphis_text path = {0};
	struct memphis_traffic_entry *entry;

	if (!region && cell->region)
		return 0; /* no region of the file */
	entry = add_entry(traffic);
	if (!entry)
		return -ENOMEM;
	entry->limit.counted = true;
	entry->limit.node = metric->node;
	if (metric->node == MEMPHIS_NODE_UNKNOWN)
		snprintf(entry->limit.nodes, sizeof(entry->limit.nodes), "%.*s",
			 (int)strspn(nodes_of(metric), "0123456789,-"), nodes_of(metric));
	entry->limit.host = memphis_host_of(process);
	entry->limit.place = region ? MEMPHIS_COUNTER_IN_REGION : MEMPHIS_COUNTER_IN_NONE;
	entry->limit.shared = cell->shared;
	if (strstr(metric->name, "write")) {
		entry->limit.write = cell->sum;
		entry->write_ns = cell->covered_ns;
	} else {
		entry->limit.read = cell->sum;
		entry->read_ns = cell->covered_ns;
	}
	if (!region)
		return 0;
	memphis_counters_put_path(&path, process, region);
	if (path.failed) {
		memphis_text_close(&path);
		return -ENOMEM;
	}
	entry->limit.region = path.text;
	return 0;
}

static int add_counters(struct memphis_traffic *traffic, const struct memphis_process *process)
{
	const struct memphis_counters *counters = process->counters;
	const struct memphis_counter_metric *metric;
	size_t i, j;
	int rc = 0;

	for (i = 0; !rc && counters && i < counters->metric_count; i++) {
		metric = &counters->metrics[i];
		if (!is_traffic(metric))
			continue;
		traffic->counted = true;
		for (j = 0; !rc && j < metric->cell_count; j++)
			rc = add_cell(traffic, process, metric, &metric->cells[j]);
	}
	return rc;
}

/* --- Estimates from samples. */

/* Marks the hosts whose traffic of memory was counted. */
static void mark_counted(const struct memphis_traffic *traffic)
{
	struct memphis_busy_host *host;
	size_t i;

	for (i = 0; i < traffic->count; i++) {
		host = memphis_busy_host(&traffic->hosts, traffic->entries[i].limit.host);
		if (host)
			host->counted = true;
	}
}

/* Adds loads to the row of the link from `from`, or of the memory. */
static int add_loads(struct memphis_traffic *traffic, const struct memphis_total *total, uint16_t from)
{
	const double bytes = MEMPHIS_LINE_BYTES * (double)total->measure.accesses,
		     each = bytes / (double)total->measure.count;
	struct memphis_traffic_entry *entry = add_entry(traffic);

	if (!entry)
		return -ENOMEM;
	if (traffic->selection->region) {
		entry->limit.region = strdup(traffic->selection->region);
		if (!entry->limit.region)
			return -ENOMEM;
	}
	entry->limit.place = MEMPHIS_COUNTER_IN_UNKNOWN;
	entry->limit.node = total->access.home;
	entry->limit.from = from;
	entry->limit.host = memphis_host_of(&traffic->profile->processes.list[total->process]);
	entry->limit.read = bytes;
	entry->squares = (double)total->measure.count * each * each;
	entry->largest = each;
	return 0;
}

/* Memory behind CXL is that of a node, too. */
static bool is_memory(uint16_t source)
{
	return source == MEMPHIS_SOURCE_DRAM || source == MEMPHIS_SOURCE_EXTENSION;
}

static int add_samples(struct memphis_traffic *traffic)
{
	const struct memphis_totals *totals = &traffic->profile->totals;
	const struct memphis_process *process;
	const struct memphis_total *total;
	size_t i;
	int rc = 0;

	mark_counted(traffic);
	for (i = 0; !rc && i < totals->count; i++) {
		total = &totals->list[i];
		process = &traffic->profile->processes.list[total->process];
		if (!memphis_selection_has(traffic->selection, process) || !total->measure.accesses ||
		    !is_memory(total->access.source) || !(total->access.flags & MEMPHIS_FLAG_LOAD) ||
		    total->access.home == MEMPHIS_NODE_UNKNOWN || total->access.node == MEMPHIS_NODE_UNKNOWN)
			continue;
		if (!memphis_busy_host(&traffic->hosts, memphis_host_of(process))->counted)
			rc = add_loads(traffic, total, MEMPHIS_NODE_UNKNOWN);
		if (!rc && total->access.node != total->access.home)
			rc = add_loads(traffic, total, total->access.node);
	}
	return rc;
}

int memphis_traffic_collect(struct memphis_traffic *traffic, const struct memphis_profile *profile,
			    const struct memphis_selection *selection,
			    const struct memphis_region_times *times, bool estimate)
{
	size_t i;
	int rc;

	*traffic = (struct memphis_traffic){.profile = profile, .selection = selection};
	rc = memphis_busy_hosts_make(&traffic->hosts, profile, selection, times);
	for (i = 0; !rc && i < profile->processes.count; i++)
		rc = add_counters(traffic, &profile->processes.list[i]);
	if (!rc && estimate)
		rc = add_samples(traffic);
	unite(traffic);
	return rc;
}

void memphis_traffic_close(struct memphis_traffic *traffic)
{
	size_t i;

	for (i = 0; i < traffic->count; i++)
		free(traffic->entries[i].limit.region);
	free(traffic->entries);
	memphis_busy_hosts_close(&traffic->hosts);
}
