// SPDX-License-Identifier: BSD-3-Clause
/* The text format: first the run, findings and tables, then accounting and notes. */
#include "output/output.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/layout.h"
#include "output/section/parts.h"
#include "output/section/waiting.h"
#include "view/distinct.h"
#include "read/thread.h"

#define VALUES_NAMED 3 /* maximum number of values shown for a setting that differs between processes */
#define LABEL        "%-13s"
#define LABEL_WIDTH  13
#define HANGING      4 /* indentation of continuation lines of accounting and notes */
#define THREADS      3 /* maximum number of threads with unbalanced accounting that are listed */

/* Appends "1 process" or "3 processes". */
static void put_count(struct memphis_text *text, size_t count, const char *one, const char *several)
{
	memphis_text_print(text, "%zu %s", count, count == 1 ? one : several);
}

/* The distinct values of a setting in the selected processes. */
struct values {
	struct memphis_distinct *list;
	size_t count;
};

static struct values list_values(const struct memphis_report *report, struct memphis_text *text,
				 const char *key)
{
	struct values values;

	text->failed |= memphis_distinct_list(&values.list, &values.count, &report->profile->processes,
					      report->selection, key) != 0;
	return values;
}

/* Appends the first few values: "n01, n02, n03, ...". Appends nothing if no process has the setting. */
static void put_values(struct memphis_text *text, const struct values *values, const char *separator)
{
	size_t i;

	for (i = 0; i < values->count && i < VALUES_NAMED; i++)
		memphis_text_print_plain(text, "%s%s", i ? separator : "", values->list[i].text);
	if (values->count > VALUES_NAMED)
		memphis_text_print(text, "%s...", separator);
}

/* If any process has the setting, appends `before`, the values and `after`, and returns true. Otherwise, returns false. */
static bool put_setting(const struct memphis_report *report, struct memphis_text *text, const char *key,
			const char *before, const char *after)
{
	struct values values = list_values(report, text, key);
	const bool known = values.count > 0;

	if (known) {
		memphis_text_put(text, before);
		put_values(text, &values, " or ");
		memphis_text_put(text, after);
	}
	free(values.list);
	return known;
}

void memphis_put_commands(const struct memphis_report *report, struct memphis_text *text)
{
	struct values commands = list_values(report, text, "command");

	put_values(text, &commands, "; ");
	free(commands.list);
}

/* Appends a line of the header with the label and the text that `put` appends. Appends nothing if this text is empty. */
static void put_labelled_line(const struct memphis_report *report, struct memphis_text *text,
			      const char *label,
			      void (*put)(const struct memphis_report *report, struct memphis_text *text))
{
	struct memphis_text words = {0};

	put(report, &words);
	if (words.bytes)
		memphis_text_print(text, LABEL "%s\n", label, words.text);
	text->failed |= words.failed;
	memphis_text_close(&words);
}

/*
 * Returns the number of ranks of the job. If processes have different numbers, returns the largest one.
 * Returns 0 if it is not known.
 */
static uint64_t job_size(const struct values *values)
{
	uint64_t most = 0, number;
	size_t i;

	for (i = 0; i < values->count; i++) {
		number = strtoull(values->list[i].text, NULL, 10);
		most = number > most && number <= MEMPHIS_RANKS_MAX ? number : most;
	}
	return most;
}

static void put_ranks(const struct memphis_report *report, struct memphis_text *text)
{
	struct values ranks = list_values(report, text, "rank"), started = list_values(report, text, "ranks");
	const uint64_t of = job_size(&started);

	if (ranks.count) {
		put_count(text, ranks.count, "rank", "ranks");
		if (of > ranks.count)
			memphis_text_print(text, " of %" PRIu64, of);
		memphis_text_put(text, ", ");
	}
	free(ranks.list);
	free(started.list);
}

void memphis_put_run(const struct memphis_report *report, struct memphis_text *text)
{
	const struct memphis_processes *processes = &report->profile->processes;
	struct values hosts = list_values(report, text, "host");
	size_t wanted = 0, threads = 0, i;

	for (i = 0; i < processes->count; i++) {
		if (!memphis_selection_has(report->selection, &processes->list[i]))
			continue;
		wanted++;
		threads += memphis_process_threads(&processes->list[i]);
	}
	put_ranks(report, text);
	put_count(text, wanted, "process", "processes");
	if (wanted < processes->count)
		memphis_text_print(text, " of %zu", processes->count);
	memphis_text_put(text, ", ");
	put_count(text, threads, "thread", "threads");
	if (hosts.count) {
		memphis_text_put(text, ", ");
		put_count(text, hosts.count, "host", "hosts");
		memphis_text_put(text, " (");
		put_values(text, &hosts, ", ");
		memphis_text_put(text, ")");
	}
	free(hosts.list);
}

/* Descriptions of the values of settings. Other values are printed unchanged. */
static const struct meaning {
	const char *key, *value, *words;
} meanings[] = {
	{"hardware", "ibs", "AMD IBS"},
	{"hardware", "pebs", "Intel PEBS"},
	{"hardware_filter", "l3-miss", "L3 misses only (by the hardware)"},
	{"hardware_filter", "latency", "slow L3 misses only (by the hardware)"},
	{"mode", "caliper", "inside calipers"},
	{"mode", "program", "from start to end"},
	{"mode", "attached", "attached while running"},
};

static void put_meaning(const struct memphis_report *report, struct memphis_text *text, const char *key,
			const char *before)
{
	struct values values = list_values(report, text, key);
	size_t i, j;

	for (i = 0; i < values.count; i++)
		for (j = 0; j < sizeof(meanings) / sizeof(*meanings); j++)
			if (!strcmp(meanings[j].key, key) && !strcmp(meanings[j].value, values.list[i].text))
				values.list[i].text = meanings[j].words;
	memphis_text_put(text, values.count ? before : "");
	put_values(text, &values, " or ");
	free(values.list);
}

static bool has_other_value(const struct memphis_report *report, struct memphis_text *text, const char *key,
			    const char *unset)
{
	struct values values = list_values(report, text, key);
	const bool set = values.count > 1 || (values.count && strcmp(values.list[0].text, unset) != 0);

	free(values.list);
	return set;
}

void memphis_put_sampling(const struct memphis_report *report, struct memphis_text *text)
{
	struct memphis_text line = {0};

	put_meaning(report, &line, "hardware", ", ");
	put_setting(report, &line, "backend", ", backend ", "");
	if (has_other_value(report, &line, "hardware", "ibs"))
		put_setting(report, &line, "event", ", event ", "");
	if (put_setting(report, &line, "period", ", period ", ""))
		put_setting(report, &line, "count", " ", "");
	put_meaning(report, &line, "mode", ", ");
	if (line.bytes)
		/* Skip the leading comma. */
		memphis_text_put(text, line.text + 2);
	text->failed |= line.failed;
	memphis_text_close(&line);
}

/* Appends the filters that were active during the recording. */
static void put_filters(const struct memphis_report *report, struct memphis_text *text)
{
	const bool drop = has_other_value(report, text, "drop", "none");
	const bool latency = has_other_value(report, text, "min_latency", "0");
	const bool hardware = has_other_value(report, text, "hardware_filter", "none");

	if (!drop && !latency && !hardware)
		return;
	memphis_text_print(text, LABEL, "filters:");
	if (hardware)
		put_meaning(report, text, "hardware_filter", "");
	if (drop)
		put_setting(report, text, "drop", hardware ? ", without " : "without ", "");
	if (latency)
		put_setting(report, text, "min_latency", hardware || drop ? ", at least " : "at least ",
			    " cycles");
	memphis_text_put(text, "\n");
}

static bool has_latency(const struct memphis_rows *rows)
{
	size_t i;

	for (i = 0; i < rows->pair_count; i++)
		if (rows->matrix[i].sum.measure.latency_cycles)
			return true;
	return false;
}

static void put_selection(const struct memphis_report *report, struct memphis_text *text)
{
	const struct memphis_select_kind *kind = report->selection->kind;

	memphis_text_print(text, LABEL "%" PRIu64 " of %" PRIu64 " samples: %s (%s)",
			   "selected:", report->rows->selected, report->accounting.written, kind->name,
			   kind->help);
	memphis_put_selection(text, report->selection);
	if (report->view->sort == MEMPHIS_SORT_LATENCY && report->rows->selected &&
	    !has_latency(report->rows))
		memphis_text_print(
			text,
			LABEL
			"by samples, because no selected sample has a latency (stores, and events of loads by source, have none)\n",
			"sorted:");
}

/* Returns true if selections of this kind include all loads from remote DRAM. */
static bool selects_all_remote_dram(const struct memphis_select_kind *kind)
{
	const uint16_t flags = MEMPHIS_FLAG_LOAD | MEMPHIS_FLAG_REMOTE;

	return (!kind->sources || kind->sources >> MEMPHIS_SOURCE_DRAM & 1) && !kind->away &&
	       (flags & kind->flags) == kind->flags_set && !(kind->flags & ~flags);
}

static bool is_from_dram(const struct memphis_access *access)
{
	return access->source == MEMPHIS_SOURCE_DRAM && access->flags & MEMPHIS_FLAG_LOAD;
}

/* Returns true if only loads from one source were sampled, because the event samples only this source. */
static bool samples_one_source(const struct memphis_report *report, struct memphis_text *text)
{
	return has_other_value(report, text, "hardware", "ibs") &&
	       has_other_value(report, text, "event", "load-latency");
}

static void put_share_of_dram(struct memphis_text *text, uint64_t remote, uint64_t dram)
{
	const struct memphis_share share = memphis_share_of(remote, dram);

	memphis_text_print(
		text, "%.1f %% of the loads from DRAM (95 %% CI %.1f to %.1f; %" PRIu64 " of %" PRIu64 ")",
		100 * share.share, 100 * share.low, 100 * share.high, remote, dram);
}

/*
 * Appends the share of remote DRAM in the loads from DRAM that have a latency. For regions and nodes, only
 * these loads are summed up.
 */
static void put_remote_share_of_part(const struct memphis_report *report, struct memphis_text *text)
{
	const struct memphis_waiting *waiting = &report->rows->waiting;
	const uint64_t remote = waiting->all.sources[MEMPHIS_WAIT_REMOTE_DRAM].count,
		       dram = remote + waiting->all.sources[MEMPHIS_WAIT_LOCAL_DRAM].count;

	if (waiting->why_not || !dram || samples_one_source(report, text))
		memphis_text_put(text, "not counted by this selection");
	else
		put_share_of_dram(text, remote, dram);
	memphis_text_put(text, "\n");
}

/* Counts the selected loads from any DRAM and from remote DRAM. */
static void count_from_dram(const struct memphis_report *report, uint64_t *remote, uint64_t *dram)
{
	const struct memphis_totals *totals = &report->profile->totals;
	size_t i;

	*remote = 0;
	*dram = 0;
	for (i = 0; i < totals->count; i++) {
		if (!is_from_dram(&totals->list[i].access) ||
		    !memphis_selection_has(report->selection,
					   &report->profile->processes.list[totals->list[i].process]))
			continue;
		*dram += totals->list[i].measure.count;
		if (totals->list[i].access.flags & MEMPHIS_FLAG_REMOTE)
			*remote += totals->list[i].measure.count;
	}
}

/*
 * If the selection includes all loads from remote DRAM, appends their share in the loads from DRAM, and their
 * share in all samples except those of the library.
 */
static void put_remote_share(const struct memphis_report *report, struct memphis_text *text)
{
	const uint64_t samples = report->accounting.written - report->accounting.own;
	uint64_t remote, dram;
	bool by_source;

	memphis_text_print(text, LABEL, "remote DRAM:");
	if (!selects_all_remote_dram(report->selection->kind)) {
		memphis_text_put(text, "not counted by this selection\n");
		return;
	}
	if (report->selection->node >= 0 || report->selection->region) {
		put_remote_share_of_part(report, text);
		return;
	}
	count_from_dram(report, &remote, &dram);
	/* If loads from only one source were sampled, their share in the loads from all sources is not known. */
	by_source = dram && !samples_one_source(report, text);
	if (by_source) {
		put_share_of_dram(text, remote, dram);
		memphis_text_put(text, ", ");
	}
	memphis_text_print(text, "%.1f %% of the samples",
			   samples ? 100.0 * (double)remote / (double)samples : 0.0);
	if (!by_source)
		memphis_text_print(text, " (%" PRIu64 " of %" PRIu64 ")", remote, samples);
	/* These selections say little about the share of remote DRAM in all accesses. */
	if (has_other_value(report, text, "hardware_filter", "none"))
		memphis_text_put(text, ", which are L3 misses only");
	else if (samples_one_source(report, text))
		put_setting(report, text, "event", ", which are loads of ", " only");
	memphis_text_put(text, "\n");
}

bool memphis_remote_share(const struct memphis_report *report, struct memphis_text *text,
			  struct memphis_share *share)
{
	const struct memphis_waiting *waiting = &report->rows->waiting;
	uint64_t remote, dram;

	if (!selects_all_remote_dram(report->selection->kind) || samples_one_source(report, text))
		return false;
	if (report->selection->node >= 0 || report->selection->region) {
		remote = waiting->all.sources[MEMPHIS_WAIT_REMOTE_DRAM].count;
		dram = remote + waiting->all.sources[MEMPHIS_WAIT_LOCAL_DRAM].count;
		if (waiting->why_not)
			return false;
	} else {
		count_from_dram(report, &remote, &dram);
	}
	*share = memphis_share_of(remote, dram);
	return dram != 0;
}

static void put_warning(const struct memphis_report *report, struct memphis_text *text)
{
	if (report->accounting.unbalanced)
		memphis_text_print(
			text, LABEL "the books do not balance: do not trust this report (see ACCOUNTING)\n",
			"WARNING:");
}

static void put_header(const struct memphis_report *report, struct memphis_text *text)
{
	struct memphis_text lines = {0};

	put_labelled_line(report, &lines, "command:", memphis_put_commands);
	put_labelled_line(report, &lines, "run:", memphis_put_run);
	put_labelled_line(report, &lines, "sampled:", memphis_put_sampling);
	put_filters(report, &lines);
	put_selection(report, &lines);
	put_remote_share(report, &lines);
	memphis_put_waiting(report, &lines);
	memphis_output_limits_line(report, &lines);
	put_warning(report, &lines);
	memphis_layout_wrap(text, &lines, LABEL_WIDTH);
	memphis_text_close(&lines);
	memphis_text_put(text, "\n");
}

static void put_accounting(const struct memphis_report *report, struct memphis_text *text)
{
	struct memphis_text lines = {.color = text->color};

	memphis_layout_put_head(text, "ACCOUNTING");
	memphis_put_attribution(report, &lines);
	memphis_put_types(report, &lines);
	memphis_put_callers(report, &lines);
	memphis_put_own(report, &lines);
	memphis_put_books(report, &lines);
	memphis_put_waiting_contents(report, &lines);
	memphis_put_threads(report, &lines, report->view->threads ? SIZE_MAX : THREADS);
	memphis_put_unbalanced(report, &lines);
	memphis_put_notes(report, &lines);
	memphis_layout_wrap(text, &lines, HANGING);
	memphis_text_close(&lines);
}

void memphis_output_text(const struct memphis_report *report, struct memphis_text *text)
{
	put_header(report, text);
	memphis_put_findings(report, text);
	memphis_put_tables(report, text);
	put_accounting(report, text);
}
