// SPDX-License-Identifier: BSD-3-Clause
/* Compares the traffic of each host with the measured bandwidth, and keeps the highest share of each row. */
#include "bandwidth/limits.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bandwidth/traffic.h"

#define GB 1e9

/*
 * The loops of memphis node --measure by their part of writes, in ascending order. What a loop measures is what the program reads and writes; the
 * memory also reads each line before a store writes it.
 */
static const struct {
	enum memphis_speed speed;
	double writes;  /* part of writes in the traffic of the memory */
	double traffic; /* of the memory, for each byte of the program */
} loops[] = {
	{MEMPHIS_SPEED_READ, 0, 1},
	{MEMPHIS_SPEED_TRIAD, 1.0 / 4, 4.0 / 3},
	{MEMPHIS_SPEED_COPY, 1.0 / 3, 3.0 / 2},
	{MEMPHIS_SPEED_WRITE, 1.0 / 2, 2},
};

static double bandwidth(const struct memphis_matrices *measured, enum memphis_speed speed, uint32_t from,
			uint32_t node)
{
	return GB * memphis_matrices_value(measured, speed, from, node);
}

/* Returns the bandwidth of the node's own cores; of a node without cores, of the best other node. */
static double best_bandwidth(const struct memphis_matrices *measured, enum memphis_speed speed, uint32_t node)
{
	double best = bandwidth(measured, speed, node, node), other;
	size_t i;

	for (i = 0; isnan(best) && i < measured->count; i++) {
		other = bandwidth(measured, speed, measured->nodes[i], node);
		best = fmax(best, other);
	}
	return best;
}

double memphis_limit_of_memory(const struct memphis_matrices *measured, uint32_t node, double writes)
{
	double limit = NAN, at = 0, next;
	size_t i;

	for (i = 0; i < sizeof(loops) / sizeof(*loops); i++) {
		next = loops[i].traffic * best_bandwidth(measured, loops[i].speed, node);
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

struct making {
	struct memphis_limits *limits;
	const struct memphis_waiting *waiting;
	struct memphis_traffic traffic;
};

static double per_second(double bytes, uint64_t ns)
{
	return ns ? bytes / ((double)ns / 1e9) : 0;
}

/* Returns whether the row is of the memory of this node, alone or with others. */
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

/* Returns the bandwidth of the memory that a row describes: of one node, or the sum of several. */
static double memory_of(const struct memphis_limit *limit, const struct memphis_matrices *measured,
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

/* Turns the sums of an entry into rates and shares. Reads and writes have times of their own, since one of the counters may have gaps. */
static void finish(const struct making *making, struct memphis_traffic_entry *entry)
{
	struct memphis_limit *limit = &entry->limit;
	const struct memphis_matrices *measured =
		memphis_weights_of_host(making->limits->measured, limit->host);
	const double bytes = limit->read + limit->write;
	struct memphis_estimate estimate = {bytes, bytes, bytes};
	double rate, unit;

	if (!limit->counted)
		entry->read_ns = memphis_busy_host(&making->traffic.hosts, limit->host)->ns;
	limit->ns = entry->read_ns > entry->write_ns ? entry->read_ns : entry->write_ns;
	limit->read = per_second(limit->read, entry->read_ns);
	limit->write = per_second(limit->write, entry->write_ns);
	rate = limit->read + limit->write;
	if (bytes <= 0 || rate <= 0 || !measured)
		return;
	limit->measured = measured;
	limit->limit = limit->from == MEMPHIS_NODE_UNKNOWN
			       ? memory_of(limit, measured, limit->write / rate)
			       : bandwidth(measured, MEMPHIS_SPEED_READ, limit->from, limit->node);
	if (!limit->counted) {
		estimate = memphis_compound_estimate(bytes, entry->squares, entry->largest);
		estimate.low *= making->waiting->least;
		estimate.high *= making->waiting->most;
	}
	unit = rate / bytes / limit->limit;
	limit->share =
		(struct memphis_estimate){estimate.value * unit, estimate.low * unit, estimate.high * unit};
	limit->shared /= bytes;
	limit->is_memory_only = isnan(bandwidth(measured, MEMPHIS_SPEED_READ, limit->node, limit->node));
}

/* Adds the entry to the row before it, if that is the same one, with the larger share of both; else as a new row. */
static int add_row(struct memphis_limits *limits, struct memphis_limit *limit)
{
	struct memphis_limit *last = limits->count ? &limits->list[limits->count - 1] : NULL;

	if (isnan(limit->limit)) {
		free(limit->region);
		return 0;
	}
	if (last && !memphis_limit_compare(last, limit)) {
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
static bool has_others(const struct memphis_matrices *measured, const struct memphis_limit *limit)
{
	size_t i;

	for (i = 0; i < measured->count; i++)
		if (!has_node(limit, measured->nodes[i]) &&
		    !isnan(memphis_limit_of_memory(measured, measured->nodes[i], 0)))
			return true;
	return false;
}

/* Returns the largest share of another node's memory on the same host, among the entries of the same region; NAN if there is no such memory. */
static double others_of(const struct memphis_limit *limit, const struct memphis_traffic_entry *entry,
			const struct memphis_traffic_entry *end)
{
	/* Memory without traffic has no entry. */
	double most = has_others(limit->measured, limit) ? 0 : NAN;

	for (; entry < end; entry++)
		if ((entry->limit.node != limit->node || strcmp(entry->limit.nodes, limit->nodes)) &&
		    entry->limit.from == MEMPHIS_NODE_UNKNOWN && !isnan(entry->limit.limit) &&
		    !memphis_compare_hosts(entry->limit.host, limit->host))
			most = fmax(most, entry->limit.share.value);
	return most;
}

/* Makes the rows of one region, whose entries are neighbours. */
static int make_region(struct making *making, struct memphis_traffic_entry *first,
		       struct memphis_traffic_entry *end)
{
	struct memphis_limits *limits = making->limits;
	const size_t before = limits->count;
	struct memphis_limit *limit;
	struct memphis_traffic_entry *entry;
	int rc = 0;

	for (entry = first; entry < end; entry++) {
		finish(making, entry);
		if (!rc)
			rc = add_row(limits, &entry->limit);
		else
			free(entry->limit.region);
	}
	for (limit = limits->list + before; limit < limits->list + limits->count; limit++)
		limit->others = limit->from == MEMPHIS_NODE_UNKNOWN && limit->share.low >= MEMPHIS_LIMIT_SHARE
					? others_of(limit, first, end)
					: NAN;
	return rc;
}

static int make_rows(struct making *making)
{
	struct memphis_traffic_entry *first = making->traffic.entries, *next,
				     *end = first + making->traffic.count;
	int rc = 0, failed;

	/* The rows take the regions of the entries. */
	making->traffic.count = 0;
	for (; first < end; first = next) {
		for (next = first + 1;
		     next < end && !memphis_limit_compare_regions(&first->limit, &next->limit); next++)
			;
		failed = make_region(making, first, next);
		rc = rc ? rc : failed;
	}
	return rc;
}

static int compare_shares(const void *a, const void *b)
{
	const struct memphis_limit *x = a, *y = b;

	if (x->share.value != y->share.value)
		return x->share.value > y->share.value ? -1 : 1;
	return memphis_limit_compare(x, y);
}

/* With rows by counters, the region must have had a part of the time of the longest one. */
static void find_findings(struct memphis_limits *limits)
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

/* Returns the entry of the node, in ascending order, which is created on first use; NULL: -ENOMEM. */
static struct memphis_node_limits *node_limits(struct memphis_limits *limits, unsigned int node)
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

/* Adds a host to the means of the nodes that it has. */
static int add_host(struct memphis_limits *limits, const struct memphis_matrices *measured)
{
	struct memphis_node_limits *node;
	double limit, *mean;
	size_t i, tenths;

	for (i = 0; measured && i < measured->count; i++) {
		node = node_limits(limits, measured->nodes[i]);
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

/* The hosts are those whose traffic was counted, or all if that of none was. */
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
	struct making making = {.limits = limits, .waiting = waiting};
	int rc = memphis_traffic_collect(&making.traffic, profile, selection, times,
					 measured->matrices != NULL);

	limits->measured = measured;
	limits->counted = making.traffic.counted;
	if (!rc)
		rc = make_rows(&making);
	if (!rc)
		rc = make_nodes(limits, &making.traffic.hosts);
	memphis_traffic_close(&making.traffic);
	if (limits->count)
		qsort(limits->list, limits->count, sizeof(*limits->list), compare_shares);
	find_findings(limits);
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
