// SPDX-License-Identifier: BSD-3-Clause
/* Saves and loads the counters and gauges that were read while a process was sampled. */
#include "profile/file/counters.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static ProtobufCBinaryData binary_data(char *text)
{
	return (ProtobufCBinaryData){strlen(text), (uint8_t *)text};
}

/*
 * The columns of a message about one metric. They are reused for all metrics, so they have room for the metric with
 * the most regions.
 */
struct lists {
	size_t room;
	uint64_t *region, *covered_ns;
	double *sum, *shared, *low, *high;
	uint64_t tick_covered_ns[MEMPHIS_TICKS];
	double tick_sum[MEMPHIS_TICKS];
};

static int open_lists(struct lists *lists, size_t capacity)
{
	lists->region = calloc(capacity + 1, sizeof(uint64_t));
	lists->covered_ns = calloc(capacity + 1, sizeof(uint64_t));
	lists->sum = calloc(capacity + 1, sizeof(double));
	lists->shared = calloc(capacity + 1, sizeof(double));
	lists->low = calloc(capacity + 1, sizeof(double));
	lists->high = calloc(capacity + 1, sizeof(double));
	return lists->region && lists->covered_ns && lists->sum && lists->shared && lists->low && lists->high
		       ? 0
		       : -ENOMEM;
}

static void close_lists(struct lists *lists)
{
	free(lists->region);
	free(lists->covered_ns);
	free(lists->sum);
	free(lists->shared);
	free(lists->low);
	free(lists->high);
}

static void fill_regions(Mprof__Metric *message, const struct memphis_counter_metric *metric,
			 struct lists *lists)
{
	const struct memphis_counters_cell *cell;
	size_t i;

	for (i = 0; i < metric->cell_count; i++) {
		cell = &metric->cells[i];
		lists->region[i] = cell->region;
		lists->covered_ns[i] = cell->covered_ns;
		lists->sum[i] = cell->sum;
		lists->shared[i] = cell->shared;
		lists->low[i] = cell->low;
		lists->high[i] = cell->high;
	}
	message->n_region = message->n_region_covered_ns = message->n_region_sum = message->n_region_shared =
		message->n_region_low = message->n_region_high = metric->cell_count;
	message->region = lists->region;
	message->region_covered_ns = lists->covered_ns;
	message->region_sum = lists->sum;
	message->region_shared = lists->shared;
	message->region_low = lists->low;
	message->region_high = lists->high;
}

static void fill_ticks(Mprof__Metric *message, const struct memphis_counter_metric *metric,
		       struct lists *lists)
{
	size_t count = metric->bins ? MEMPHIS_TICKS : 0, i;

	/* Omit trailing zeros. */
	while (count && metric->bins[count - 1].sum == 0 && !metric->bins[count - 1].covered_ns)
		count--;
	for (i = 0; i < count; i++) {
		lists->tick_sum[i] = metric->bins[i].sum;
		lists->tick_covered_ns[i] = metric->bins[i].covered_ns;
	}
	message->n_tick_sum = message->n_tick_covered_ns = count;
	message->tick_sum = lists->tick_sum;
	message->tick_covered_ns = lists->tick_covered_ns;
}

static int put_metric(struct mprof_output *output, const struct memphis_counter_metric *metric,
		      struct lists *lists, struct memphis_error *error)
{
	Mprof__Metric message = MPROF__METRIC__INIT;
	Mprof__Record record = MPROF__RECORD__INIT;

	message.source = binary_data(metric->source);
	message.name = binary_data(metric->name);
	message.unit = binary_data(metric->unit);
	message.kind = metric->kind;
	message.host = metric->host;
	message.node = metric->node;
	message.readings = metric->readings;
	message.covered_ns = metric->covered_ns;
	message.gaps = metric->gaps;
	message.gap_ns = metric->gap_ns;
	message.backwards = metric->backwards;
	message.took_ns = metric->took_ns;
	message.took_most_ns = metric->took_most_ns;
	fill_regions(&message, metric, lists);
	fill_ticks(&message, metric, lists);
	record.kind_case = MPROF__RECORD__KIND_METRIC;
	record.metric = &message;
	return mprof_output_record(output, &record, error);
}

int mprof_put_counters(struct mprof_output *output, const struct memphis_counters *counters,
		       struct memphis_error *error)
{
	struct lists lists = {0};
	size_t most = 0, i;
	int rc;

	if (!counters)
		return 0;
	for (i = 0; i < counters->metric_count; i++)
		if (counters->metrics[i].cell_count > most)
			most = counters->metrics[i].cell_count;
	rc = open_lists(&lists, most);
	if (rc)
		memphis_fail(error, rc, "out of memory");
	for (i = 0; !rc && i < counters->metric_count; i++)
		rc = put_metric(output, &counters->metrics[i], &lists, error);
	close_lists(&lists);
	return rc;
}

static const char *load_regions(struct memphis_counter_metric *metric, const Mprof__Metric *from)
{
	struct memphis_counters_cell *cell;
	size_t i;

	if (from->n_region_covered_ns != from->n_region || from->n_region_sum != from->n_region ||
	    from->n_region_shared != from->n_region || from->n_region_low != from->n_region ||
	    from->n_region_high != from->n_region)
		return "region";
	metric->cells = calloc(from->n_region + 1, sizeof(*metric->cells));
	if (!metric->cells)
		return "";
	metric->cell_room = from->n_region + 1;
	for (i = 0; i < from->n_region; i++) {
		/* Infinite extremes are valid. Counters have no extremes, so they are stored with low = +inf and high = -inf. */
		if (from->region[i] > UINT32_MAX || (i && from->region[i] <= from->region[i - 1]) ||
		    !isfinite(from->region_sum[i]) || !isfinite(from->region_shared[i]) ||
		    isnan(from->region_low[i]) || isnan(from->region_high[i]))
			return "region";
		cell = &metric->cells[metric->cell_count++];
		cell->region = (uint32_t)from->region[i];
		cell->covered_ns = from->region_covered_ns[i];
		cell->sum = from->region_sum[i];
		cell->shared = from->region_shared[i];
		cell->low = from->region_low[i];
		cell->high = from->region_high[i];
	}
	return NULL;
}

static const char *load_ticks(struct memphis_counter_metric *metric, const Mprof__Metric *from,
			      uint64_t width_ns)
{
	size_t i;

	if (from->n_tick_sum > MEMPHIS_TICKS || from->n_tick_covered_ns != from->n_tick_sum ||
	    (from->n_tick_sum && !width_ns))
		return "tick_sum";
	if (!from->n_tick_sum)
		return NULL;
	metric->bins = calloc(MEMPHIS_TICKS, sizeof(*metric->bins));
	if (!metric->bins)
		return "";
	for (i = 0; i < from->n_tick_sum; i++) {
		if (!isfinite(from->tick_sum[i]))
			return "tick_sum";
		metric->bins[i].sum = from->tick_sum[i];
		metric->bins[i].covered_ns = from->tick_covered_ns[i];
	}
	return NULL;
}

int mprof_load_metric(struct mprof_reader *reader, const Mprof__Record *record)
{
	const Mprof__Metric *from = record->metric;
	struct memphis_counter_metric *metric;
	struct memphis_counters *counters;
	const char *wrong = NULL;
	int rc = 0;

	if (!reader->process)
		return mprof_nonsense(reader, "metric", "a metric without a process");
	if (from->kind >= MEMPHIS_COUNTER_KINDS || from->node > MEMPHIS_NODE_UNKNOWN)
		return mprof_nonsense(reader, "metric",
				      from->kind >= MEMPHIS_COUNTER_KINDS ? "kind" : "node");
	if (!reader->process->counters)
		reader->process->counters = calloc(1, sizeof(*counters));
	counters = reader->process->counters;
	metric = counters ? memphis_append(counters->metrics, counters->metric_count, counters->metric_room)
			  : NULL;
	if (!metric)
		return mprof_no_memory(reader);
	counters->width_ns = reader->metric_width_ns;
	metric->kind = (uint8_t)from->kind;
	metric->host = from->host;
	metric->node = (uint16_t)from->node;
	metric->readings = from->readings;
	metric->covered_ns = from->covered_ns;
	metric->gaps = from->gaps;
	metric->gap_ns = from->gap_ns;
	metric->backwards = from->backwards;
	metric->took_ns = from->took_ns;
	metric->took_most_ns = from->took_most_ns;
	metric->source = mprof_text_of(reader, from->source, "metric", "source", &rc);
	metric->name = mprof_text_of(reader, from->name, "metric", "name", &rc);
	metric->unit = mprof_text_of(reader, from->unit, "metric", "unit", &rc);
	if (!rc)
		wrong = load_regions(metric, from);
	if (!rc && !wrong)
		wrong = load_ticks(metric, from, counters->width_ns);
	if (wrong)
		return *wrong ? mprof_nonsense(reader, "metric", wrong) : mprof_no_memory(reader);
	return rc;
}
