// SPDX-License-Identifier: BSD-3-Clause
/* The comparison of runs as text and as JSON: variables and lines, calls and times of regions, and counters that were read around the samples, side by side. */
#include "output/compare.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/json.h"
#include "base/layout.h"
#include "output/section/parts.h"
#include "output/section/waiting.h"
#include "view/counters_table.h"

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

/* Appends " (+12.5 %)", the change from the first run, unless its number is 0 or one of the numbers is not known. */
static void put_ratio(struct memphis_text *text, double number, double first)
{
	if (first > 0 && !isnan(number))
		memphis_text_print(text, " (%+.1f %%)", 100 * (number / first - 1));
}

static void put_counter_line(const struct memphis_compare *compare, const struct place *place, void *to)
{
	const struct memphis_counter_metric *metric = place->metric;
	const double first = value_of(&compare->sides[0].counters, place);
	char room[MEMPHIS_COUNTER_VALUE_BYTES];
	struct memphis_text *text = to;
	double value;
	size_t i;

	memphis_text_print_plain(text, "counters: %s: %s %s", memphis_counters_region_name(place->region),
				 metric->source, metric->name);
	if (metric->node != MEMPHIS_NODE_UNKNOWN)
		memphis_text_print(text, " on node %u", metric->node);
	memphis_text_put(text, metric->kind == MEMPHIS_COUNTER_GAUGE ? ", mean: " : ", per s: ");
	memphis_text_put(text, memphis_counters_print(room, first, metric->unit));
	for (i = 1; i < compare->side_count; i++) {
		value = value_of(&compare->sides[i].counters, place);
		memphis_text_print(text, " -> %s", memphis_counters_print(room, value, metric->unit));
		put_ratio(text, value, first);
	}
	memphis_text_put(text, "\n");
}

static void put_counters_text(const struct memphis_compare *compare, struct memphis_text *text)
{
	visit(compare, text, put_counter_line);
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
	memphis_json_node(json, "node", metric->node);
	memphis_json_open(json, "values", '[');
	for (i = 0; i < compare->side_count; i++)
		memphis_json_real(json, NULL, value_of(&compare->sides[i].counters, place));
	memphis_json_close(json, ']');
	memphis_json_close(json, '}');
}

static void put_counters_json(const struct memphis_compare *compare, struct memphis_json *json)
{
	size_t rows = 0, i;

	for (i = 0; i < compare->side_count; i++)
		rows += compare->sides[i].counters.row_count;
	if (!rows)
		return;
	memphis_json_open(json, "counters", '[');
	visit(compare, json, put_json);
	memphis_json_close(json, ']');
}

/* Row `at` of run `side`, and the rows with its path of the other runs. */
struct compared {
	const struct memphis_compare *compare;
	size_t side;
	uint32_t at;
	const char *event; /* whose counts are compared */
};

static const struct memphis_region_times_row *row_in(const struct compared *compared, size_t side)
{
	return memphis_region_times_same(&compared->compare->sides[side].times,
					 &compared->compare->sides[compared->side].times, compared->at);
}

/* Returns a number of the row of a run; NaN if it has none. */
typedef double (*number_of)(const struct compared *compared, size_t side);

static double calls_of(const struct compared *compared, size_t side)
{
	const struct memphis_region_times_row *row = row_in(compared, side);

	return row ? (double)row->calls : NAN;
}

static double time_of(const struct compared *compared, size_t side)
{
	const struct memphis_region_times_row *row = row_in(compared, side);

	return row ? (double)row->inclusive_ns : NAN;
}

static double most_of(const struct compared *compared, size_t side)
{
	const struct memphis_region_times_row *row = row_in(compared, side);

	return row ? (double)memphis_threads_most(&row->threads)->number : NAN;
}

static double events_of(const struct compared *compared, size_t side)
{
	const struct memphis_region_times *times = &compared->compare->sides[side].times;
	const struct memphis_region_times_row *row = row_in(compared, side);
	const size_t event = memphis_region_event_find(times, compared->event);

	return row && event < times->event_count && row->events[event].threads.count
		       ? (double)row->events[event].inclusive_count
		       : NAN;
}

static void put_numbers(struct memphis_text *text, const struct compared *compared, number_of of,
			const char *unit)
{
	char room[MEMPHIS_COUNTER_VALUE_BYTES];
	double number;
	size_t i;

	for (i = 0; i < compared->compare->side_count; i++) {
		number = of(compared, i);
		memphis_text_put(text, i ? " -> " : "");
		if (*unit || isnan(number))
			memphis_text_put(text, memphis_counters_print(room, number, unit));
		else
			memphis_text_print(text, "%.0f", number);
		if (i)
			put_ratio(text, number, of(compared, 0));
	}
}

static void put_text_path(struct memphis_text *text, const struct memphis_region_times *times, uint32_t at)
{
	if (times->list[at].parent != MEMPHIS_NONE) {
		put_text_path(text, times, times->list[at].parent);
		memphis_text_put(text, " > ");
	}
	memphis_text_put_plain(text, times->list[at].name);
}

static void put_compared_text(const struct compared *compared, void *to)
{
	const struct memphis_region_times *times = &compared->compare->sides[compared->side].times;
	struct compared event = *compared;
	struct memphis_text *text = to;
	size_t i;

	memphis_text_put(text, "region: ");
	put_text_path(text, times, compared->at);
	memphis_text_put(text, ": calls: ");
	put_numbers(text, compared, calls_of, "");
	memphis_text_put(text, "; time: ");
	put_numbers(text, compared, time_of, "ns");
	memphis_text_put(text, "; of the longest thread: ");
	put_numbers(text, compared, most_of, "ns");
	for (i = 0; i < times->event_count; i++) {
		event.event = times->events[i].name;
		memphis_text_print_plain(text, "; %s: ", event.event);
		put_numbers(text, &event, events_of, "count");
	}
	memphis_text_put(text, "\n");
}

static void put_json_numbers(struct memphis_json *json, const char *key, const struct compared *compared,
			     number_of of)
{
	double number;
	size_t i;

	memphis_json_open(json, key, '[');
	for (i = 0; i < compared->compare->side_count; i++) {
		number = of(compared, i);
		memphis_json_known(json, NULL, !isnan(number), isnan(number) ? 0 : (uint64_t)number);
	}
	memphis_json_close(json, ']');
}

static void put_compared_json(const struct compared *compared, void *to)
{
	const struct memphis_region_times *times = &compared->compare->sides[compared->side].times;
	struct compared event = *compared;
	struct memphis_json *json = to;
	size_t i;

	memphis_json_open(json, NULL, '{');
	memphis_json_open(json, "path", '[');
	memphis_put_region_times_path(json, times, compared->at);
	memphis_json_close(json, ']');
	put_json_numbers(json, "calls", compared, calls_of);
	put_json_numbers(json, "ns", compared, time_of);
	put_json_numbers(json, "most_ns", compared, most_of);
	if (times->event_count)
		memphis_json_open(json, "events", '[');
	for (i = 0; i < times->event_count; i++) {
		event.event = times->events[i].name;
		memphis_json_open(json, NULL, '{');
		memphis_json_string(json, "name", event.event);
		put_json_numbers(json, "counts", &event, events_of);
		memphis_json_close(json, '}');
	}
	if (times->event_count)
		memphis_json_close(json, ']');
	memphis_json_close(json, '}');
}

/* Calls `put` for up to `top` regions: those of the first run, then those that only later runs have. */
static void visit_regions(const struct memphis_compare *compare, size_t top, void *to,
			  void (*put)(const struct compared *compared, void *to))
{
	const struct memphis_region_times *times;
	struct compared compared = {.compare = compare};
	size_t i, earlier, done = 0;

	for (; compared.side < compare->side_count; compared.side++) {
		times = &compare->sides[compared.side].times;
		for (i = 0; i < times->shown_count && (!top || done < top); i++) {
			compared.at = times->shown[i];
			for (earlier = 0; earlier < compared.side && !row_in(&compared, earlier); earlier++)
				;
			if (earlier < compared.side)
				continue;
			put(&compared, to);
			done++;
		}
	}
}

static void put_regions_text(const struct memphis_compare *compare, size_t top, struct memphis_text *text)
{
	visit_regions(compare, top, text, put_compared_text);
}

static void put_regions_json(const struct memphis_compare *compare, struct memphis_json *json)
{
	size_t rows = 0, i;

	for (i = 0; i < compare->side_count; i++)
		rows += compare->sides[i].times.shown_count;
	if (!rows)
		return;
	memphis_json_open(json, "regions", '[');
	visit_regions(compare, 0, json, put_compared_json);
	memphis_json_close(json, ']');
}

static const char *const per_names[MEMPHIS_PERS] = {"run", "second", "operation"};

static void put_percent(struct memphis_text *text, double ratio)
{
	double percent = 100 * (ratio - 1);

	if (isinf(ratio))
		memphis_text_put(text, "any");
	else
		memphis_text_print(text, "%+.1f", fabs(percent) < 0.05 ? 0 : percent);
}

static void put_change(struct memphis_text *text, const struct memphis_change *change)
{
	if (isnan(change->ratio)) {
		memphis_text_put(text, " (can't be compared)");
		return;
	}
	memphis_text_put(text, " (");
	if (isinf(change->ratio)) {
		memphis_text_put(text, "new");
	} else {
		put_percent(text, change->ratio);
		memphis_text_put(text, " %, 95 % CI ");
		put_percent(text, change->low);
		memphis_text_put(text, " to ");
		put_percent(text, change->high);
	}
	memphis_text_put(text, change->noise ? "; within the noise)" : ")");
}

/* Appends "; waited 24.8 M -> 2.40 M cycles" if the waiting of any run is known. */
static void put_waited(struct memphis_text *text, const struct memphis_compare *compare,
		       const struct memphis_compare_row *row)
{
	struct memphis_estimate cycles;
	bool known = false;
	size_t i;

	for (i = 0; i < compare->side_count; i++)
		known |= memphis_waits_count(&row->sides[i].waits) > 0;
	if (!known)
		return;
	memphis_text_put(text, "; waited ");
	for (i = 0; i < compare->side_count; i++) {
		cycles = memphis_waited(&compare->sides[i].rows.waiting, &row->sides[i].waits);
		memphis_text_put(text, i ? " -> " : "");
		if (compare->sides[i].rows.waiting.why_not)
			memphis_text_put(text, "?");
		else
			memphis_put_number(text, cycles.value);
	}
	memphis_text_put(text, " cycles");
}

static void put_counts(struct memphis_text *text, const struct memphis_compare *compare,
		       const struct memphis_compare_row *row)
{
	size_t i;

	memphis_text_print(text, "%" PRIu64, row->sides[0].count);
	for (i = 1; i < compare->side_count; i++) {
		memphis_text_print(text, " -> %" PRIu64, row->sides[i].count);
		if (row->sides[0].count || row->sides[i].count)
			put_change(text, &row->sides[i].change);
	}
	put_waited(text, compare, row);
	memphis_text_put(text, "\n");
}

static void put_variable(struct memphis_text *text, const struct memphis_compare *compare,
			 const struct memphis_compare_row *variable, size_t number, size_t lines)
{
	size_t i;

	memphis_text_print_plain(text, "%03zu) [%s]:%s ", number, variable->segment, variable->shown);
	put_counts(text, compare, variable);
	for (i = 0; i < memphis_shown(variable->count, lines); i++) {
		memphis_text_print_plain(text, "    %s:%u ", variable->rows[i].name, variable->rows[i].line);
		put_counts(text, compare, &variable->rows[i]);
	}
	if (i < variable->count)
		memphis_text_put(text, "    ...\n");
}

static void put_node(struct memphis_text *text, const struct memphis_compare *compare,
		     const struct memphis_compare_row *node, size_t top, size_t lines)
{
	size_t i;

	memphis_text_style(text, MEMPHIS_BOLD);
	memphis_text_put(text, "NODE: ");
	memphis_put_node_number(text, node->node);
	memphis_text_style(text, MEMPHIS_PLAIN);
	memphis_text_put(text, " total: ");
	put_counts(text, compare, node);
	for (i = 0; i < memphis_shown(node->count, top); i++)
		put_variable(text, compare, &node->rows[i], i, lines);
	if (i < node->count)
		memphis_text_put(text, "...\n");
	memphis_text_put(text, "\n");
}

static void put_sides(struct memphis_text *text, const struct memphis_compare *compare)
{
	const struct memphis_side *side, *first = &compare->sides[0];
	size_t i;

	for (i = 0; i < compare->side_count; i++) {
		side = &compare->sides[i];
		memphis_text_print_plain(text, "run %zu: %s: %" PRIu64 " samples", i, side->name,
					 compare->all.sides[i].count);
		if (side->weight > 1)
			memphis_text_print(text, ", each of %.0f accesses", side->weight);
		if (side->seconds > 0) {
			memphis_text_print(text, ", %.3f s", side->seconds);
			if (i)
				put_ratio(text, side->seconds, first->seconds);
		}
		if (side->operations > 0) {
			memphis_text_print(text, ", %.4g operations", side->operations);
			if (i)
				put_ratio(text, side->operations, first->operations);
		}
		if (!side->lpi.why_not)
			memphis_text_print(text, ", %.3g cycles of remote latency per op",
					   side->lpi.lpi.value);
		memphis_text_put(text, "\n");
	}
}

/* Counts can change because one run kept samples that another one dropped. */
static void put_kept(struct memphis_text *text, const struct memphis_compare *compare)
{
	size_t which, i;

	for (which = 0; which < MEMPHIS_KEPT; which++) {
		if (memphis_compare_kept_alike(compare, which))
			continue;
		memphis_text_print(text, "note: the runs kept different samples: %s ",
				   memphis_kept[which].key);
		for (i = 0; i < compare->side_count; i++) {
			memphis_text_put(text, i ? " -> " : "");
			memphis_text_put_plain(text, memphis_side_kept(&compare->sides[i], which));
		}
		memphis_text_put(text, "; compare only what all of them kept (--select)\n");
	}
}

void memphis_output_compare_text(const struct memphis_compare *compare, const char *selection, size_t top,
				 size_t lines, struct memphis_text *text)
{
	size_t i;

	put_sides(text, compare);
	memphis_text_put(text, "\n");
	for (i = 0; i < compare->all.count; i++)
		put_node(text, compare, &compare->all.rows[i], top, lines);
	memphis_text_print(text, "all %s, per %s: ", selection, per_names[compare->per]);
	put_counts(text, compare, &compare->all);
	put_regions_text(compare, top, text);
	put_counters_text(compare, text);
	put_kept(text, compare);
	memphis_text_put(
		text, "note: intervals and noise cover sampling alone, not other differences between runs\n");
}

static void put_json_counts(struct memphis_json *json, const struct memphis_compare *compare,
			    const struct memphis_compare_row *row)
{
	struct memphis_estimate cycles;
	size_t i;

	memphis_json_open(json, "waited", '[');
	for (i = 0; i < compare->side_count; i++) {
		cycles = memphis_waited(&compare->sides[i].rows.waiting, &row->sides[i].waits);
		memphis_estimate_json(json, NULL, "cycles",
				      memphis_waits_count(&row->sides[i].waits) ? &cycles : NULL);
	}
	memphis_json_close(json, ']');
	memphis_json_open(json, "counts", '[');
	for (i = 0; i < compare->side_count; i++)
		memphis_json_number(json, NULL, row->sides[i].count);
	memphis_json_close(json, ']');
	memphis_json_open(json, "changes", '[');
	for (i = 1; i < compare->side_count; i++) {
		memphis_json_open(json, NULL, '{');
		memphis_json_real(json, "ratio", row->sides[i].change.ratio);
		memphis_json_real(json, "ratio_low", row->sides[i].change.low);
		memphis_json_real(json, "ratio_high", row->sides[i].change.high);
		memphis_json_real(json, "p", row->sides[i].change.p);
		memphis_json_bool(json, "noise", row->sides[i].change.noise);
		memphis_json_close(json, '}');
	}
	memphis_json_close(json, ']');
}

static void put_json_variable(struct memphis_json *json, const struct memphis_compare *compare,
			      const struct memphis_compare_row *variable, size_t lines)
{
	size_t i;

	memphis_json_open(json, NULL, '{');
	memphis_json_string(json, "segment", variable->segment);
	memphis_json_string(json, "name", variable->name);
	memphis_json_string(json, "shown", variable->shown);
	put_json_counts(json, compare, variable);
	memphis_json_open(json, "lines", '[');
	for (i = 0; i < memphis_shown(variable->count, lines); i++) {
		memphis_json_open(json, NULL, '{');
		memphis_json_string(json, "file", variable->rows[i].name);
		memphis_json_number(json, "line", variable->rows[i].line);
		memphis_json_string(json, "function", variable->rows[i].function);
		put_json_counts(json, compare, &variable->rows[i]);
		memphis_json_close(json, '}');
	}
	memphis_json_close(json, ']');
	memphis_json_close(json, '}');
}

void memphis_output_compare_json(const struct memphis_compare *compare, const char *selection, size_t top,
				 size_t lines, struct memphis_text *text)
{
	struct memphis_json json = {text, false};
	const struct memphis_compare_row *node;
	size_t i, j;

	memphis_json_open(&json, NULL, '{');
	memphis_json_string(&json, "select", selection);
	memphis_json_string(&json, "per", per_names[compare->per]);
	memphis_json_open(&json, "runs", '[');
	for (i = 0; i < compare->side_count; i++) {
		memphis_json_open(&json, NULL, '{');
		memphis_json_string(&json, "name", compare->sides[i].name);
		memphis_json_real(&json, "seconds", compare->sides[i].seconds);
		memphis_json_real(&json, "operations", compare->sides[i].operations);
		memphis_json_real(&json, "accesses_per_sample", compare->sides[i].weight);
		memphis_json_real(&json, "lpi",
				  compare->sides[i].lpi.why_not ? NAN : compare->sides[i].lpi.lpi.value);
		for (j = 0; j < MEMPHIS_KEPT; j++)
			memphis_json_string(&json, memphis_kept[j].key,
					    memphis_side_kept(&compare->sides[i], j));
		memphis_json_close(&json, '}');
	}
	memphis_json_close(&json, ']');
	put_json_counts(&json, compare, &compare->all);
	memphis_json_open(&json, "nodes", '[');
	for (i = 0; i < compare->all.count; i++) {
		node = &compare->all.rows[i];
		memphis_json_open(&json, NULL, '{');
		memphis_json_node(&json, "node", node->node);
		put_json_counts(&json, compare, node);
		memphis_json_open(&json, "variables", '[');
		for (j = 0; j < memphis_shown(node->count, top); j++)
			put_json_variable(&json, compare, &node->rows[j], lines);
		memphis_json_close(&json, ']');
		memphis_json_close(&json, '}');
	}
	memphis_json_close(&json, ']');
	put_regions_json(compare, &json);
	put_counters_json(compare, &json);
	memphis_json_close(&json, '}');
	memphis_text_put(text, "\n");
}
