// SPDX-License-Identifier: BSD-3-Clause
/*
 * Writes the comparison of runs as text and as JSON. For each run or side, it shows variables and lines,
 * calls and times of regions, and performance counters.
 */
#include "output/compare.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/layout.h"
#include "output/section/parts.h"
#include "output/section/waiting.h"
#include "view/counters_table.h"

/* If the numbers of operations of two sides differ by this factor, threads may have spun at barriers. */
#define SPINNING 1.1

/* A row of the comparison: a counter in a region. */
struct place {
	const struct memphis_counters_region *region;
	const struct memphis_counter_metric *metric;
};

/*
 * Returns the counter's rate in one run, or the mean of a gauge. Returns NAN if the counter was not read in
 * this run, or if its readings cover no time.
 */
static double counter_value(const struct memphis_counters_table *table, const struct place *place)
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

/*
 * Returns true if the row must be skipped: an earlier run has the same counter, so the row has already been
 * written, or the value is zero in all runs.
 */
static bool is_skipped(const struct memphis_compare *compare, size_t run, const struct place *place)
{
	bool nothing = true;
	double value;
	size_t i;

	for (i = 0; i < compare->run_count; i++) {
		value = counter_value(&compare->runs[i].counters, place);
		if (i < run && !isnan(value))
			return true;
		nothing = nothing && (isnan(value) || value == 0);
	}
	return nothing;
}

static void visit_counters(const struct memphis_compare *compare, void *to,
			   void (*put)(const struct memphis_compare *compare, const struct place *place,
				       void *to))
{
	const struct memphis_counters_table *table;
	struct place place;
	size_t run, i, j;

	for (run = 0; run < compare->run_count; run++) {
		table = &compare->runs[run].counters;
		for (i = 0; i < table->region_count; i++)
			for (j = 0; j < table->row_count; j++) {
				place = (struct place){&table->regions[i], table->rows[j].metric};
				if (!isnan(counter_value(table, &place)) && !is_skipped(compare, run, &place))
					put(compare, &place, to);
			}
	}
}

struct memphis_compared_numbers memphis_compared_numbers_make(const struct memphis_compare *compare)
{
	struct memphis_compared_numbers numbers = {compare, malloc(compare->run_count * sizeof(double))};
	size_t i;

	for (i = 0; numbers.list && i < compare->run_count; i++)
		numbers.list[i] = NAN;
	return numbers;
}

double memphis_compared_mean(const struct memphis_compared_numbers *numbers, size_t side)
{
	const struct memphis_side *of = &numbers->compare->sides[side];
	const double *list = numbers->list + of->first;
	double sum = 0;
	size_t known = 0, i;

	for (i = 0; i < of->count; i++)
		if (!isnan(list[i])) {
			sum += list[i];
			known++;
		}
	return known ? sum / (double)known : NAN;
}

struct memphis_change memphis_compared_change(const struct memphis_compared_numbers *numbers, size_t side)
{
	const struct memphis_side *sides = numbers->compare->sides;

	return memphis_change_of_values(numbers->list, sides[0].count, numbers->list + sides[side].first,
					sides[side].count);
}

void memphis_compare_put_ratio(struct memphis_text *text, const struct memphis_change *change)
{
	if (isnan(change->ratio))
		return;
	if (isinf(change->ratio))
		memphis_text_put(text, " (new");
	else
		memphis_text_print(text, " (%+.1f %%", 100 * (change->ratio - 1));
	if (!isnan(change->low))
		memphis_text_print(text, ", 95 %% CI %+.1f to %+.1f", 100 * (change->low - 1),
				   100 * (change->high - 1));
	memphis_text_put(text, change->noise ? "; within the noise)" : ")");
}

static void put_counter_line(const struct memphis_compare *compare, const struct place *place, void *to)
{
	const struct memphis_counter_metric *metric = place->metric;
	struct memphis_compared_numbers numbers = memphis_compared_numbers_make(compare);
	char buffer[MEMPHIS_COUNTER_VALUE_BYTES];
	struct memphis_text *text = to;
	struct memphis_change change;
	size_t i;

	text->failed |= !numbers.list;
	if (!numbers.list)
		return;
	for (i = 0; i < compare->run_count; i++)
		numbers.list[i] = counter_value(&compare->runs[i].counters, place);
	memphis_text_print_plain(text, "counters: %s: %s %s", memphis_counters_region_name(place->region),
				 metric->source, metric->name);
	if (metric->node != MEMPHIS_NODE_UNKNOWN)
		memphis_text_print(text, " on node %u", metric->node);
	memphis_text_put(text, metric->kind == MEMPHIS_COUNTER_GAUGE ? ", mean: " : ", per s: ");
	for (i = 0; i < compare->side_count; i++) {
		memphis_text_put(text, i ? " -> " : "");
		memphis_text_put(text, memphis_counters_print(buffer, memphis_compared_mean(&numbers, i),
							      metric->unit));
		change = memphis_compared_change(&numbers, i);
		if (i)
			memphis_compare_put_ratio(text, &change);
	}
	memphis_text_put(text, "\n");
	free(numbers.list);
}

static void put_counters_text(const struct memphis_compare *compare, struct memphis_text *text)
{
	visit_counters(compare, text, put_counter_line);
}

static void put_counter_json(const struct memphis_compare *compare, const struct place *place, void *to)
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
	for (i = 0; i < compare->run_count; i++)
		memphis_json_real(json, NULL, counter_value(&compare->runs[i].counters, place));
	memphis_json_close(json, ']');
	memphis_json_close(json, '}');
}

static void put_counters_json(const struct memphis_compare *compare, struct memphis_json *json)
{
	size_t rows = 0, i;

	for (i = 0; i < compare->run_count; i++)
		rows += compare->runs[i].counters.row_count;
	if (!rows)
		return;
	memphis_json_open(json, "counters", '[');
	visit_counters(compare, json, put_counter_json);
	memphis_json_close(json, ']');
}

/*
 * A region that is being compared: row `at` in the table of run `run`. The rows of the other runs with the
 * same path are compared with it.
 */
struct compared {
	const struct memphis_compare *compare;
	size_t run;
	uint32_t at;
	const char *event; /* name of the event whose counts are compared */
};

static const struct memphis_region_times_row *find_row(const struct compared *compared, size_t run)
{
	return memphis_region_times_same(&compared->compare->runs[run].times,
					 &compared->compare->runs[compared->run].times, compared->at);
}

/* Returns a number from the region's row in a run. Returns NAN if the run has no such row. */
typedef double (*get_number)(const struct compared *compared, size_t run);

static double call_count(const struct compared *compared, size_t run)
{
	const struct memphis_region_times_row *row = find_row(compared, run);

	return row ? (double)row->calls : NAN;
}

static double inclusive_ns(const struct compared *compared, size_t run)
{
	const struct memphis_region_times_row *row = find_row(compared, run);

	return row ? (double)row->inclusive_ns : NAN;
}

static double longest_thread_ns(const struct compared *compared, size_t run)
{
	const struct memphis_region_times_row *row = find_row(compared, run);

	return row ? (double)memphis_threads_most(&row->threads)->number : NAN;
}

static double event_count(const struct compared *compared, size_t run)
{
	const struct memphis_region_times *times = &compared->compare->runs[run].times;
	const struct memphis_region_times_row *row = find_row(compared, run);
	const size_t event = memphis_region_event_find(times, compared->event);

	return row && event < times->event_count && row->events[event].threads.count
		       ? (double)row->events[event].inclusive_count
		       : NAN;
}

static void put_numbers(struct memphis_text *text, const struct compared *compared, get_number get,
			const char *unit)
{
	const struct memphis_compare *compare = compared->compare;
	struct memphis_compared_numbers numbers = memphis_compared_numbers_make(compare);
	char buffer[MEMPHIS_COUNTER_VALUE_BYTES];
	struct memphis_change change;
	double mean;
	size_t i;

	text->failed |= !numbers.list;
	for (i = 0; numbers.list && i < compare->run_count; i++)
		numbers.list[i] = get(compared, i);
	for (i = 0; numbers.list && i < compare->side_count; i++) {
		mean = memphis_compared_mean(&numbers, i);
		memphis_text_put(text, i ? " -> " : "");
		if (*unit || isnan(mean))
			memphis_text_put(text, memphis_counters_print(buffer, mean, unit));
		else
			memphis_text_print(text, "%.0f", mean);
		change = memphis_compared_change(&numbers, i);
		if (i)
			memphis_compare_put_ratio(text, &change);
	}
	free(numbers.list);
}

static void put_region_path(struct memphis_text *text, const struct memphis_region_times *times,
			    uint32_t number)
{
	if (times->list[number].parent != MEMPHIS_NONE) {
		put_region_path(text, times, times->list[number].parent);
		memphis_text_put(text, " > ");
	}
	memphis_text_put_plain(text, times->list[number].name);
}

static void put_region_text(const struct compared *compared, void *to)
{
	const struct memphis_region_times *times = &compared->compare->runs[compared->run].times;
	struct compared event = *compared;
	struct memphis_text *text = to;
	size_t i;

	memphis_text_put(text, "region: ");
	put_region_path(text, times, compared->at);
	memphis_text_put(text, ": calls: ");
	put_numbers(text, compared, call_count, "");
	memphis_text_put(text, "; time: ");
	put_numbers(text, compared, inclusive_ns, "ns");
	memphis_text_put(text, "; of the longest thread: ");
	put_numbers(text, compared, longest_thread_ns, "ns");
	for (i = 0; i < times->event_count; i++) {
		event.event = times->events[i].name;
		memphis_text_print_plain(text, "; %s: ", event.event);
		put_numbers(text, &event, event_count, "count");
	}
	memphis_text_put(text, "\n");
}

static void put_json_numbers(struct memphis_json *json, const char *key, const struct compared *compared,
			     get_number get)
{
	double number;
	size_t i;

	memphis_json_open(json, key, '[');
	for (i = 0; i < compared->compare->run_count; i++) {
		number = get(compared, i);
		memphis_json_known(json, NULL, !isnan(number), isnan(number) ? 0 : (uint64_t)number);
	}
	memphis_json_close(json, ']');
}

static void put_region_json(const struct compared *compared, void *to)
{
	const struct memphis_region_times *times = &compared->compare->runs[compared->run].times;
	struct compared event = *compared;
	struct memphis_json *json = to;
	size_t i;

	memphis_json_open(json, NULL, '{');
	memphis_json_open(json, "path", '[');
	memphis_put_region_times_path(json, times, compared->at);
	memphis_json_close(json, ']');
	put_json_numbers(json, "calls", compared, call_count);
	put_json_numbers(json, "ns", compared, inclusive_ns);
	put_json_numbers(json, "most_ns", compared, longest_thread_ns);
	if (times->event_count)
		memphis_json_open(json, "events", '[');
	for (i = 0; i < times->event_count; i++) {
		event.event = times->events[i].name;
		memphis_json_open(json, NULL, '{');
		memphis_json_string(json, "name", event.event);
		put_json_numbers(json, "counts", &event, event_count);
		memphis_json_close(json, '}');
	}
	if (times->event_count)
		memphis_json_close(json, ']');
	memphis_json_close(json, '}');
}

/* Calls `put` for at most `top` regions. The regions of the first run come first, then regions that only later runs have. */
static void visit_regions(const struct memphis_compare *compare, size_t top, void *to,
			  void (*put)(const struct compared *compared, void *to))
{
	const struct memphis_region_times *times;
	struct compared compared = {.compare = compare};
	size_t i, earlier, done = 0;

	for (; compared.run < compare->run_count; compared.run++) {
		times = &compare->runs[compared.run].times;
		for (i = 0; i < times->shown_count && (!top || done < top); i++) {
			compared.at = times->shown[i];
			for (earlier = 0; earlier < compared.run && !find_row(&compared, earlier); earlier++)
				;
			if (earlier < compared.run)
				continue;
			put(&compared, to);
			done++;
		}
	}
}

static void put_regions_text(const struct memphis_compare *compare, size_t top, struct memphis_text *text)
{
	visit_regions(compare, top, text, put_region_text);
}

static void put_regions_json(const struct memphis_compare *compare, struct memphis_json *json)
{
	size_t rows = 0, i;

	for (i = 0; i < compare->run_count; i++)
		rows += compare->runs[i].times.shown_count;
	if (!rows)
		return;
	memphis_json_open(json, "regions", '[');
	visit_regions(compare, 0, json, put_region_json);
	memphis_json_close(json, ']');
}

const char *const memphis_compare_pers[MEMPHIS_PERS] = {"run", "second", "operation"};

static void put_percent(struct memphis_text *text, double ratio)
{
	double percent = 100 * (ratio - 1);

	if (isinf(ratio))
		memphis_text_put(text, "any");
	else
		memphis_text_print(text, "%+.1f", fabs(percent) < 0.05 ? 0 : percent);
}

void memphis_compare_put_change(struct memphis_text *text, const struct memphis_change *change)
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

/* If the waiting of any run is known, appends the mean waiting of each side's runs: "; waited 24.8 M -> 2.40 M cycles". */
static void put_waited_cycles(struct memphis_text *text, const struct memphis_compare *compare,
			      const struct memphis_compare_row *row)
{
	struct memphis_compared_numbers numbers = memphis_compared_numbers_make(compare);
	struct memphis_change change;
	bool known = false;
	double mean;
	size_t i;

	text->failed |= !numbers.list;
	for (i = 0; numbers.list && i < compare->run_count; i++) {
		known |= memphis_waits_count(&row->runs[i].waits) > 0;
		numbers.list[i] = memphis_compared_waited(compare, row, i, MEMPHIS_COMPARED_ALL);
	}
	if (known)
		memphis_text_put(text, "; waited ");
	for (i = 0; known && i < compare->side_count; i++) {
		mean = memphis_compared_mean(&numbers, i);
		memphis_text_put(text, i ? " -> " : "");
		if (isnan(mean))
			memphis_text_put(text, "?");
		else
			memphis_put_number(text, mean);
		change = memphis_compared_change(&numbers, i);
		/*
		 * If each side is a single run, there is no interval here. The change of waiting then follows
		 * from the change in samples.
		 */
		if (i && !isnan(change.low))
			memphis_compare_put_ratio(text, &change);
	}
	memphis_text_put(text, known ? " cycles" : "");
	free(numbers.list);
}

void memphis_compare_put_count(struct memphis_text *text, const struct memphis_compare *compare,
			       const struct memphis_compare_row *row, size_t side)
{
	const uint64_t count = memphis_compared_count(compare, row, side);
	const size_t runs = memphis_compared_sampled(compare, side);

	if (!runs)
		memphis_text_put(text, "?");
	else if (compare->sides[side].count == 1)
		memphis_text_print(text, "%" PRIu64, count);
	else
		memphis_text_print(text, "%.1f", (double)count / (double)runs);
}

static void put_counts(struct memphis_text *text, const struct memphis_compare *compare,
		       const struct memphis_compare_row *row)
{
	const uint64_t first = memphis_compared_count(compare, row, 0);
	size_t i;

	memphis_compare_put_count(text, compare, row, 0);
	for (i = 1; i < compare->side_count; i++) {
		memphis_text_put(text, " -> ");
		memphis_compare_put_count(text, compare, row, i);
		if (first || memphis_compared_count(compare, row, i))
			memphis_compare_put_change(text, &row->changes[i]);
	}
	put_waited_cycles(text, compare, row);
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

static double run_seconds(const struct memphis_compared_run *run)
{
	return run->seconds > 0 ? run->seconds : NAN;
}

static double run_operations(const struct memphis_compared_run *run)
{
	return run->operations > 0 ? run->operations : NAN;
}

/* Appends the change of a number from the first run to this one. Appends nothing if a side has several runs. */
static void put_run_change(struct memphis_text *text, const struct memphis_compare *compare, size_t run,
			   double (*get)(const struct memphis_compared_run *run))
{
	const double first = get(&compare->runs[0]), number = get(&compare->runs[run]);
	const struct memphis_change change = memphis_change_of_values(&first, 1, &number, 1);

	if (run && !memphis_compare_knows_noise(compare))
		memphis_compare_put_ratio(text, &change);
}

static void put_run(struct memphis_text *text, const struct memphis_compare *compare, size_t number)
{
	const struct memphis_compared_run *run = &compare->runs[number];

	memphis_text_print_plain(text, "run %zu: %s: %" PRIu64 " samples", number, run->name,
				 compare->all.runs[number].samples.count);
	if (!run->sampled)
		memphis_text_put(text, ", not sampled");
	else if (run->weight > 1)
		memphis_text_print(text, ", each of %.0f accesses", run->weight);
	if (run->seconds > 0) {
		memphis_text_print(text, ", %.3f s", run->seconds);
		put_run_change(text, compare, number, run_seconds);
	}
	if (run->operations > 0) {
		memphis_text_print(text, ", %.4g operations", run->operations);
		put_run_change(text, compare, number, run_operations);
	}
	if (!run->lpi.why_not) {
		memphis_text_put(text, ", ");
		memphis_text_put_digits(text, run->lpi.lpi.value);
		memphis_text_put(text, " cycles of remote latency per op");
	}
	memphis_text_put(text, "\n");
}

static const char *const side_names[2] = {"before", "after"};

/*
 * Appends the mean times of the two sides, of which at least one has several runs: "time in calipers: 4.000 s ->
 * 2.000 s (-50.0 %, ...)". Appends nothing if the change is not known.
 */
static void put_time(struct memphis_text *text, const struct memphis_compare *compare)
{
	struct memphis_compared_numbers numbers = memphis_compared_numbers_make(compare);
	struct memphis_change change;
	size_t i;

	text->failed |= !numbers.list;
	if (!numbers.list)
		return;
	for (i = 0; i < compare->run_count; i++)
		numbers.list[i] = run_seconds(&compare->runs[i]);
	change = memphis_compared_change(&numbers, 1);
	if (!isnan(change.ratio)) {
		memphis_text_print(text, "time in calipers: %.3f s -> %.3f s",
				   memphis_compared_mean(&numbers, 0), memphis_compared_mean(&numbers, 1));
		memphis_compare_put_ratio(text, &change);
		memphis_text_put(text, "\n");
	}
	free(numbers.list);
}

static void put_sides(struct memphis_text *text, const struct memphis_compare *compare)
{
	size_t side, i;

	for (side = 0; side < compare->side_count; side++)
		for (i = 0; i < compare->sides[side].count; i++) {
			if (memphis_compare_knows_noise(compare))
				memphis_text_print(text, "%s, ", side_names[side]);
			put_run(text, compare, compare->sides[side].first + i);
		}
	memphis_text_put(text, "\n");
	if (memphis_compare_knows_noise(compare))
		put_time(text, compare);
}

/*
 * Appends a change to the list of changes that the comparison could not have detected: "all remote-dram
 * between -20.5 % and +25.8 %". Appends nothing if the interval of the change excludes zero.
 */
static void put_undetected_change(struct memphis_text *text, const char *what,
				  const struct memphis_change *change, bool *begun)
{
	const struct memphis_visible visible = memphis_change_visible(change);

	if (!memphis_change_is_open(change))
		return;
	memphis_text_put(text, *begun ? ", of " : "note: this comparison could not have shown changes of ");
	memphis_text_put_plain(text, what);
	*begun = true;
	if (isinf(visible.above))
		memphis_text_print(text, visible.below > 0 ? " above %+.1f %%" : " of any size",
				   100 * (visible.below - 1));
	else
		memphis_text_print(text, " between %+.1f %% and %+.1f %%", 100 * (visible.below - 1),
				   100 * (visible.above - 1));
}

/*
 * Appends a note with the smallest differences that would have exceeded the noise. Smaller differences may
 * exist although none was detected.
 */
static void put_smallest_changes(struct memphis_text *text, const struct memphis_compare *compare,
				 const char *selection)
{
	struct memphis_compared_numbers numbers = memphis_compared_numbers_make(compare);
	struct memphis_text what = {0};
	struct memphis_change change;
	bool begun = false;
	size_t i;

	text->failed |= !numbers.list;
	memphis_text_print(&what, "all %s", selection);
	for (i = 0; numbers.list && i < compare->run_count; i++)
		numbers.list[i] = run_seconds(&compare->runs[i]);
	if (numbers.list && compare->side_count == 2 && what.text) {
		put_undetected_change(text, what.text, &compare->all.changes[1], &begun);
		change = memphis_compared_change(&numbers, 1);
		put_undetected_change(text, "the time in calipers", &change, &begun);
	}
	memphis_text_put(text, begun ? "\n" : "");
	text->failed |= what.failed;
	memphis_text_close(&what);
	free(numbers.list);
}

/*
 * Appends a note if the number of operations differs much. Threads that spin at a barrier execute operations
 * without doing work. The same number of accesses is then smaller per operation.
 */
static void put_spinning(struct memphis_text *text, const struct memphis_compare *compare)
{
	struct memphis_compared_numbers numbers = memphis_compared_numbers_make(compare);
	struct memphis_change change;
	size_t i;

	text->failed |= !numbers.list;
	for (i = 0; numbers.list && i < compare->run_count; i++)
		numbers.list[i] = run_operations(&compare->runs[i]);
	for (i = 1; numbers.list && compare->per == MEMPHIS_PER_OPERATION && i < compare->side_count; i++) {
		change = memphis_compared_change(&numbers, i);
		if (isnan(change.ratio) || (change.ratio < SPINNING && change.ratio > 1 / SPINNING))
			continue;
		memphis_text_print(
			text,
			"note: the runs made %.4g and %.4g operations: threads that spin while they wait make operations without work, and less per operation is then no improvement; compare per run\n",
			memphis_compared_mean(&numbers, 0), memphis_compared_mean(&numbers, i));
		break;
	}
	free(numbers.list);
}

/* Appends a note if one run kept samples that another run dropped. Counts can differ for this reason alone. */
static void put_kept_samples(struct memphis_text *text, const struct memphis_compare *compare)
{
	size_t which, i;

	for (which = 0; which < MEMPHIS_KEPT; which++) {
		if (memphis_compare_kept_alike(compare, which))
			continue;
		memphis_text_print(text, "note: the runs kept different samples: %s ",
				   memphis_kept[which].key);
		for (i = 0; i < compare->run_count; i++) {
			memphis_text_put(text, i ? " -> " : "");
			memphis_text_put_plain(text, memphis_compared_run_kept(&compare->runs[i], which));
		}
		memphis_text_put(text, "; compare only what all of them kept (--select)\n");
	}
}

/* Appends a note about runs without samples. Without the note, such a run would look like a program without remote accesses. */
static void put_unsampled(struct memphis_text *text, const struct memphis_compare *compare)
{
	size_t side, unsampled = 0;

	for (side = 0; side < compare->side_count; side++)
		unsampled += compare->sides[side].count - memphis_compared_sampled(compare, side);
	if (unsampled)
		memphis_text_put(
			text,
			"note: runs that were not sampled are left out of the counts; memphis report tells why nothing was sampled\n");
}

static void put_assumed_weights(struct memphis_text *text, const struct memphis_compare *compare)
{
	if (memphis_compare_assumes_weights(compare))
		memphis_text_put(
			text,
			"note: the period of some runs counts no accesses: their samples are taken to stand for as many as those of the others, so that changes may be wrong by any factor\n");
}

void memphis_compare_put_notes(struct memphis_text *text, const struct memphis_compare *compare,
			       const char *selection)
{
	put_kept_samples(text, compare);
	put_assumed_weights(text, compare);
	put_unsampled(text, compare);
	put_spinning(text, compare);
	put_smallest_changes(text, compare, selection);
	if (memphis_compare_knows_noise(compare))
		memphis_text_print(
			text,
			"note: counts, times and waiting are means of %zu and %zu runs; intervals and noise cover how much these differ\n",
			compare->sides[0].count, compare->sides[1].count);
	else
		memphis_text_put(
			text,
			"note: intervals and noise cover sampling alone; how much runs of one program differ is not known: give several of each (memphis compare A1 A2 A3 -- B1 B2 B3)\n");
}

void memphis_output_compare_text(const struct memphis_compare *compare, const char *selection, size_t top,
				 size_t lines, struct memphis_text *text)
{
	bool weighted = false;
	size_t i;

	put_sides(text, compare);
	for (i = 1; i < compare->side_count; i++)
		weighted |= memphis_compare_weights_differ(compare, i);
	memphis_text_print(text, "all %s, per %s%s: ", selection, memphis_compare_pers[compare->per],
			   weighted ? ", samples, and changes of their accesses" : "");
	put_counts(text, compare, &compare->all);
	memphis_text_put(text, "\n");
	for (i = 0; i < compare->all.count; i++)
		put_node(text, compare, &compare->all.rows[i], top, lines);
	put_regions_text(compare, top, text);
	put_counters_text(compare, text);
	memphis_compare_put_notes(text, compare, selection);
}

static void put_json_counts(struct memphis_json *json, const struct memphis_compare *compare,
			    const struct memphis_compare_row *row)
{
	struct memphis_visible visible;
	struct memphis_estimate cycles;
	size_t i;

	memphis_json_open(json, "waited", '[');
	for (i = 0; i < compare->run_count; i++) {
		cycles = memphis_waited(&compare->runs[i].rows.waiting, &row->runs[i].waits);
		memphis_estimate_json(json, NULL, "cycles",
				      memphis_waits_count(&row->runs[i].waits) ? &cycles : NULL);
	}
	memphis_json_close(json, ']');
	memphis_json_open(json, "counts", '[');
	for (i = 0; i < compare->run_count; i++)
		memphis_json_number(json, NULL, row->runs[i].samples.count);
	memphis_json_close(json, ']');
	memphis_json_open(json, "changes", '[');
	for (i = 1; i < compare->side_count; i++) {
		memphis_json_open(json, NULL, '{');
		memphis_json_real(json, "ratio", row->changes[i].ratio);
		memphis_json_real(json, "ratio_low", row->changes[i].low);
		memphis_json_real(json, "ratio_high", row->changes[i].high);
		memphis_json_real(json, "p", row->changes[i].p);
		memphis_json_bool(json, "noise", row->changes[i].noise);
		visible = memphis_change_visible(&row->changes[i]);
		memphis_json_real(json, "visible_below", visible.below > 0 ? visible.below : NAN);
		memphis_json_real(json, "visible_above", visible.above);
		memphis_json_close(json, '}');
	}
	memphis_json_close(json, ']');
}

static size_t find_side(const struct memphis_compare *compare, size_t run)
{
	size_t side = 0;

	while (run >= compare->sides[side].first + compare->sides[side].count)
		side++;
	return side;
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
	memphis_json_string(&json, "per", memphis_compare_pers[compare->per]);
	memphis_json_open(&json, "runs", '[');
	for (i = 0; i < compare->run_count; i++) {
		memphis_json_open(&json, NULL, '{');
		memphis_json_string(&json, "name", compare->runs[i].name);
		memphis_json_number(&json, "side", find_side(compare, i));
		memphis_json_real(&json, "seconds", compare->runs[i].seconds);
		memphis_json_real(&json, "operations", compare->runs[i].operations);
		memphis_json_real(&json, "accesses_per_sample",
				  compare->runs[i].weight > 0 ? compare->runs[i].weight : NAN);
		memphis_json_bool(&json, "sampled", compare->runs[i].sampled);
		memphis_json_real(&json, "lpi",
				  compare->runs[i].lpi.why_not ? NAN : compare->runs[i].lpi.lpi.value);
		for (j = 0; j < MEMPHIS_KEPT; j++)
			memphis_json_string(&json, memphis_kept[j].key,
					    memphis_compared_run_kept(&compare->runs[i], j));
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
