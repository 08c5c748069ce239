// SPDX-License-Identifier: BSD-3-Clause
/* Writes the estimated waiting as text and as JSON. */
#include "output/section/waiting.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/layout.h"
#include "output/section/parts.h"
#include "read/process_name.h"

#define LABEL "%-13s"

bool memphis_shows_waiting(const struct memphis_report *report)
{
	size_t i;

	for (i = 0; i < report->rows->pair_count; i++)
		if (memphis_waits_count(&report->rows->matrix[i].sum.waits))
			return true;
	return false;
}

void memphis_put_number(struct memphis_text *text, double value)
{
	struct memphis_text number = {0};

	memphis_text_put_large(&number, (uint64_t)(value + 0.5), NULL, "");
	/* Numbers without a prefix end with a space. */
	while (number.bytes && number.text[number.bytes - 1] == ' ')
		number.bytes--;
	if (number.bytes)
		memphis_text_add(text, number.text, number.bytes);
	text->failed |= number.failed;
	memphis_text_close(&number);
}

void memphis_put_cycles(struct memphis_text *text, const struct memphis_estimate *cycles)
{
	memphis_put_number(text, cycles->value);
	memphis_text_put(text, " cycles (95 % CI ");
	memphis_put_number(text, cycles->low);
	memphis_text_put(text, " to ");
	memphis_put_number(text, cycles->high);
	memphis_text_put(text, ")");
}

static double percent(double part, double whole)
{
	return whole > 0 ? 100 * part / whole : 0;
}

/* Appends the sources of data, the one with the longest waiting first: "remote-dram 62 %, l3 38 %". */
static void put_sources(struct memphis_text *text, const struct memphis_waits *waits, double whole)
{
	bool seen[MEMPHIS_WAIT_SOURCES] = {false};
	size_t most, i;
	const char *separator = "";

	for (;;) {
		most = MEMPHIS_WAIT_SOURCES;
		for (i = 0; i < MEMPHIS_WAIT_SOURCES; i++)
			if (!seen[i] && waits->sources[i].count &&
			    (most == MEMPHIS_WAIT_SOURCES ||
			     waits->sources[i].cycles > waits->sources[most].cycles))
				most = i;
		if (most == MEMPHIS_WAIT_SOURCES)
			return;
		seen[most] = true;
		memphis_text_print(text, "%s%s %.1f %%", separator, memphis_wait_source_names[most],
				   percent(waits->sources[most].cycles, whole));
		separator = ", ";
	}
}

/*
 * Texts of the verdict, indexed by enum memphis_worth: the statement, and how lpi (latency per instruction)
 * compares with the rule of thumb.
 */
static const struct {
	const char *words, *compared;
} verdicts[] = {
	[MEMPHIS_WORTH_UNDECIDED] = {"undecided", "which may be above or below"},
	[MEMPHIS_WORTH_NO] = {"placing memory better is not worth it", "below"},
	[MEMPHIS_WORTH_LITTLE] = {"placing memory better is not worth it", NULL},
	[MEMPHIS_WORTH_YES] = {"placing memory better is worth it", "above"},
};

static void put_lpi(struct memphis_text *text, const struct memphis_estimate *lpi)
{
	memphis_text_put_digits(text, lpi->value);
	memphis_text_put(text, " cycles of remote latency per op (95 % CI ");
	memphis_text_put_digits(text, lpi->low);
	memphis_text_put(text, isinf(lpi->high) ? " or more" : " to ");
	if (!isinf(lpi->high))
		memphis_text_put_digits(text, lpi->high);
	memphis_text_put(text, ")");
}

/*
 * Appends the thread with the most latency if it has most of the total latency, or if it is the only thread
 * that is worth optimising.
 */
static void put_most_waiting(const struct memphis_report *report, struct memphis_text *text)
{
	const struct memphis_lpi *verdict = &report->lpi;
	const struct memphis_lpi_thread *most = &verdict->most;
	const bool alone = memphis_lpi_is_alone(verdict);
	const struct memphis_process *process;

	if (most->thread == MEMPHIS_NONE || !most->named)
		return;
	process = &report->profile->processes.list[most->process];
	memphis_text_print(text, "; %sthread %" PRIu32, alone ? "but it is if the others wait for " : "",
			   process->threads[most->thread].tid);
	if (report->profile->processes.count > 1) {
		memphis_text_put(text, " of ");
		memphis_process_name(text, process);
	}
	memphis_text_print(text, "%s has %.0f %% of them", alone ? ", which" : "", 100 * most->share);
	if (alone) {
		memphis_text_put(text, ", ");
		put_lpi(text, &most->lpi);
	}
}

void memphis_put_verdict(const struct memphis_report *report, struct memphis_text *text)
{
	const struct memphis_lpi *verdict = &report->lpi;

	if (verdict->worth == MEMPHIS_WORTH_NOT_GIVEN) {
		memphis_text_print(text, "not known: %s\n", memphis_wait_obstacle_texts[verdict->why_not]);
		return;
	}
	memphis_text_print(text, "%s: ",
			   memphis_lpi_is_sharing(verdict)
				   ? "sharing less data between nodes is worth it, more than placing memory"
				   : verdicts[verdict->worth].words);
	if (verdict->worth == MEMPHIS_WORTH_LITTLE)
		memphis_text_print(text, "it would save less than %.0f %% of the waiting",
				   100 * MEMPHIS_LPI_LITTLE);
	else
		put_lpi(text, &verdict->lpi);
	if (verdicts[verdict->worth].compared)
		memphis_text_print(text, ", %s the limit of %.1f", verdicts[verdict->worth].compared,
				   MEMPHIS_LPI_WORTH);
	if (memphis_lpi_is_sharing(verdict))
		memphis_text_print(text, "; %.0f %% of them for data in caches of other nodes",
				   100 * verdict->caches);
	put_most_waiting(report, text);
	memphis_text_put(text, "\n");
}

/* Marks the threads that opened any of the shown regions. The index in has_times is the thread's number in the profile. */
static void mark_threads_with_times(const struct memphis_region_times *times, bool *has_times)
{
	const struct memphis_row_threads *threads;
	size_t i, j;

	for (i = 0; i < times->shown_count; i++) {
		threads = &times->list[times->shown[i]].threads;
		for (j = 0; j < threads->count; j++)
			has_times[threads->list[j].thread] = true;
	}
}

/*
 * Returns true if each thread that waited has opened a caliper. Cycles are counted only in threads with
 * calipers. Threads without calipers are also sampled while another thread has an open caliper.
 */
static bool all_have_times(const struct memphis_report *report)
{
	const struct memphis_processes *processes = &report->profile->processes;
	const struct memphis_waiting_parts *threads = &report->rows->waiting.threads;
	size_t *first = calloc(processes->count + 1, sizeof(*first)), i;
	bool *has_times, all;

	if (!first)
		return false;
	for (i = 0; i < processes->count; i++)
		first[i + 1] = first[i] + processes->list[i].thread_count;
	has_times = calloc(first[processes->count] + 1, sizeof(*has_times));
	all = has_times != NULL;
	if (all)
		mark_threads_with_times(&report->region_times, has_times);
	for (i = 0; all && i < threads->count; i++)
		all = has_times[first[threads->list[i].process] + threads->list[i].thread];
	free(has_times);
	free(first);
	return all;
}

/* Returns the cycles that all threads spent in calipers. These include the waiting. Returns 0 if they are not known. */
static uint64_t cycles_in_calipers(const struct memphis_report *report)
{
	return report->selection->node < 0 && all_have_times(report)
		       ? memphis_region_times_cycles(&report->region_times)
		       : 0;
}

struct memphis_whole memphis_whole_of(const struct memphis_report *report)
{
	const struct memphis_waiting *waiting = &report->rows->waiting;
	const uint64_t cycles = cycles_in_calipers(report);

	if (cycles)
		return (struct memphis_whole){(double)cycles,
					      report->selection->region ? "the threads' time in this region"
									: "the threads' time in calipers",
					      "could save at most, of the time"};
	return (struct memphis_whole){waiting->why_not ? 0 : memphis_waited(waiting, &waiting->all).value,
				      "all waiting for data from beyond the L2",
				      "could save at most, of the waiting"};
}

static void put_share_of_time(const struct memphis_report *report, struct memphis_text *text,
			      const struct memphis_estimate *gain)
{
	const uint64_t cycles = cycles_in_calipers(report);
	const double percent = cycles ? 100 / (double)cycles : 0;

	if (cycles)
		memphis_text_print(text, ": %.1f %% of the threads' cycles in calipers (%.1f to %.1f)",
				   gain->value * percent, gain->low * percent, gain->high * percent);
}

static void put_gain(const struct memphis_report *report, struct memphis_text *text)
{
	const struct memphis_waiting *waiting = &report->rows->waiting;
	const struct memphis_estimate gain = memphis_gain(waiting, &waiting->all);

	memphis_text_print(text, LABEL, "could gain:");
	if (!memphis_gain_is_known(&waiting->all)) {
		memphis_text_print(
			text, "not known: fewer than %d loads from local DRAM were sampled%s\n",
			MEMPHIS_LOCAL_SAMPLES,
			waiting->measured
				? ", and the latency between these nodes was not measured"
				: "; memphis node --measure measures their latency (--node-baseline)");
		return;
	}
	memphis_text_put(text, "at most ");
	memphis_put_cycles(text, &gain);
	memphis_text_put(text, " if remote DRAM were local");
	put_share_of_time(report, text, &gain);
	if (waiting->all.measured)
		memphis_text_print_plain(text, ", by the latencies that memphis node measured on %s",
					 report->weights.matrices->host);
	memphis_text_put(text, "\n");
}

void memphis_put_waiting(const struct memphis_report *report, struct memphis_text *text)
{
	const struct memphis_waiting *waiting = &report->rows->waiting;
	struct memphis_estimate cycles;

	memphis_text_print(text, LABEL, "waiting:");
	if (waiting->why_not) {
		memphis_text_print(text, "not estimated: %s\n",
				   memphis_wait_obstacle_texts[waiting->why_not]);
		return;
	}
	cycles = memphis_waited(waiting, &waiting->all);
	memphis_put_cycles(text, &cycles);
	memphis_text_put(text, " beyond the L2: ");
	put_sources(text, &waiting->all, cycles.value);
	memphis_text_put(text, "\n");
	if (waiting->all.sources[MEMPHIS_WAIT_REMOTE_DRAM].count)
		put_gain(report, text);
	memphis_text_print(text, LABEL, "verdict:");
	memphis_put_verdict(report, text);
}

static void put_cycles_cell(struct memphis_text *text, const struct memphis_estimate *cycles, int width)
{
	struct memphis_text cell = {0};

	if (cycles)
		memphis_put_number(&cell, cycles->value);
	else
		memphis_text_put(&cell, "-");
	memphis_layout_put_number(text, &cell, width);
}

void memphis_put_waited(const struct memphis_report *report, struct memphis_text *text,
			const struct memphis_waits *waits, int width)
{
	const struct memphis_estimate cycles = memphis_waited(&report->rows->waiting, waits);

	put_cycles_cell(text, memphis_waits_count(waits) ? &cycles : NULL, width);
}

void memphis_put_waiting_table(const struct memphis_report *report, struct memphis_text *text)
{
	const struct memphis_waiting *waiting = &report->rows->waiting;
	const struct memphis_estimate all = memphis_waited(waiting, &waiting->all);
	struct memphis_estimate cycles;
	struct memphis_text interval = {0};
	const struct memphis_wait *wait;
	size_t i;

	if (waiting->why_not)
		return;
	memphis_layout_put_head(text, "WAITING BEYOND THE L2");
	memphis_text_print(text, "%9s %8s %9s %20s %8s  %s\n", "samples", "mean", "cycles", "95 % CI",
			   "share", "data from");
	for (i = 0; i < MEMPHIS_WAIT_SOURCES; i++) {
		wait = &waiting->all.sources[i];
		if (!wait->count)
			continue;
		cycles = memphis_waited_for(waiting, &waiting->all, i);
		memphis_text_print(text, "%9" PRIu64 " %8.0f", wait->count,
				   (double)wait->latency_cycles / (double)wait->count);
		put_cycles_cell(text, &cycles, 9);
		memphis_put_number(&interval, cycles.low);
		memphis_text_put(&interval, " to ");
		memphis_put_number(&interval, cycles.high);
		memphis_layout_put_number(text, &interval, 20);
		memphis_text_print(text, " %6.1f %%  %s\n", percent(cycles.value, all.value),
				   memphis_wait_source_names[i]);
	}
	memphis_text_put(text, "\n");
}

/* Descriptions of what the latency in samples contains and what it does not. */
static const char *const ibs_words =
	"latencies from the miss in the L1 to the data (IBS) of sampled loads beyond the L2, each times the number that a sample stands for; not in it: stores, prefetches, loads from the L1 and L2";
static const char *const pebs_words =
	"latencies from dispatch to the data (PEBS) of sampled loads beyond the L2, each times the number that a sample stands for; not in it: stores, prefetches, loads from the L1 and L2, and loads that the CPU did not pick for this event, so that the true sum may be larger";
static const char *const other_words =
	"latencies of sampled loads beyond the L2, each times the number that a sample stands for; not in it: stores, loads from the L1 and L2";

/*
 * Settings because of which some loads were not sampled: the key, the value without effect, and the loads
 * that the estimate lacks.
 */
static const struct {
	const char *key, *unset, *words;
} filters[] = {
	{"drop", "none", "accesses that the filter drops"},
	{"min_latency", "0", "loads faster than the least latency"},
	{"hardware_filter", "none", "loads that the hardware's filter drops"},
};

static bool has_filter(const struct memphis_report *report, size_t filter)
{
	const struct memphis_processes *processes = &report->profile->processes;
	const char *value;
	size_t i;

	for (i = 0; i < processes->count; i++) {
		value = memphis_setting(&processes->list[i].settings, filters[filter].key);
		if (memphis_selection_has(report->selection, &processes->list[i]) && value &&
		    strcmp(value, filters[filter].unset) != 0)
			return true;
	}
	return false;
}

/* Appends the text of the line, without its label. */
static void put_contents(const struct memphis_report *report, struct memphis_text *text)
{
	const struct memphis_waiting *waiting = &report->rows->waiting;
	size_t i;

	memphis_text_put(text, waiting->ibs == waiting->pebs ? other_words
			       : waiting->ibs                ? ibs_words
							     : pebs_words);
	for (i = 0; i < sizeof(filters) / sizeof(*filters); i++)
		if (has_filter(report, i))
			memphis_text_print(text, ", %s", filters[i].words);
	if (report->lpi.lost > 0)
		memphis_text_print(text, ", lost samples (%.2g %% of those that passed the filters)",
				   100 * report->lpi.lost);
	memphis_text_put(text, "; loads that wait at the same time are added up");
	if (waiting->all.measured)
		memphis_text_print_plain(
			text,
			"; the gain of %.3g %% of the samples of remote DRAM is their latency times the part that local memory takes less, as measured on %s (%s) without other load",
			100 * (double)waiting->all.measured /
				(double)waiting->all.sources[MEMPHIS_WAIT_REMOTE_DRAM].count,
			report->weights.matrices->host, report->weights.path);
	if (waiting->most > 1)
		memphis_text_print(
			text,
			"; the kernel's return from the interrupt is part of each period: the estimates may be %.2g %% off, which the intervals allow for",
			100 * (waiting->most - 1));
}

void memphis_put_waiting_contents(const struct memphis_report *report, struct memphis_text *text)
{
	if (report->rows->waiting.why_not)
		return;
	memphis_text_put(text, "waiting: ");
	put_contents(report, text);
	memphis_text_put(text, "\n");
}

void memphis_estimate_json(struct memphis_json *json, const char *key, const char *unit,
			   const struct memphis_estimate *estimate)
{
	if (!estimate) {
		memphis_json_null(json, key);
		return;
	}
	memphis_json_open(json, key, '{');
	memphis_json_real(json, unit, estimate->value);
	memphis_json_real(json, "low", estimate->low);
	memphis_json_real(json, "high", estimate->high);
	memphis_json_close(json, '}');
}

static void put_sources_json(struct memphis_json *json, const struct memphis_waiting *waiting,
			     const struct memphis_waits *waits)
{
	struct memphis_estimate cycles;
	size_t i;

	memphis_json_open(json, "sources", '[');
	for (i = 0; i < MEMPHIS_WAIT_SOURCES; i++) {
		if (!waits->sources[i].count)
			continue;
		cycles = memphis_waited_for(waiting, waits, i);
		memphis_json_open(json, NULL, '{');
		memphis_json_string(json, "source", memphis_wait_source_names[i]);
		memphis_json_number(json, "samples", waits->sources[i].count);
		memphis_json_number(json, "latency_cycles", waits->sources[i].latency_cycles);
		memphis_estimate_json(json, "waited", "cycles", &cycles);
		memphis_json_close(json, '}');
	}
	memphis_json_close(json, ']');
}

/* Writes the waiting into the open JSON object. */
static void put_waits_json(struct memphis_json *json, const struct memphis_waiting *waiting,
			   const struct memphis_waits *waits)
{
	const struct memphis_estimate cycles = memphis_waited(waiting, waits),
				      gain = memphis_gain(waiting, waits);

	memphis_estimate_json(json, "waited", "cycles", &cycles);
	memphis_estimate_json(json, "gain", "cycles", memphis_gain_is_known(waits) ? &gain : NULL);
	put_sources_json(json, waiting, waits);
}

void memphis_waits_json(struct memphis_json *json, const struct memphis_report *report,
			const struct memphis_waits *waits)
{
	if (!memphis_waits_count(waits)) {
		memphis_json_null(json, "waiting");
		return;
	}
	memphis_json_open(json, "waiting", '{');
	put_waits_json(json, &report->rows->waiting, waits);
	memphis_json_close(json, '}');
}

static void put_parts_json(struct memphis_json *json, const struct memphis_report *report, const char *key,
			   const struct memphis_waiting_parts *parts, bool threads)
{
	const struct memphis_waiting_part *part;
	const struct memphis_process *process;
	size_t i;

	memphis_json_open(json, key, '[');
	for (i = 0; i < parts->count; i++) {
		part = &parts->list[i];
		if (threads && !memphis_job_details(report->job, part->process))
			continue;
		process = &report->profile->processes.list[part->process];
		memphis_json_open(json, NULL, '{');
		if (threads) {
			memphis_json_number(json, "process", part->process);
			memphis_json_number(json, "pid", process->pid);
			memphis_json_number(json, "tid", process->threads[part->thread].tid);
		} else {
			memphis_json_node(json, "node", part->node);
			memphis_json_node(json, "home", part->home);
		}
		put_waits_json(json, &report->rows->waiting, &part->waits);
		memphis_json_close(json, '}');
	}
	memphis_json_close(json, ']');
}

/* Writes the thread with the most remote latency as an object, or null if there is none. */
static void put_most_waiting_json(struct memphis_json *json, const struct memphis_report *report)
{
	const struct memphis_lpi_thread *most = &report->lpi.most;
	const struct memphis_process *process;

	if (most->thread == MEMPHIS_NONE) {
		memphis_json_null(json, "most");
		return;
	}
	process = &report->profile->processes.list[most->process];
	memphis_json_open(json, "most", '{');
	memphis_json_number(json, "pid", process->pid);
	memphis_json_number(json, "tid", process->threads[most->thread].tid);
	memphis_json_real(json, "share", most->share);
	memphis_json_bool(json, "named", most->named);
	memphis_json_string(json, "worth", memphis_worth_names[most->worth]);
	memphis_json_real(json, "lpi", most->lpi.value);
	memphis_json_real(json, "lpi_low", most->lpi.low);
	memphis_json_real(json, "lpi_high", most->lpi.high);
	memphis_json_close(json, '}');
}

static void put_verdict_json(struct memphis_json *json, const struct memphis_report *report)
{
	const struct memphis_lpi *verdict = &report->lpi;

	memphis_json_open(json, "verdict", '{');
	memphis_json_string(json, "worth", memphis_worth_names[verdict->worth]);
	memphis_json_string(json, "why_not", memphis_wait_obstacle_texts[verdict->why_not]);
	if (verdict->why_not) {
		memphis_json_null(json, "lpi");
	} else {
		memphis_json_real(json, "lpi", verdict->lpi.value);
		memphis_json_real(json, "lpi_low", verdict->lpi.low);
		memphis_json_real(json, "lpi_high", verdict->lpi.high);
		memphis_json_real(json, "remote_cache_share", verdict->caches);
		memphis_json_real(json, "ops", verdict->ops);
		if (verdict->saved >= 0)
			memphis_json_real(json, "saved_high", verdict->saved);
		else
			memphis_json_null(json, "saved_high");
		put_most_waiting_json(json, report);
	}
	memphis_json_close(json, '}');
}

/*
 * Returns the name of the source of the local latency on which the estimated gain is based. Returns NULL if
 * the gain is not known.
 */
static const char *local_latency_source(const struct memphis_waits *waits)
{
	if (!memphis_gain_is_known(waits))
		return NULL;
	if (!waits->measured)
		return "sampled";
	return waits->measured == waits->gain.count ? "measured" : "sampled,measured";
}

void memphis_waiting_json(struct memphis_json *json, const struct memphis_report *report)
{
	const struct memphis_waiting *waiting = &report->rows->waiting;
	const uint64_t cycles = cycles_in_calipers(report);
	struct memphis_text contents = {0};

	put_contents(report, &contents);
	memphis_json_open(json, "waiting", '{');
	memphis_json_string(json, "why_not", memphis_wait_obstacle_texts[waiting->why_not]);
	memphis_json_string(json, "contains", waiting->why_not || contents.failed ? NULL : contents.text);
	memphis_json_real(json, "lost_share", report->lpi.lost);
	put_waits_json(json, waiting, &waiting->all);
	memphis_json_string(json, "local_latency", local_latency_source(&waiting->all));
	if (cycles)
		memphis_json_number(json, "cycles_in_calipers", cycles);
	else
		memphis_json_null(json, "cycles_in_calipers");
	put_parts_json(json, report, "threads", &waiting->threads, true);
	put_parts_json(json, report, "pairs", &waiting->pairs, false);
	put_verdict_json(json, report);
	memphis_json_close(json, '}');
	memphis_text_close(&contents);
}
