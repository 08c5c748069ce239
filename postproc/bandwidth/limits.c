// SPDX-License-Identifier: BSD-3-Clause
/*
 * Computes which part of the measured memory bandwidth the program uses. Collects the traffic of each host, divides it
 * by the bandwidth that was measured there, and keeps the host with the highest share in each row of the table.
 */
#include "bandwidth/limits.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bandwidth/hosts.h"
#include "base/order.h"
#include "read/access.h"

#define GB          1e9
#define NODES       " (nodes "
#define ENTRIES_MIN 4096 /* while entries are collected, they are merged only if there are at least so many */

/*
 * The traffic of one host in one region. It is the traffic between a pair of nodes (a link), or at the memory of one
 * or more nodes.
 */
struct entry {
	/* `read` and `write` are bytes until compute_share() converts them to bytes per second; owns its region */
	struct memphis_limit limit;
	/* Of an estimate: sum of squares and largest term, the arguments of memphis_compound_estimate(). */
	double squares, largest;
	uint64_t read_ns, write_ns; /* times during which the bytes were counted */
};

struct traffic {
	const struct memphis_profile *profile;
	const struct memphis_selection *selection;
	bool counted;                 /* the profile has counters of memory controllers */
	struct entry *entries;        /* after merging: one for each row and host, in the order of rows */
	size_t count, room, combined; /* `combined` is the value of `count` after the last merge */
	struct memphis_busy_hosts hosts;
};

/*
 * ---- list of the traffic, from counters of memory controllers and from sampled loads ----
 */

/* Compares the regions of two rows. */
static int compare_regions(const struct memphis_limit *a, const struct memphis_limit *b)
{
	return memphis_order(b->counted, a->counted) ?:
	       memphis_order(a->place, b->place) ?:
	       memphis_compare_names(a->region, b->region);
}

static int compare_rows(const struct memphis_limit *a, const struct memphis_limit *b)
{
	return compare_regions(a, b) ?:
	       strcmp(a->nodes, b->nodes) ?:
	       memphis_order(a->node, b->node) ?:
	       memphis_order(a->from, b->from);
}

static int compare_entries(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	return compare_rows(&x->limit, &y->limit) ?: memphis_compare_names(x->limit.host, y->limit.host);
}

static uint64_t longer_time(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/*
 * Adds the traffic of another entry for the same row and host. Both are of the same time, so the longer time counts,
 * not the sum.
 */
static void add_entry_traffic(struct entry *entry, struct entry *more)
{
	entry->limit.read += more->limit.read;
	entry->limit.write += more->limit.write;
	entry->limit.shared += more->limit.shared;
	entry->squares += more->squares;
	entry->largest = fmax(entry->largest, more->largest);
	entry->read_ns = longer_time(entry->read_ns, more->read_ns);
	entry->write_ns = longer_time(entry->write_ns, more->write_ns);
	free(more->limit.region);
}

/* Sorts the entries, and merges those of the same row and host. */
static void combine_entries(struct traffic *traffic)
{
	struct entry *entries = traffic->entries;
	size_t kept = 0, i;

	memphis_sort(entries, traffic->count, compare_entries);
	for (i = 0; i < traffic->count; i++)
		if (kept && !compare_entries(&entries[kept - 1], &entries[i]))
			add_entry_traffic(&entries[kept - 1], &entries[i]);
		else
			entries[kept++] = entries[i];
	traffic->count = traffic->combined = kept;
}

static struct entry *add_entry(struct traffic *traffic)
{
	struct entry *entry;

	/* Entries are merged while they are collected, because a large job has many more entries than rows. */
	if (traffic->count >= 2 * traffic->combined + ENTRIES_MIN)
		combine_entries(traffic);
	entry = memphis_append(traffic->entries, traffic->count, traffic->room);
	if (entry)
		*entry = (struct entry){.limit.from = MEMPHIS_NODE_UNKNOWN, .limit.limit = NAN};
	return entry;
}

/* ---- counters of the memory controllers ---- */

/*
 * If the counter counts several nodes together, returns the list of nodes at the end of its name
 * (libsampler/counters/uncore_find.c). Otherwise returns NULL.
 */
static const char *node_list(const struct memphis_counter_metric *metric)
{
	const char *list = strstr(metric->name, NODES);

	return list ? list + strlen(NODES) : NULL;
}

static bool is_traffic(const struct memphis_counter_metric *metric)
{
	return metric->kind == MEMPHIS_COUNTER_COUNTER && !strcmp(metric->source, "uncore") &&
	       !strcmp(metric->unit, "bytes") && (metric->node != MEMPHIS_NODE_UNKNOWN || node_list(metric));
}

static int add_cell(struct traffic *traffic, const struct memphis_process *process,
		    const struct memphis_counter_metric *metric, const struct memphis_counters_cell *cell)
{
	const struct memphis_region *region = memphis_process_region(process, cell->region);
	struct memphis_text path = {0};
	struct entry *entry;

	if (!region && cell->region)
		return 0; /* the file does not describe the region */
	entry = add_entry(traffic);
	if (!entry)
		return -ENOMEM;
	entry->limit.counted = true;
	entry->limit.node = metric->node;
	if (metric->node == MEMPHIS_NODE_UNKNOWN)
		snprintf(entry->limit.nodes, sizeof(entry->limit.nodes), "%.*s",
			 (int)strspn(node_list(metric), "0123456789,-"), node_list(metric));
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

static int add_counters(struct traffic *traffic, const struct memphis_process *process)
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

/* ---- estimates from samples ---- */

/* Marks the hosts whose memory traffic was counted by memory controllers. */
static void mark_counted_hosts(const struct traffic *traffic)
{
	struct memphis_busy_host *host;
	size_t i;

	for (i = 0; i < traffic->count; i++) {
		host = memphis_busy_host(&traffic->hosts, traffic->entries[i].limit.host);
		if (host)
			host->counted = true;
	}
}

/*
 * Adds loads to the row of the link from node `from`. If `from` is MEMPHIS_NODE_UNKNOWN, adds them to the row of the
 * memory instead.
 */
static int add_loads(struct traffic *traffic, const struct memphis_total *total, uint16_t from)
{
	const double bytes = MEMPHIS_LINE_BYTES * (double)total->measure.accesses,
		     each = bytes / (double)total->measure.count;
	struct entry *entry = add_entry(traffic);

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

/* Memory that is attached by CXL also belongs to a node. */
static bool is_memory(uint16_t source)
{
	return source == MEMPHIS_SOURCE_DRAM || source == MEMPHIS_SOURCE_EXTENSION;
}

static int add_samples(struct traffic *traffic)
{
	const struct memphis_totals *totals = &traffic->profile->totals;
	const struct memphis_process *process;
	const struct memphis_total *total;
	size_t i;
	int rc = 0;

	mark_counted_hosts(traffic);
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

/*
 * Collects the traffic that counters measured. If `estimate` is true, also estimates the traffic of links, and of
 * memory without counters, from samples. Returns 0 or -ENOMEM. The caller must close the traffic in both cases, but
 * regions that it has moved out of the entries then belong to the caller.
 */
static int collect_traffic(struct traffic *traffic, const struct memphis_profile *profile,
			   const struct memphis_selection *selection,
			   const struct memphis_region_times *times, bool estimate)
{
	size_t i;
	int rc;

	*traffic = (struct traffic){.profile = profile, .selection = selection};
	rc = memphis_busy_hosts_make(&traffic->hosts, profile, selection, times);
	for (i = 0; !rc && i < profile->processes.count; i++)
		rc = add_counters(traffic, &profile->processes.list[i]);
	if (!rc && estimate)
		rc = add_samples(traffic);
	combine_entries(traffic);
	return rc;
}

static void close_traffic(struct traffic *traffic)
{
	size_t i;

	for (i = 0; i < traffic->count; i++)
		free(traffic->entries[i].limit.region);
	free(traffic->entries);
	memphis_busy_hosts_close(&traffic->hosts);
}

/*
 * ---- the measured bandwidth, and the share of it that is used ----
 */

/*
 * The loops of memphis node --measure, sorted by their share of writes. A loop measures the bytes that it reads and
 * writes. The traffic of the memory is larger, because the memory reads each line before a store writes to it.
 */
static const struct {
	enum memphis_speed speed;
	double writes;  /* share of writes in the traffic of the memory */
	double traffic; /* bytes of memory traffic per byte that the loop reads or writes */
} loops[] = {
	{MEMPHIS_SPEED_READ, 0, 1},
	{MEMPHIS_SPEED_TRIAD, 1.0 / 4, 4.0 / 3},
	{MEMPHIS_SPEED_COPY, 1.0 / 3, 3.0 / 2},
	{MEMPHIS_SPEED_WRITE, 1.0 / 2, 2},
};

static double measured_bandwidth(const struct memphis_matrices *measured, enum memphis_speed speed,
				 uint32_t from, uint32_t node)
{
	return GB * memphis_matrices_value(measured, speed, from, node);
}

/*
 * Returns the bandwidth that the node's own cores reached. If the node has no cores, returns the highest bandwidth
 * that any other node reached.
 */
static double reached_bandwidth(const struct memphis_matrices *measured, enum memphis_speed speed,
				uint32_t node)
{
	double best = measured_bandwidth(measured, speed, node, node), other;
	size_t i;

	for (i = 0; isnan(best) && i < measured->count; i++) {
		other = measured_bandwidth(measured, speed, measured->nodes[i], node);
		best = fmax(best, other);
	}
	return best;
}

double memphis_limit_of_memory(const struct memphis_matrices *measured, uint32_t node, double writes)
{
	double limit = NAN, at = 0, next;
	size_t i;

	for (i = 0; i < sizeof(loops) / sizeof(*loops); i++) {
		next = loops[i].traffic * reached_bandwidth(measured, loops[i].speed, node);
		if (isnan(next))
			continue;
		if (!isnan(limit) && writes < loops[i].writes)
			return limit + (next - limit) * (writes - at) / (loops[i].writes - at);
		limit = next;
		at = loops[i].writes;
		if (writes <= at)
			return limit;
	}
	return limit;
}

struct build {
	struct memphis_limits *limits;
	const struct memphis_waiting *waiting;
	struct traffic traffic;
};

static double per_second(double bytes, uint64_t ns)
{
	return ns ? bytes / ((double)ns / 1e9) : 0;
}

/* Returns whether the row describes the memory of this node, alone or together with other nodes. */
static bool has_node(const struct memphis_limit *limit, uint32_t node)
{
	unsigned long first, last;
	const char *at;
	char *end;

	for (at = limit->nodes; *at; at = *end == ',' ? end + 1 : "") {
		first = strtoul(at, &end, 10);
		last = *end == '-' ? strtoul(end + 1, &end, 10) : first;
		if (first <= node && node <= last)
			return true;
	}
	return limit->node == node;
}

/* Returns the bandwidth of the memory that the row describes. If these are several nodes, returns the sum. */
static double memory_bandwidth(const struct memphis_limit *limit, const struct memphis_matrices *measured,
			       double writes)
{
	double sum = NAN, one;
	size_t i;

	for (i = 0; i < measured->count; i++) {
		if (!has_node(limit, measured->nodes[i]))
			continue;
		one = memphis_limit_of_memory(measured, measured->nodes[i], writes);
		sum = isnan(sum) ? one : sum + one;
	}
	return sum;
}

/*
 * Converts the byte sums of an entry to rates and to a share of the bandwidth. Reads and writes are divided by
 * separate times, because either counter may have gaps.
 */
static void compute_share(const struct build *build, struct entry *entry)
{
	struct memphis_limit *limit = &entry->limit;
	const struct memphis_matrices *measured =
		memphis_weights_of_host(build->limits->measured, limit->host);
	const double bytes = limit->read + limit->write;
	struct memphis_estimate estimate = {bytes, bytes, bytes};
	double rate, unit;

	if (!limit->counted)
		entry->read_ns = memphis_busy_host(&build->traffic.hosts, limit->host)->ns;
	limit->ns = entry->read_ns > entry->write_ns ? entry->read_ns : entry->write_ns;
	limit->read = per_second(limit->read, entry->read_ns);
	limit->write = per_second(limit->write, entry->write_ns);
	rate = limit->read + limit->write;
	if (bytes <= 0 || rate <= 0 || !measured)
		return;
	limit->measured = measured;
	limit->limit = limit->from == MEMPHIS_NODE_UNKNOWN
			       ? memory_bandwidth(limit, measured, limit->write / rate)
			       : measured_bandwidth(measured, MEMPHIS_SPEED_READ, limit->from, limit->node);
	if (!limit->counted) {
		estimate = memphis_compound_estimate(bytes, entry->squares, entry->largest);
		estimate.low *= build->waiting->least;
		estimate.high *= build->waiting->most;
	}
	unit = rate / bytes / limit->limit;
	limit->share =
		(struct memphis_estimate){estimate.value * unit, estimate.low * unit, estimate.high * unit};
	limit->shared /= bytes;
	limit->is_memory_only =
		isnan(measured_bandwidth(measured, MEMPHIS_SPEED_READ, limit->node, limit->node));
}

/*
 * Adds the entry to the rows. If the previous row has the same key, it describes another host. Then keeps only the
 * host with the larger share.
 */
static int add_row(struct memphis_limits *limits, struct memphis_limit *limit)
{
	struct memphis_limit *last = limits->count ? &limits->list[limits->count - 1] : NULL;

	if (isnan(limit->limit)) {
		free(limit->region);
		return 0;
	}
	if (last && !compare_rows(last, limit)) {
		limit->hosts = last->hosts + 1;
		if (limit->share.value <= last->share.value) {
			last->hosts++;
			free(limit->region);
			return 0;
		}
		free(last->region);
	} else {
		limit->hosts = 1;
		last = memphis_append(limits->list, limits->count, limits->room);
		if (!last) {
			free(limit->region);
			return -ENOMEM;
		}
	}
	*last = *limit;
	return 0;
}

/* Returns whether the memory of another node was measured. */
static bool has_other_memory(const struct memphis_matrices *measured, const struct memphis_limit *limit)
{
	size_t i;

	for (i = 0; i < measured->count; i++)
		if (!has_node(limit, measured->nodes[i]) &&
		    !isnan(memphis_limit_of_memory(measured, measured->nodes[i], 0)))
			return true;
	return false;
}

/*
 * Returns the largest share that the memory of any other node on the same host has in this region. Entries from
 * `entry` to `end` must be those of the region. Returns NAN if no other memory was measured.
 */
static double largest_other_share(const struct memphis_limit *limit, const struct entry *entry,
				  const struct entry *end)
{
	/* Memory without traffic has no entry, so its share is 0. */
	double most = has_other_memory(limit->measured, limit) ? 0 : NAN;

	for (; entry < end; entry++)
		if ((entry->limit.node != limit->node || strcmp(entry->limit.nodes, limit->nodes)) &&
		    entry->limit.from == MEMPHIS_NODE_UNKNOWN && !isnan(entry->limit.limit) &&
		    !memphis_compare_names(entry->limit.host, limit->host))
			most = fmax(most, entry->limit.share.value);
	return most;
}

/* Makes the rows of one region from its entries, which are adjacent. */
static int make_region(struct build *build, struct entry *first, struct entry *end)
{
	struct memphis_limits *limits = build->limits;
	const size_t before = limits->count;
	struct memphis_limit *limit;
	struct entry *entry;
	int rc = 0;

	for (entry = first; entry < end; entry++) {
		compute_share(build, entry);
		if (!rc)
			rc = add_row(limits, &entry->limit);
		else
			free(entry->limit.region);
	}
	for (limit = limits->list + before; limit < limits->list + limits->count; limit++)
		limit->others = limit->from == MEMPHIS_NODE_UNKNOWN && limit->share.low >= MEMPHIS_LIMIT_SHARE
					? largest_other_share(limit, first, end)
					: NAN;
	return rc;
}

static int make_rows(struct build *build)
{
	struct entry *first = build->traffic.entries, *next, *end = first + build->traffic.count;
	int rc = 0, failed;

	/* The rows take over the regions from the entries, so close_traffic() must not free them. */
	build->traffic.count = 0;
	for (; first < end; first = next) {
		for (next = first + 1; next < end && !compare_regions(&first->limit, &next->limit); next++)
			;
		failed = make_region(build, first, next);
		rc = rc ? rc : failed;
	}
	return rc;
}

static int compare_shares(const void *a, const void *b)
{
	const struct memphis_limit *x = a, *y = b;

	return memphis_order(y->share.value, x->share.value) ?: compare_rows(x, y);
}

/*
 * Marks the rows that are findings. A row from counters is a finding only if its time is at least the share
 * MEMPHIS_LIMIT_TIME of the longest time of any such row.
 */
static void mark_findings(struct memphis_limits *limits)
{
	struct memphis_limit *limit;
	uint64_t longest = 0;

	for (limit = limits->list; limit < limits->list + limits->count; limit++)
		if (limit->counted && limit->ns > longest)
			longest = limit->ns;
	for (limit = limits->list; limit < limits->list + limits->count; limit++)
		limit->is_finding =
			limit->share.low >= MEMPHIS_LIMIT_SHARE &&
			(!limit->counted || (limit->shared <= MEMPHIS_LIMIT_SHARED &&
					     (double)limit->ns >= MEMPHIS_LIMIT_TIME * (double)longest));
}

/* Returns the entry of the node. Adds it in ascending order if it is new. Returns NULL if memory is exhausted. */
static struct memphis_node_limits *find_or_add_node(struct memphis_limits *limits, unsigned int node)
{
	size_t at = limits->node_count, i;

	while (at && limits->nodes[at - 1].node >= node)
		at--;
	if (at < limits->node_count && limits->nodes[at].node == node)
		return &limits->nodes[at];
	if (!memphis_append(limits->nodes, limits->node_count, limits->node_room))
		return NULL;
	memmove(&limits->nodes[at + 1], &limits->nodes[at],
		(limits->node_count - 1 - at) * sizeof(*limits->nodes));
	limits->nodes[at].node = node;
	for (i = 0; i <= MEMPHIS_LIMIT_TENTHS; i++)
		limits->nodes[at].by_tenths[i] = NAN;
	memset(limits->nodes[at].hosts, 0, sizeof(limits->nodes[at].hosts));
	return &limits->nodes[at];
}

/* Adds the bandwidths that were measured on a host to the means of its nodes. */
static int add_host(struct memphis_limits *limits, const struct memphis_matrices *measured)
{
	struct memphis_node_limits *node;
	double limit, *mean;
	size_t i, tenths;

	for (i = 0; measured && i < measured->count; i++) {
		node = find_or_add_node(limits, measured->nodes[i]);
		if (!node)
			return -ENOMEM;
		for (tenths = 0; tenths <= MEMPHIS_LIMIT_TENTHS; tenths++) {
			mean = &node->by_tenths[tenths];
			limit = memphis_limit_of_memory(measured, node->node,
							(double)tenths / MEMPHIS_LIMIT_TENTHS);
			if (isnan(limit))
				continue;
			if (!node->hosts[tenths]++)
				*mean = limit;
			else
				*mean += (limit - *mean) / (double)node->hosts[tenths];
		}
	}
	return 0;
}

/* Computes the mean bandwidths of the nodes. Uses the hosts whose traffic was counted, or all hosts if none was. */
static int make_nodes(struct memphis_limits *limits, const struct memphis_busy_hosts *hosts)
{
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < hosts->count; i++) {
		limits->not_measured += !memphis_weights_has(limits->measured, hosts->list[i].host);
		if (hosts->list[i].counted || !limits->counted)
			rc = add_host(limits, memphis_weights_of_host(limits->measured, hosts->list[i].host));
	}
	return rc;
}

int memphis_limits_make(struct memphis_limits *limits, const struct memphis_profile *profile,
			const struct memphis_selection *selection, const struct memphis_waiting *waiting,
			const struct memphis_region_times *times, const struct memphis_weights *measured)
{
	struct build build = {.limits = limits, .waiting = waiting};
	int rc = collect_traffic(&build.traffic, profile, selection, times, measured->matrices != NULL);

	limits->measured = measured;
	limits->counted = build.traffic.counted;
	if (!rc)
		rc = make_rows(&build);
	if (!rc)
		rc = make_nodes(limits, &build.traffic.hosts);
	close_traffic(&build.traffic);
	memphis_sort(limits->list, limits->count, compare_shares);
	mark_findings(limits);
	return rc;
}

void memphis_limits_close(struct memphis_limits *limits)
{
	size_t i;

	for (i = 0; i < limits->count; i++)
		free(limits->list[i].region);
	free(limits->list);
	free(limits->nodes);
	memset(limits, 0, sizeof(*limits));
}
