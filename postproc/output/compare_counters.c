// SPDX-License-Identifier: BSD-3-Clause
/* Counters recorded alongside the samples of several runs, side by side: rates per second, or means of gauges. */
#include <math.h>
#include <string.h>

#include "view/counters_text.h"
#include "output/compare.h"

/* A row of the comparison: a counter in a region. */
struct place {
	const struct memphis_counters_region *region;
	const struct memphis_counter_metric *metric;
};

/* Returns the rate, or the mean of a gauge, in one run; NaN if the counter was not read there or no time was covered. */
static double value_of(const struct memphis_counters_table *table, const struct place *place)
{
	const struct memphis_counters_region *region;
	const struct memphis_counters_sum *sum;
	size_t i, j;

	for (i = 0; i < table->row_count; i++)
		if (!memphis_counters_compare(table->rows[i].metric, place->metric))
			break;
	for (j = 0; j < table->region_count; j++) {
		region = &table->regions[j];
		if (region->place == place->region->place &&
		    (!region->name || !strcmp(region->name, place->region->name)))
			break;
	}
	if (i == table->row_count || j == table->region_count)
		return NAN;
	sum = &table->rows[i].sums[j];
	return place->metric->kind == MEMPHIS_COUNTER_GAUGE ? memphis_counters_mean(sum)
							    : memphis_counters_rate(sum);
}

/* Returns whether to skip the row, because an earlier run has the counter already or it is zero in all runs. */
static bool is_skipped(const struct memphis_compare *compare, size_t side, const struct place *place)
{
	bool nothing = true;
	double value;
	size_t i;

	for (i = 0; i < compare->side_count; i++) {
		value = value_of(&compare->sides[i].counters, place);
		if (i < side && !isnan(value))
			return true;
		nothing = nothing && (isnan(value) || value == 0);
	}
	return nothing;
}

static void visit(const struct memphis_compare *compare, void *to,
		  void (*put)(const struct memphis_compare *compare, const struct place *place, void *to))
{
	const struct memphis_counters_table *table;
	struct place place;
	size_t side, i, j;

	for (side = 0; side < compare->side_count; side++) {
		table = &compare->sides[side].counters;
		for (i = 0; i < table->region_count; i++)
			for (j = 0; j < table->row_count; j++) {
				place = (struct place){&table->regions[i], table->rows[j].metric};
				if (!isnan(value_of(table, &place)) && !is_skipped(compare, side, &place))
					put(compare, &place, to);
			}
	}
}

static void put_line(const struct memphis_compare *compare, const struct place *place, void *to)
{
	const struct memphis_counter_metric *metric = place->metric;
	const double first = value_of(&compare->sides[0].counters, place);
	char room[MEMPHIS_COUNTER_VALUE_BYTES];
	struct memphis_text *text = to;
	double value;
	size_t i;

	memphis_text_put(text, "context: ");
	memphis_text_put_plain(text, memphis_counters_region_name(place->region));
	memphis_text_put(text, ": ");
	memphis_text_put_plain(text, metric->source);
	memphis_text_put(text, " ");
	memphis_text_put_plain(text, metric->name);
	if (metric->node != MEMPHIS_NODE_UNKNOWN)
		memphis_text_print(text, " on node %u", metric->node);
	memphis_text_put(text, metric->kind == MEMPHIS_COUNTER_GAUGE ? ", mean: " : ", per s: ");
	memphis_text_put(text, memphis_counters_print(room, first, metric->unit));
	for (i = 1; i < compare->side_count; i++) {
		value = value_of(&compare->sides[i].counters, place);
		memphis_text_print(text, " -> %s", memphis_counters_print(room, value, metric->unit));
		if (first > 0 && !isnan(value))
			memphis_text_print(text, " (%+.1f %%)", 100 * (value / first - 1));
	}
	memphis_text_put(text, "\n");
}

void memphis_output_compare_counters_text(const struct memphis_compare *compare, struct memphis_text *text)
{
	visit(compare, text, put_line);
}

static void put_json(const struct memphis_compare *compare, const struct place *place, void *to)
{
	const struct memphis_counter_metric *metric = place->metric;
	struct memphis_json *json = to;
	size_t i;

	memphis_json_open(json, NULL, '{');
	memphis_json_string(json, "region", place->region->name);
	memphis_json_string(json, "place", memphis_counters_places[place->region->place]);
	memphis_json_string(json, "source", metric->source);
	memphis_json_string(json, "name", metric->name);
	memphis_json_string(json, "unit", strcmp(metric->unit, "-") ? metric->unit : NULL);
	memphis_json_string(json, "kind", memphis_counters_kinds[metric->kind]);
	if (metric->node == MEMPHIS_NODE_UNKNOWN)
		memphis_json_null(json, "node");
	else
		memphis_json_number(json, "node", metric->node);
	memphis_json_open(json, "values", '[');
	for (i = 0; i < compare->side_count; i++)
		memphis_json_real(json, NULL, value_of(&compare->sides[i].counters, place));
	memphis_json_close(json, ']');
	memphis_json_close(json, '}');
}

void memphis_output_compare_counters_json(const struct memphis_compare *compare, struct memphis_json *json)
{
	size_t rows = 0, i;

	for (i = 0; i < compare->side_count; i++)
		rows += compare->sides[i].counters.row_count;
	if (!rows)
		return;
	memphis_json_open(json, "context", '[');
	visit(compare, json, put_json);
	memphis_json_close(json, ']');
}
