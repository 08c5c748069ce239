// SPDX-License-Identifier: BSD-3-Clause
/* Writes the sentences of the answer. */
#include "output/answer.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/layout.h"
#include "diagnose/finding_gist.h"
#include "diagnose/finding_text.h"
#include "output/output.h"
#include "output/section/parts.h"
#include "output/section/waiting.h"
#include "read/process_name.h"

#define LOST        0.001 /* smallest share of lost samples that is reported */
#define NAMELESS    0.05  /* smallest share of samples without a variable that is reported */
#define UNEXPLAINED 0.2   /* smallest share of a variable without a cause that is reported */

/* Appends the longest time of one thread in the region with the longest time: ", 77.4 s in TimeLoop". */
static void put_longest_time(const struct memphis_report *report, struct memphis_text *text)
{
	const struct memphis_region_times *times = &report->region_times;
	const struct memphis_region_times_row *row;

	if (!times->shown_count)
		return;
	row = &times->list[times->shown[0]];
	memphis_text_print_plain(text, ", %.3g s in %s",
				 (double)memphis_threads_most(&row->threads)->number / 1e9, row->name);
}

void memphis_answer_put_run(const struct memphis_report *report, struct memphis_text *text)
{
	memphis_put_run(report, text);
	put_longest_time(report, text);
}

void memphis_answer_put_selected(const struct memphis_report *report, struct memphis_text *text)
{
	struct memphis_text part = {0};

	memphis_put_selection(&part, report->selection);
	/* The part begins with ", ", which is skipped, and ends with a line feed. */
	if (part.bytes > 1)
		memphis_text_print(text, "only %s", part.text + 2);
	text->failed |= part.failed;
	memphis_text_close(&part);
}

static void put_remote_share(const struct memphis_report *report, struct memphis_text *text)
{
	struct memphis_share share;

	if (!memphis_remote_share(report, text, &share)) {
		memphis_text_print(text, "%" PRIu64 " of %" PRIu64 " samples are %s (%s). ",
				   report->rows->selected, report->accounting.written,
				   report->selection->kind->name, report->selection->kind->help);
		return;
	}
	memphis_text_print(text,
			   "%.1f %% of the loads from DRAM go to another node (95 %% CI %.1f to %.1f). ",
			   100 * share.share, 100 * share.low, 100 * share.high);
}

/* Appends what share of the time is spent waiting for remote DRAM, and how much of it local memory would save at most. */
static void put_waiting_cost(const struct memphis_report *report, struct memphis_text *text)
{
	const struct memphis_waiting *waiting = &report->rows->waiting;
	const struct memphis_whole whole = memphis_whole_of(report);
	struct memphis_estimate remote, gain;

	if (whole.cycles <= 0 || !waiting->all.sources[MEMPHIS_WAIT_REMOTE_DRAM].count)
		return;
	remote = memphis_waited_for(waiting, &waiting->all, MEMPHIS_WAIT_REMOTE_DRAM);
	gain = memphis_gain(waiting, &waiting->all);
	memphis_text_print(text, "Waiting for remote DRAM is %.1f %% of %s",
			   100 * remote.value / whole.cycles, whole.words);
	if (memphis_gain_is_known(&waiting->all))
		memphis_text_print(
			text,
			"; if all data were local, at most %.1f %% would be saved (95 %% CI %.1f to %.1f)",
			100 * gain.value / whole.cycles, 100 * gain.low / whole.cycles,
			fmin(100, 100 * gain.high / whole.cycles));
	memphis_text_put(text, ". ");
}

void memphis_answer_put_shares(const struct memphis_report *report, struct memphis_text *text)
{
	put_remote_share(report, text);
	put_waiting_cost(report, text);
}

static void put_lost_share(const struct memphis_report *report, struct memphis_text *text)
{
	const struct memphis_accounting *sum = &report->accounting.sum;
	const double lost = sum->lost ? (double)sum->lost / (double)(sum->lost + sum->kept) : 0;

	if (lost >= LOST)
		memphis_text_print(text, "%.1f %% of the samples were lost\n", 100 * lost);
}

static void put_nameless_share(const struct memphis_report *report, struct memphis_text *text)
{
	const struct memphis_rows *rows = report->rows;
	const uint64_t nameless = rows->selected - rows->attributed;

	if (rows->selected && (double)nameless >= NAMELESS * (double)rows->selected)
		memphis_text_print(text, "%.0f %% of these samples have no variable; --explain says why\n",
				   100 * (double)nameless / (double)rows->selected);
}

/* Appends a line about the memory whose bandwidth is saturated, if there is one. */
static void put_saturated_memory(const struct memphis_report *report, struct memphis_text *text)
{
	struct memphis_text line = {0};

	memphis_output_limits_line(report, &line);
	if (line.bytes && strstr(line.text, "saturated"))
		memphis_text_print(text, "bandwidth: %s",
				   line.text + strspn(line.text + strlen("bandwidth:"), " ") +
					   strlen("bandwidth:"));
	text->failed |= line.failed;
	memphis_text_close(&line);
}

void memphis_answer_put_limits(const struct memphis_report *report, struct memphis_text *text)
{
	memphis_put_unbalanced(report, text);
	put_saturated_memory(report, text);
	put_lost_share(report, text);
	put_nameless_share(report, text);
	memphis_put_disturbances(&report->accounting, text);
	if (report->notes.bytes)
		memphis_text_add(text, report->notes.text, report->notes_to_act);
}

void memphis_answer_put_place(const struct memphis_report *report, const struct memphis_finding *finding,
			      struct memphis_text *text)
{
	struct memphis_text place = {0};

	memphis_finding_locate(finding, report->profile, &place);
	if (place.bytes && memphis_finding_is_at_places(finding, report->profile))
		memphis_text_print(text, "at several places, most%s", place.text);
	else if (place.bytes)
		memphis_text_add(text, place.text + 1, place.bytes - 1);
	else
		memphis_text_put(text, "at an unknown place");
	text->failed |= place.failed;
	memphis_text_close(&place);
}

void memphis_answer_put_problem(const struct memphis_report *report, const struct memphis_finding *finding,
				struct memphis_text *text)
{
	const struct memphis_processes *processes = &report->profile->processes;

	memphis_text_print(text, "%s: ", memphis_patterns[finding->pattern].name);
	memphis_finding_put_gist(finding, report->profile, text);
	if (finding->processes > 1)
		memphis_text_print(text, "; in %" PRIu32 " of %zu processes", finding->processes,
				   processes->count);
	if (memphis_finding_has_worst(finding)) {
		memphis_text_put(text, ", most in ");
		memphis_process_name(text, &processes->list[finding->process]);
	}
}

double memphis_answer_saving(const struct memphis_report *report, const struct memphis_finding *finding)
{
	const struct memphis_whole whole = memphis_whole_of(report);

	return finding->gain_known && whole.cycles > 0 ? finding->gain.value / whole.cycles : NAN;
}

void memphis_answer_put_saving(const struct memphis_report *report, const struct memphis_finding *finding,
			       struct memphis_text *text)
{
	const double share = memphis_answer_saving(report, finding);

	if (isnan(share))
		memphis_text_put(text, "not known");
	else
		memphis_text_print(text, share < 0.001 ? "below 0.1 %%" : "%.1f %%", 100 * share);
}

void memphis_answer_put_variable(const struct memphis_report *report, struct memphis_text *text,
				 uint32_t variable, size_t width)
{
	const struct memphis_profile *profile = report->profile;
	struct memphis_text name = {0};

	memphis_text_print_plain(&name, "[%s]:%s",
				 memphis_profile_text(profile, profile->variables[variable].segment),
				 memphis_shown_name(profile, variable));
	memphis_layout_shorten(text, &name, width);
	memphis_text_close(&name);
}

/*
 * Returns true if the finding is about the variable. The estimated and the exact samples of one variable have
 * different variable numbers. `exact` maps both to the same number.
 */
static bool is_about_variable(const struct memphis_findings *findings, const struct memphis_finding *finding,
			      uint32_t variable)
{
	const uint32_t *exact = findings->exact;
	size_t i;

	for (i = 0; i < finding->part_count; i++)
		if (exact[finding->parts[i].variable] == exact[variable])
			return true;
	return exact[finding->variable] == exact[variable];
}

/* Returns true if a finding explains the remote accesses to the variable. */
static bool is_explained(const struct memphis_findings *findings, uint32_t variable)
{
	size_t i;

	for (i = 0; i < findings->count; i++)
		if (memphis_patterns[findings->list[i].pattern].among == MEMPHIS_REMOTE_LOADS &&
		    is_about_variable(findings, &findings->list[i], variable))
			return true;
	return false;
}

/*
 * Finds the variable with the most samples among the variables that no finding about placement explains.
 * Returns the largest row of this variable, or NULL. Sets *samples to the sum over all its rows.
 */
static const struct memphis_variable_row *find_unexplained(const struct memphis_report *report,
							   struct memphis_text *text, uint64_t *samples)
{
	uint64_t *counts = calloc(report->profile->variable_count + 1, sizeof(*counts));
	const struct memphis_variable_row *most = NULL, *row;
	const struct memphis_rows *rows = report->rows;
	size_t i, j;

	text->failed |= !counts;
	for (i = 0; counts && i < rows->node_count; i++)
		for (j = 0; j < rows->nodes[i].variable_count; j++)
			counts[rows->nodes[i].variables[j].variable] +=
				rows->nodes[i].variables[j].reasons[MEMPHIS_ATTRIBUTED];
	*samples = 0;
	for (i = 0; counts && i < rows->node_count; i++) {
		for (j = 0; j < rows->nodes[i].variable_count; j++) {
			row = &rows->nodes[i].variables[j];
			if (counts[row->variable] < *samples ||
			    (most && counts[row->variable] == *samples &&
			     row->sum.measure.count <= most->sum.measure.count) ||
			    is_explained(&report->findings, row->variable))
				continue;
			most = row;
			*samples = counts[row->variable];
		}
	}
	free(counts);
	return most;
}

void memphis_answer_put_unexplained(const struct memphis_report *report, struct memphis_text *text)
{
	const struct memphis_variable_row *row;
	struct memphis_share remote;
	uint64_t samples;

	/* If the selection does not count remote loads, no pattern was searched for. */
	if (!memphis_remote_share(report, text, &remote))
		return;
	if (report->findings.count)
		memphis_put_too_few(report, text);
	row = find_unexplained(report, text, &samples);
	if (!row || (double)samples < UNEXPLAINED * (double)report->rows->selected ||
	    samples < MEMPHIS_FINDING_SAMPLES)
		return;
	memphis_text_put(text, "No pattern fits ");
	memphis_answer_put_variable(report, text, row->variable, MEMPHIS_ANSWER_NAME);
	memphis_text_print(text, ": %" PRIu64 " of the %" PRIu64 " samples", samples, report->rows->selected);
	if (row->leaf_count && row->leaves[0].line)
		memphis_text_print_plain(text, ", most at %s:%u", memphis_basename(row->leaves[0].path),
					 row->leaves[0].line);
}
