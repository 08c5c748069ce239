// SPDX-License-Identifier: BSD-3-Clause
/* Distributes the change between two readings of a counter over regions and time steps. */
#include "read/counters.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "base/error.h"

/* Larger values cannot be counts. Sums of them could become infinite. */
#define VALUE_MAX 1e30

/*
 * If a region covers at least this share of the time between two readings, its part of the change is certain.
 * The share is less than 1 because a reading that a caliper triggers comes slightly after the caliper.
 */
#define CERTAIN_SHARE 0.95

const char *const memphis_counters_kinds[MEMPHIS_COUNTER_KINDS] = {"counter", "gauge", "refused", "lost"};

/* Returns the kind with the name `word`, or -1 if there is none. */
static int kind_of(struct memphis_span word)
{
	int kind = MEMPHIS_COUNTER_KINDS - 1;

	while (kind >= 0 && !memphis_span_is(word, memphis_counters_kinds[kind]))
		kind--;
	return kind;
}

static int assign_id(struct memphis_counters *counters, uint64_t id)
{
	const size_t old = counters->id_room;

	if (!id || id > MEMPHIS_COUNTER_METRICS_MAX)
		return -EBADMSG;
	if (memphis_grow(&counters->by_id, &counters->id_room, (size_t)id + 1, sizeof(*counters->by_id)))
		return -ENOMEM;
	memset(counters->by_id + old, 0, (counters->id_room - old) * sizeof(*counters->by_id));
	if (counters->by_id[id])
		return -EBADMSG;
	counters->by_id[id] = (uint32_t)counters->metric_count;
	return 0;
}

/*
 * Keeps the problem that the last metric reports, unless an equal one was kept before: a failing source
 * reports its problem after every failure. At most MEMPHIS_COUNTER_PROBLEMS_MAX problems are kept.
 */
static void keep_problem(struct memphis_counters *counters)
{
	struct memphis_counter_metric *last = &counters->metrics[counters->metric_count - 1];
	const struct memphis_counter_metric *other = counters->metrics;

	while (memphis_counters_compare(other, last))
		other++;
	if (other == last && ++counters->problem_count <= MEMPHIS_COUNTER_PROBLEMS_MAX)
		return;
	memphis_counters_metric_close(last);
	counters->metric_count--;
}

/* Adds the metric that a line describes: id source scope kind node unit name. */
static int add_metric(struct memphis_counters *counters, struct memphis_span line)
{
	struct memphis_span source, scope, kind, node, unit;
	struct memphis_counter_metric *metric;
	uint64_t id, number = MEMPHIS_NODE_UNKNOWN;

	if (!memphis_next_number(&line, false, &id) || !memphis_next_field(&line, &source) ||
	    !memphis_next_field(&line, &scope) || !memphis_next_field(&line, &kind) ||
	    !memphis_next_field(&line, &node) || !memphis_next_field(&line, &unit) || kind_of(kind) < 0 ||
	    (!memphis_span_is(scope, "host") && !memphis_span_is(scope, "process")) ||
	    (!memphis_span_is(node, "-") &&
	     (!memphis_span_number(node, false, &number) || number >= MEMPHIS_NODE_UNKNOWN)))
		return -EBADMSG;
	metric = memphis_append(counters->metrics, counters->metric_count, counters->metric_room);
	if (!metric)
		return -ENOMEM;
	metric->id = (uint32_t)id;
	metric->kind = (uint8_t)kind_of(kind);
	metric->host = memphis_span_is(scope, "host");
	metric->node = (uint16_t)number;
	metric->source = memphis_span_unescape(source);
	metric->unit = memphis_span_unescape(unit);
	metric->name = memphis_span_unescape(line);
	if (!metric->source || !metric->unit || !metric->name)
		return -ENOMEM;
	if (metric->kind <= MEMPHIS_COUNTER_GAUGE)
		return assign_id(counters, id);
	keep_problem(counters);
	return 0;
}

int memphis_counters_add_metrics(struct memphis_counters *counters, struct memphis_span payload)
{
	struct memphis_span line;
	int rc = 0;

	while (!rc && memphis_next_line(&payload, &line))
		rc = add_metric(counters, line);
	return rc;
}

int memphis_counters_add_marks(struct memphis_counters *counters, const void *payload, size_t count)
{
	const size_t old = counters->mark_count;
	size_t i;

	if (memphis_grow(&counters->marks, &counters->mark_room, old + count, sizeof(*counters->marks)))
		return -ENOMEM;
	if (count)
		memcpy(counters->marks + old, payload, count * sizeof(*counters->marks));
	counters->mark_count += count;
	for (i = old ? old : 1; i < counters->mark_count; i++)
		if (counters->marks[i].time_ns < counters->marks[i - 1].time_ns)
			return -EBADMSG;
	return 0;
}

/* Returns the number of marks with times up to and including `time_ns`. The last of them is in effect at that time. */
static size_t marks_until(const struct memphis_counters *counters, uint64_t time_ns)
{
	return memphis_bisect(at, counters->mark_count, counters->marks[at].time_ns <= time_ns);
}

static int add_part(struct memphis_counters *counters, uint32_t region, uint64_t from, uint64_t to)
{
	struct memphis_counters_part *part;
	size_t i = 0;

	while (i < counters->part_count && counters->parts[i].region != region)
		i++;
	if (i == counters->part_count) {
		part = memphis_append(counters->parts, counters->part_count, counters->part_room);
		if (!part)
			return -ENOMEM;
		*part = (struct memphis_counters_part){.region = region, .first = from};
	}
	part = &counters->parts[i];
	part->ns += to - from;
	part->moment += (double)(to - from) * ((double)from + (double)to) / 2;
	part->last = to;
	return 0;
}

/*
 * Computes which regions were open between two times, and for how long. An interval of length 0 belongs to
 * the region that begins at that time.
 */
static int find_parts(struct memphis_counters *counters, uint64_t from_ns, uint64_t to_ns)
{
	uint64_t at = from_ns;
	uint32_t region;
	size_t next;
	int rc = 0;

	if (counters->part_count && counters->from_ns == from_ns && counters->to_ns == to_ns)
		return 0;
	next = marks_until(counters, from_ns);
	region = next ? counters->marks[next - 1].region : MEMPHIS_COUNTER_OUTSIDE;
	counters->part_count = 0;
	counters->from_ns = from_ns;
	counters->to_ns = to_ns;
	for (; !rc && next < counters->mark_count && counters->marks[next].time_ns < to_ns; next++) {
		if (counters->marks[next].time_ns > at)
			rc = add_part(counters, region, at - from_ns,
				      counters->marks[next].time_ns - from_ns);
		at = counters->marks[next].time_ns;
		region = counters->marks[next].region;
	}
	return rc ? rc : add_part(counters, region, at - from_ns, to_ns - from_ns);
}

static struct memphis_counters_cell *cell_of(struct memphis_counter_metric *metric, uint32_t region)
{
	struct memphis_counters_cell *cell;
	size_t i = 0;

	while (i < metric->cell_count && metric->cells[i].region != region)
		i++;
	if (i < metric->cell_count)
		return &metric->cells[i];
	cell = memphis_append(metric->cells, metric->cell_count, metric->cell_room);
	if (cell)
		*cell = (struct memphis_counters_cell){.region = region, .low = INFINITY, .high = -INFINITY};
	return cell;
}

static void note_extreme(struct memphis_counters_cell *cell, double value)
{
	cell->low = fmin(cell->low, value);
	cell->high = fmax(cell->high, value);
}

/* Distributes the change between two readings over regions. A gauge is interpolated linearly. */
static int add_to_regions(struct memphis_counters *counters, struct memphis_counter_metric *metric,
			  const struct memphis_counter_value *value)
{
	const double change = value->value - metric->last,
		     length = (double)(value->time_ns - metric->last_ns);
	const double slope = length > 0 ? change / length : 0;
	const struct memphis_counters_part *part;
	struct memphis_counters_cell *cell;
	double own;
	size_t i;

	if (find_parts(counters, metric->last_ns, value->time_ns))
		return -ENOMEM;
	for (i = 0; i < counters->part_count; i++) {
		part = &counters->parts[i];
		cell = cell_of(metric, part->region);
		if (!cell)
			return -ENOMEM;
		cell->covered_ns += part->ns;
		if (metric->kind == MEMPHIS_COUNTER_GAUGE) {
			cell->sum += metric->last * (double)part->ns + slope * part->moment;
			note_extreme(cell, metric->last + slope * (double)part->first);
			note_extreme(cell, part->last == value->time_ns - metric->last_ns
						   ? value->value
						   : metric->last + slope * (double)part->last);
			continue;
		}
		own = counters->part_count == 1 ? change : change * ((double)part->ns / length);
		cell->sum += own;
		if (counters->part_count > 1 && (double)part->ns < CERTAIN_SHARE * length)
			cell->shared += own;
	}
	return 0;
}

static void double_bin_width(struct memphis_counters *counters)
{
	struct memphis_counters_bin *bins;
	size_t i, at;

	counters->width_ns *= 2;
	for (i = 0; i < counters->metric_count; i++) {
		bins = counters->metrics[i].bins;
		for (at = 0; bins && at < MEMPHIS_TICKS; at++) {
			if (at < MEMPHIS_TICKS / 2) {
				bins[at].sum = bins[2 * at].sum + bins[2 * at + 1].sum;
				bins[at].covered_ns = bins[2 * at].covered_ns + bins[2 * at + 1].covered_ns;
			} else {
				bins[at] = (struct memphis_counters_bin){0};
			}
		}
	}
}

static uint64_t ns_since_start(const struct memphis_counters *counters, uint64_t time_ns)
{
	return time_ns > counters->start_ns ? time_ns - counters->start_ns : 0;
}

static int add_to_bins(struct memphis_counters *counters, struct memphis_counter_metric *metric,
		       const struct memphis_counter_value *value)
{
	const uint64_t from = ns_since_start(counters, metric->last_ns),
		       to = ns_since_start(counters, value->time_ns);
	const double change = value->value - metric->last, length = (double)(to - from);
	struct memphis_counters_bin *bin;
	uint64_t at, next;
	double middle;

	if (!metric->bins)
		metric->bins = calloc(MEMPHIS_TICKS, sizeof(*metric->bins));
	if (!metric->bins)
		return -ENOMEM;
	if (!counters->width_ns)
		counters->width_ns = MEMPHIS_TICK_FIRST_NS;
	while (to / counters->width_ns >= MEMPHIS_TICKS)
		double_bin_width(counters);
	if (from == to && metric->kind == MEMPHIS_COUNTER_COUNTER)
		metric->bins[to / counters->width_ns].sum += change;
	for (at = from; at < to; at = next) {
		bin = &metric->bins[at / counters->width_ns];
		next = (at / counters->width_ns + 1) * counters->width_ns;
		/* in the last step, the end may overflow 64 bits */
		next = next > at && next < to ? next : to;
		middle = ((double)(at - from) + (double)(next - from)) / 2;
		bin->covered_ns += next - at;
		if (metric->kind == MEMPHIS_COUNTER_GAUGE)
			bin->sum += (metric->last + change * middle / length) * (double)(next - at);
		else
			bin->sum += change * ((double)(next - at) / length);
	}
	return 0;
}

static int add_interval(struct memphis_counters *counters, struct memphis_counter_metric *metric,
			const struct memphis_counter_value *value)
{
	const uint64_t ns = value->time_ns - metric->last_ns;
	const bool fell = metric->kind == MEMPHIS_COUNTER_COUNTER && value->value < metric->last;
	int rc;

	if (value->flags & MEMPHIS_COUNTER_GAP || fell) {
		metric->gaps++;
		metric->gap_ns += ns;
		metric->backwards += fell && !(value->flags & MEMPHIS_COUNTER_GAP);
		return 0;
	}
	metric->covered_ns += ns;
	rc = add_to_regions(counters, metric, value);
	return rc ? rc : add_to_bins(counters, metric, value);
}

int memphis_counters_add_value(struct memphis_counters *counters, const struct memphis_counter_value *value)
{
	struct memphis_counter_metric *metric;
	int rc = 0;

	if (!value->metric || value->metric >= counters->id_room || !counters->by_id[value->metric] ||
	    !isfinite(value->value) || fabs(value->value) > VALUE_MAX)
		return -EBADMSG;
	metric = &counters->metrics[counters->by_id[value->metric] - 1];
	if (metric->readings && value->time_ns < metric->last_ns)
		return -EBADMSG;
	if (metric->readings++)
		rc = add_interval(counters, metric, value);
	metric->took_ns += value->took_ns;
	if (value->took_ns > metric->took_most_ns)
		metric->took_most_ns = value->took_ns;
	metric->last_ns = value->time_ns;
	metric->last = value->value;
	return rc;
}

static int compare_cells(const void *a, const void *b)
{
	const struct memphis_counters_cell *x = a, *y = b;

	return x->region < y->region ? -1 : x->region > y->region;
}

void memphis_counters_settle(struct memphis_counters *counters)
{
	struct memphis_counter_metric *metric;
	size_t i;

	for (i = 0; i < counters->metric_count; i++) {
		metric = &counters->metrics[i];
		memphis_sort(metric->cells, metric->cell_count, compare_cells);
	}
	free(counters->marks);
	free(counters->by_id);
	free(counters->parts);
	counters->marks = NULL;
	counters->by_id = NULL;
	counters->parts = NULL;
	counters->mark_count = counters->mark_room = counters->id_room = 0;
	counters->part_count = counters->part_room = 0;
}

void memphis_counters_metric_close(struct memphis_counter_metric *metric)
{
	free(metric->source);
	free(metric->unit);
	free(metric->name);
	free(metric->cells);
	free(metric->bins);
}

void memphis_counters_drop_ticks(struct memphis_counters *counters)
{
	size_t i;

	for (i = 0; counters && i < counters->metric_count; i++) {
		free(counters->metrics[i].bins);
		counters->metrics[i].bins = NULL;
	}
}

void memphis_counters_close(struct memphis_counters *counters)
{
	size_t i;

	if (!counters)
		return;
	memphis_counters_settle(counters);
	for (i = 0; i < counters->metric_count; i++)
		memphis_counters_metric_close(&counters->metrics[i]);
	free(counters->metrics);
	free(counters);
}

int memphis_counters_compare(const struct memphis_counter_metric *a, const struct memphis_counter_metric *b)
{
	int rc = strcmp(a->source, b->source);

	if (!rc)
		rc = strcmp(a->name, b->name);
	if (!rc)
		rc = (a->node > b->node) - (a->node < b->node);
	if (!rc)
		rc = strcmp(a->unit, b->unit);
	if (!rc)
		rc = (a->kind > b->kind) - (a->kind < b->kind);
	return rc ? rc : (int)a->host - (int)b->host;
}
