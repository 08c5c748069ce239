// SPDX-License-Identifier: BSD-3-Clause
/* Findings in the text format: location, evidence and advice of each finding. If there are none, the reason why. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "evidence/suspect.h"
#include "diagnose/finding_text.h"
#include "base/layout.h"
#include "output/output.h"
#include "output/section/waiting.h"
#include "read/process_name.h"
#include "read/stands_for.h"
#include "view/loads_by_source.h"

#define LABEL   "   %-10s" /* "   where:    " */
#define SHARES  16         /* maximum number of variables that are listed with their shares */
#define HANGING 10         /* width of the label; continuation lines are aligned with the text after it */
#define NUMBER  3          /* width of "1. " */

static void put_string(struct memphis_text *text, const struct memphis_profile *profile, uint32_t string)
{
	const char *name = memphis_profile_text(profile, string);

	memphis_text_put_plain(text, name ? name : "?");
}

static void put_variable(struct memphis_text *text, const struct memphis_profile *profile, uint32_t variable)
{
	memphis_text_put(text, "[");
	put_string(text, profile, profile->variables[variable].segment);
	memphis_text_put(text, "]:");
	memphis_text_put_plain(text, memphis_shown_name(profile, variable));
}

/* Appends the list of nodes with a label: "; memory of node 1". */
static void put_nodes(struct memphis_text *text, const char *words, const uint16_t *nodes, size_t count)
{
	size_t i;

	if (!words || !count || (count == 1 && *nodes == MEMPHIS_NODE_UNKNOWN))
		return;
	memphis_text_print(text, "; %s node%s ", words, count > 1 ? "s" : "");
	for (i = 0; i < count; i++)
		memphis_text_print(text, i ? ", %u" : "%u", nodes[i]);
}

/* Appends the source line, and the process with the most samples of the finding, together with its nodes. */
static void put_place(const struct memphis_profile *profile, struct memphis_text *text,
		      const struct memphis_finding *finding)
{
	const struct memphis_pattern_kind *words = &memphis_patterns[finding->pattern];
	struct memphis_text place = {0};

	memphis_text_print(text, LABEL, "where:");
	memphis_finding_locate(finding, profile, &place);
	if (place.bytes)
		/* Skip the leading space. */
		memphis_text_print(text, "%s; ", place.text + 1);
	memphis_process_name(text, &profile->processes.list[finding->process]);
	put_nodes(text, words->home, &finding->home, 1);
	put_nodes(text, words->nodes, finding->nodes, finding->node_count);
	put_nodes(text, words->node, &finding->node, 1);
	memphis_text_put(text, "\n");
	text->failed |= place.failed;
	memphis_text_close(&place);
}

/*
 * Appends each variable's share in the finding's samples. Also appends the place where each variable is
 * accessed, unless this is the same for all of them.
 */
static void put_shares(const struct memphis_profile *profile, struct memphis_text *text,
		       const struct memphis_finding *finding)
{
	const bool places = memphis_finding_is_at_places(finding, profile);
	size_t i;

	if (finding->part_count < 2)
		return;
	memphis_text_print(text, LABEL, "shares:");
	for (i = 0; i < finding->part_count && i < SHARES; i++) {
		put_variable(text, profile, finding->parts[i].variable);
		memphis_text_print(text, " %.0f %%",
				   100.0 * (double)finding->parts[i].samples / (double)finding->samples);
		if (places)
			memphis_finding_locate(&finding->parts[i], profile, text);
		memphis_text_put(text, i + 1 < finding->part_count ? ", " : "\n");
	}
	if (i < finding->part_count)
		memphis_text_print(text, "%zu more\n", finding->part_count - i);
}

static void put_stride(const struct memphis_profile *profile, struct memphis_text *text,
		       const struct memphis_finding *finding)
{
	if (!finding->stride)
		return;
	memphis_text_print(text, LABEL,
			   finding->stride->pattern == MEMPHIS_PATTERN_INDIRECT ? "indirect:" : "strided:");
	memphis_finding_put_stride(finding, profile, text);
	memphis_text_put(text, "\n");
}

static void put_description(const struct memphis_profile *profile, struct memphis_text *text,
			    const struct memphis_finding *finding)
{
	struct memphis_text description = {0};

	memphis_finding_describe(finding, profile, &description);
	memphis_text_print(text, LABEL "%s\n", "what:", description.bytes ? description.text + 1 : "");
	text->failed |= description.failed;
	memphis_text_close(&description);
}

static void put_evidence(const struct memphis_profile *profile, struct memphis_text *text,
			 const struct memphis_finding *finding)
{
	size_t i;

	memphis_text_print(text, LABEL "%" PRIu64 " samples, %.1f %% of the %s (95 %% CI %.1f to %.1f)",
			   "evidence:", finding->samples, 100 * finding->share.share,
			   memphis_population_texts[memphis_patterns[finding->pattern].among],
			   100 * finding->share.low, 100 * finding->share.high);
	memphis_finding_put_certainty(finding, text);
	if (finding->processes > 1)
		memphis_text_print(text, ", in %" PRIu32 " of %zu processes", finding->processes,
				   profile->processes.count);
	if (memphis_finding_has_worst(finding)) {
		memphis_text_put(text, ", most in ");
		memphis_process_name(text, &profile->processes.list[finding->process]);
		memphis_text_print(text, " (%" PRIu64 ")", finding->worst);
	}
	for (i = 0; i < finding->region_count; i++) {
		memphis_text_print(text, ", %.0f %% in region ", 100 * finding->regions[i].share);
		put_string(text, profile, profile->regions[finding->regions[i].region].name);
	}
	memphis_text_put(text, "\n");
}

/* Appends the upper limit of what a fix could save, as a share of all waiting. */
static void put_gain(const struct memphis_report *report, struct memphis_text *text,
		     const struct memphis_finding *finding)
{
	const struct memphis_waiting *waiting = &report->rows->waiting;
	const struct memphis_estimate all = memphis_waited(waiting, &waiting->all);

	if (!finding->gain_known)
		return;
	memphis_text_print(text, LABEL "%s", "gain:", finding->own_cycles > 0 ? "by distance, " : "");
	memphis_text_put(text, "at most ");
	memphis_put_cycles(text, &finding->gain);
	memphis_text_print(text, ", %.1f %% of all waiting%s\n",
			   all.value > 0 ? 100 * finding->gain.value / all.value : 0,
			   finding->own_cycles > 0
				   ? "; what relief of the crowded memory saves is not known, and may be more"
				   : "");
}

static void put_finding(const struct memphis_report *report, struct memphis_text *text, size_t number)
{
	const struct memphis_finding *finding = &report->findings.list[number];
	struct memphis_text lines = {0};

	memphis_text_print(&lines, "%zu. %s: ", number + 1, memphis_patterns[finding->pattern].name);
	memphis_finding_put_variables(finding, report->profile, &lines);
	memphis_text_put(&lines, "\n");
	memphis_layout_wrap(text, &lines, NUMBER);
	memphis_text_cut(&lines, 0);
	put_place(report->profile, &lines, finding);
	put_description(report->profile, &lines, finding);
	put_shares(report->profile, &lines, finding);
	put_stride(report->profile, &lines, finding);
	put_evidence(report->profile, &lines, finding);
	put_gain(report, &lines, finding);
	memphis_text_print(&lines, LABEL "%s\n", "try:", finding->advice);
	memphis_layout_wrap(text, &lines, HANGING);
	memphis_text_close(&lines);
}

/* Numbers from which the reason for the lack of findings is derived. */
struct chances {
	size_t variables;          /* number of variables with selected samples */
	uint64_t samples;          /* number of all samples except accesses by the library */
	uint64_t most_of_variable; /* largest number of selected samples of one variable in all processes */
	/* number of selected processes; number of those that have no evidence in the profile */
	size_t processes, without;
	bool no_stores;       /* the settings show that no process sampled stores */
	bool no_loads;        /* the settings show that no process sampled loads */
	uint64_t away_stores; /* number of stores to pages that another node owns */
};

/* Sums the samples of each variable over nodes and groups. */
static void count_variables(const struct memphis_report *report, struct memphis_text *text,
			    struct chances *chances)
{
	const struct memphis_rows *rows = report->rows;
	uint64_t *counts = calloc(report->profile->variable_count + 1, sizeof(*counts));
	const struct memphis_variable_row *row;
	size_t i, j;

	text->failed |= !counts;
	for (i = 0; counts && i < rows->node_count; i++) {
		for (j = 0; j < rows->nodes[i].variable_count; j++) {
			row = &rows->nodes[i].variables[j];
			counts[row->variable] += row->reasons[MEMPHIS_ATTRIBUTED];
		}
	}
	for (i = 0; counts && i < report->profile->variable_count; i++) {
		chances->variables += counts[i] > 0;
		if (counts[i] > chances->most_of_variable)
			chances->most_of_variable = counts[i];
	}
	free(counts);
}

static bool drops_kind(const struct memphis_process *process, const char *kind)
{
	const char *drop = memphis_setting(&process->settings, "drop");

	return drop && strstr(drop, kind);
}

/* Returns true if the process sampled stores. PEBS, and IBS with a hardware filter, sample only loads. */
static bool samples_stores(const struct memphis_process *process)
{
	const char *hardware = memphis_setting(&process->settings, "hardware");
	const char *filter = memphis_setting(&process->settings, "hardware_filter");

	return !(hardware && !strcmp(hardware, "pebs")) && (!filter || !strcmp(filter, "none")) &&
	       !drops_kind(process, "stores");
}

static void check_processes(const struct memphis_report *report, struct chances *chances)
{
	const struct memphis_processes *processes = &report->profile->processes;
	size_t i;

	for (i = 0; i < processes->count; i++) {
		if (!memphis_selection_has(report->selection, &processes->list[i]))
			continue;
		chances->processes++;
		chances->without += processes->list[i].unjudged;
		chances->no_stores &= !samples_stores(&processes->list[i]);
		chances->no_loads &= drops_kind(&processes->list[i], "loads");
	}
}

/*
 * Counts the stores to pages of other nodes. Only IBS reports the home node of a store's page. The totals
 * contain stores only if the selection includes stores.
 */
static void count_away_stores(const struct memphis_report *report, struct chances *chances)
{
	const struct memphis_profile *profile = report->profile;
	const struct memphis_total *total, *end = profile->totals.list + profile->totals.count;
	const struct memphis_selection *selection = report->selection;

	for (total = profile->totals.list; total < end; total++)
		if (memphis_selection_has(selection, &profile->processes.list[total->process]) &&
		    (selection->node < 0 || total->access.node == selection->node) &&
		    total->access.flags & MEMPHIS_FLAG_STORE && total->access.home != MEMPHIS_NODE_UNKNOWN &&
		    total->access.node != MEMPHIS_NODE_UNKNOWN && total->access.home != total->access.node)
			chances->away_stores += total->measure.count;
}

/* If there are enough such stores for a finding, appends that findings are only about loads. */
static void put_away_stores(struct memphis_text *text, const struct chances *chances)
{
	if (chances->away_stores < MEMPHIS_FINDING_SAMPLES)
		return;
	memphis_text_print(
		text,
		"; %" PRIu64
		" stores were to pages that another node owns, but findings are about loads, as stores have no latency: --full --select away-stores lists their variables",
		chances->away_stores);
}

static bool has_paused(const struct memphis_report *report)
{
	const struct memphis_processes *processes = &report->profile->processes;
	size_t i;

	for (i = 0; i < processes->count; i++)
		if (memphis_selection_has(report->selection, &processes->list[i]) &&
		    memphis_setting_number(&processes->list[i].settings, "pauses", 0))
			return true;
	return false;
}

static void put_none_kept(const struct memphis_report *report, struct memphis_text *text)
{
	const struct memphis_accounting_total *accounting = &report->accounting;

	if (accounting->own)
		memphis_text_print(text, "all %" PRIu64 " samples are accesses of the sampling library",
				   accounting->own);
	else if (accounting->sum.interrupts)
		memphis_text_print(text, "no samples were kept of %" PRIu64 " interrupt%s",
				   (uint64_t)accounting->sum.interrupts,
				   accounting->sum.interrupts == 1 ? "" : "s");
	else
		memphis_text_print(
			text, "no samples were taken; %s",
			has_paused(report) ? "the program paused sampling by memphis_pause()"
			: report->rows->waiting.why_not == MEMPHIS_OBSTACLE_NO_SAMPLES
				? "--backend none takes none, only times (--by region); if perf has recorded samples, give its file"
				: "record a longer run, or with a shorter --period");
}

/*
 * Returns true if loads from all sources that the selection includes were sampled. Returns false only if
 * loads were sampled by source and one of these sources was not.
 */
static bool samples_selected_loads(const struct memphis_report *report)
{
	struct memphis_loads_by_source loads[MEMPHIS_EVENTS];
	bool sampled = true;
	unsigned int i;

	memphis_loads_by_source(report->profile, report->selection, loads);
	for (i = MEMPHIS_EVENT_LOCAL_DRAM; i < MEMPHIS_EVENTS; i++)
		sampled &= loads[i].sampled || !loads[i].selected;
	return sampled || !memphis_loads_all_by_source(report->profile, loads);
}

static void put_none_selected(const struct memphis_report *report, struct memphis_text *text,
			      const struct chances *chances)
{
	const struct memphis_selection *selection = report->selection;
	const bool remote = !strcmp(selection->kind->name, "remote-dram"),
		   sampled = samples_selected_loads(report);

	if (remote)
		memphis_text_put(text, "no loads served by another node's memory");
	else
		memphis_text_print(text, "no sample is %s (%s)", selection->kind->name,
				   selection->kind->help);
	if (selection->node >= 0)
		memphis_text_print(text, ", on node %" PRId64, selection->node);
	if (selection->region)
		memphis_text_print_plain(text, ", in region %s", selection->region);
	memphis_text_print(text,
			   selection->node >= 0 || selection->region ? "; %" PRIu64 " samples in all"
								     : " among %" PRIu64 " samples",
			   chances->samples);
	if (remote && chances->no_loads)
		memphis_text_put(text, "; loads were not sampled");
	else if (remote && sampled)
		memphis_text_put(text, "; nothing to do, if program, input and binding are the usual ones");
	if (!sampled)
		memphis_text_put(text, "; but such loads were not sampled (see \"unsampled\")");
	else if (remote)
		memphis_text_put(
			text,
			"; --select away counts stores and loads from caches, too, if another node owns the page");
}

/*
 * Appends how much more often to sample, so that the variable with the most samples gets 1.5 times as many
 * samples as a finding needs.
 */
static void put_too_few(const struct memphis_report *report, struct memphis_text *text, uint64_t most)
{
	const struct memphis_processes *processes = &report->profile->processes;
	const uint64_t enough = MEMPHIS_FINDING_SAMPLES + MEMPHIS_FINDING_SAMPLES / 2,
		       more = most ? (enough + most - 1) / most : enough;
	static const struct memphis_settings none;
	const struct memphis_settings *settings = NULL;
	size_t i;

	memphis_text_print(
		text,
		"too few samples, a finding needs %d of one variable, and no variable has more than %" PRIu64,
		MEMPHIS_FINDING_SAMPLES, most);
	if (report->lpi.worth == MEMPHIS_WORTH_NO || report->lpi.worth == MEMPHIS_WORTH_LITTLE) {
		memphis_text_put(text, "; by the verdict, none is needed");
		return;
	}
	for (i = 0; !settings && i < processes->count; i++)
		if (memphis_selection_has(report->selection, &processes->list[i]))
			settings = &processes->list[i].settings;
	memphis_text_put(text, "; ");
	memphis_put_more_samples(settings ? settings : &none, more, text);
}

void memphis_put_too_few(const struct memphis_report *report, struct memphis_text *text)
{
	const bool matters =
		report->lpi.worth == MEMPHIS_WORTH_YES || report->lpi.worth == MEMPHIS_WORTH_UNDECIDED;
	struct chances chances = {0};

	if (!matters || memphis_lpi_is_sharing(&report->lpi))
		return;
	count_variables(report, text, &chances);
	if (!chances.variables || chances.most_of_variable >= MEMPHIS_FINDING_SAMPLES)
		return;
	memphis_text_put(text, "Placement: ");
	put_too_few(report, text, chances.most_of_variable);
}

/* Appends the main reason, which makes all other reasons irrelevant. Returns false if there is no such reason. */
static bool put_main_reason(const struct memphis_report *report, struct memphis_text *text,
			    const struct chances *chances)
{
	if (!chances->samples)
		put_none_kept(report, text);
	else if (!report->rows->selected)
		put_none_selected(report, text, chances);
	else if (chances->without == chances->processes)
		memphis_text_put(text, report->selection->node >= 0 || report->selection->region
					       ? "no heatmaps in this profile for a single node or region"
					       : "no heatmaps in this profile");
	else if (!report->rows->attributed)
		memphis_text_print(text, "none of %" PRIu64 " selected samples has a variable",
				   report->rows->selected);
	else if (chances->most_of_variable < MEMPHIS_FINDING_SAMPLES)
		put_too_few(report, text, chances->most_of_variable);
	else
		return false;
	return true;
}

static void put_reasons(struct memphis_text *text, const struct chances *chances)
{
	memphis_text_print(
		text,
		"nothing significant among %zu variable%s (a finding needs %d samples of a pattern, %.0f %% of its kind and %.2f %% of all)",
		chances->variables, chances->variables == 1 ? "" : "s", MEMPHIS_FINDING_SAMPLES,
		100 * MEMPHIS_FINDING_SHARE, 100 * MEMPHIS_FINDING_OF_ALL);
	if (chances->no_stores)
		memphis_text_put(text, "; no stores were sampled, so first touch is unknown");
	put_away_stores(text, chances);
	if (chances->without)
		memphis_text_print(text, "; no heatmaps of %zu of %zu processes in this profile",
				   chances->without, chances->processes);
}

void memphis_put_no_findings(const struct memphis_report *report, struct memphis_text *text)
{
	struct chances chances = {.samples = report->accounting.written - report->accounting.own,
				  .no_stores = true,
				  .no_loads = true};
	struct memphis_text line = {0};

	count_variables(report, text, &chances);
	check_processes(report, &chances);
	count_away_stores(report, &chances);
	memphis_text_put(&line, "No findings: ");
	if (!put_main_reason(report, &line, &chances))
		put_reasons(&line, &chances);
	memphis_text_put(&line, "\n");
	memphis_layout_wrap(text, &line, 4);
	memphis_text_close(&line);
}

void memphis_put_findings(const struct memphis_report *report, struct memphis_text *text)
{
	size_t i;

	if (!report->findings.count) {
		memphis_put_no_findings(report, text);
		memphis_text_put(text, "\n");
		return;
	}
	memphis_layout_put_head(text, "FINDINGS");
	for (i = 0; i < report->findings.count; i++)
		put_finding(report, text, i);
	memphis_text_put(text, "\n");
}
