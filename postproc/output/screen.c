// SPDX-License-Identifier: BSD-3-Clause
/*
 * The first screen of the format text, for a reader in a hurry: whether the placement of memory is the problem, what it costs, which loops and variables
 * cause it, and what to do. It fits in MEMPHIS_SCREEN_LINES lines, whatever the job is.
 */
#include "output/output.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/layout.h"
#include "diagnose/finding_gist.h"
#include "diagnose/finding_text.h"
#include "output/section/parts.h"
#include "output/section/waiting.h"
#include "read/process_name.h"

#define CAUSES      5     /* causes that are shown at most */
#define NOTES       3     /* notes that are shown at most */
#define NUMBER      3     /* width of a cause's number; the lines below it are indented by as much */
#define LOST        0.001 /* the least share of samples whose loss is told */
#define NAMELESS    0.05  /* the least share of samples without a variable that is told */
#define TRAILER     6   /* lines after the causes: what has no cause, an empty one, and how to see the rest */
#define UNEXPLAINED 0.2 /* the least share of a variable without a cause that is told */
#define NAME_WIDTH  40  /* of a variable among several */
#define NOTE_SPARE  16  /* columns of two lines that a note leaves empty */

/* Appends the cell as one line, and closes it. */
static void put_line(struct memphis_text *text, struct memphis_text *cell, size_t indent)
{
	memphis_text_print(text, "%*s", (int)indent, "");
	memphis_layout_shorten(text, cell, memphis_layout_width(text) - indent);
	memphis_text_put(text, "\n");
	memphis_text_close(cell);
}

/* Appends the lines, broken at spaces, and closes them. */
static void put_lines(struct memphis_text *text, struct memphis_text *lines, size_t hanging)
{
	memphis_layout_wrap(text, lines, hanging);
	memphis_text_close(lines);
}

/* Appends the longest time of a thread in the region that took longest: ", 77.4 s in TimeLoop". */
static void put_time(const struct memphis_report *report, struct memphis_text *text)
{
	const struct memphis_region_times *times = &report->region_times;
	const struct memphis_region_times_row *row;

	if (!times->shown_count)
		return;
	row = &times->list[times->shown[0]];
	memphis_text_print_plain(text, ", %.3g s in %s",
				 (double)memphis_threads_most(&row->threads)->number / 1e9, row->name);
}

/* Appends the command lines, the first one without the directory of its program. */
static void put_commands(const struct memphis_report *report, struct memphis_text *text)
{
	struct memphis_text commands = {0}, line = {0};
	size_t program, i;

	memphis_put_commands(report, &commands);
	if (commands.bytes) {
		program = strcspn(commands.text, " ");
		for (i = program; i && commands.text[i - 1] != '/'; i--)
			;
		memphis_text_put(&line, commands.text + i);
		put_line(text, &line, 0);
	}
	text->failed |= commands.failed;
	memphis_text_close(&commands);
}

/* Appends the part of the run that is selected: "only node 1, in region Bound". */
static void put_selected(const struct memphis_report *report, struct memphis_text *text)
{
	struct memphis_text part = {0};

	memphis_put_selection(&part, report->selection);
	/* It begins with ", " and ends with a line feed. */
	if (part.bytes > 1)
		memphis_text_print(text, "only %s", part.text + 2);
	text->failed |= part.failed;
	memphis_text_close(&part);
}

static void put_run(const struct memphis_report *report, struct memphis_text *text)
{
	struct memphis_text line = {0};

	memphis_text_style(text, MEMPHIS_BOLD);
	put_commands(report, text);
	memphis_text_style(text, MEMPHIS_PLAIN);
	memphis_put_run(report, &line);
	put_time(report, &line);
	put_line(text, &line, 0);
	memphis_put_sampling(report, &line);
	if (line.bytes)
		put_line(text, &line, 0);
	put_selected(report, text);
	memphis_text_put(text, "\n");
}

static void put_remote(const struct memphis_report *report, struct memphis_text *text)
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

/* Appends what waiting for remote DRAM costs, and what local memory would save at most. */
static void put_cost(const struct memphis_report *report, struct memphis_text *text)
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

static void put_answer(const struct memphis_report *report, struct memphis_text *text)
{
	struct memphis_text answer = {0};

	put_remote(report, &answer);
	put_cost(report, &answer);
	memphis_text_put(&answer, "\nVerdict: ");
	memphis_put_verdict(report, &answer);
	put_lines(text, &answer, 0);
}

static void put_lost(const struct memphis_report *report, struct memphis_text *text)
{
	const struct memphis_accounting *sum = &report->accounting.sum;
	const double lost = sum->lost ? (double)sum->lost / (double)(sum->lost + sum->kept) : 0;

	if (lost >= LOST)
		memphis_text_print(text, "%.1f %% of the samples were lost\n", 100 * lost);
}

static void put_nameless(const struct memphis_report *report, struct memphis_text *text)
{
	const struct memphis_rows *rows = report->rows;
	const uint64_t nameless = rows->selected - rows->attributed;

	if (rows->selected && (double)nameless >= NAMELESS * (double)rows->selected)
		memphis_text_print(text, "%.0f %% of these samples have no variable; --explain says why\n",
				   100 * (double)nameless / (double)rows->selected);
}

/* Appends a note in two lines at most, and closes it. */
static void put_note(struct memphis_text *text, struct memphis_text *note)
{
	struct memphis_text shown = {0};

	/* Words that move to the second line leave room in the first one. */
	memphis_layout_shorten(&shown, note, 2 * memphis_layout_width(text) - NOTE_SPARE);
	memphis_text_put(&shown, "\n");
	put_lines(text, &shown, strlen("note: "));
	text->failed |= note->failed;
	memphis_text_close(note);
}

/* Appends the line of the memory whose bandwidth is used up. */
static void put_saturated(const struct memphis_report *report, struct memphis_text *text)
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

/* Appends what limits the report. */
static void put_limits(const struct memphis_report *report, struct memphis_text *text)
{
	struct memphis_text limits = {0}, line = {0};
	struct memphis_span rest, one;
	size_t count = 0;

	memphis_put_unbalanced(report, &limits);
	put_saturated(report, &limits);
	put_lost(report, &limits);
	put_nameless(report, &limits);
	memphis_put_disturbances(&report->accounting, &limits);
	if (report->notes.bytes)
		memphis_text_add(&limits, report->notes.text, report->notes_to_act);
	rest = (struct memphis_span){limits.text, limits.bytes};
	while (memphis_next_line(&rest, &one)) {
		if (count++ >= NOTES)
			continue;
		memphis_text_print(&line, "note: %.*s", (int)one.bytes, one.text);
		put_note(text, &line);
	}
	if (count > NOTES)
		memphis_text_print(text, "note: %zu more limit this report; --full has them\n",
				   count - NOTES);
	text->failed |= limits.failed;
	memphis_text_close(&limits);
}

/* Appends "  11.6 %": what a fix could save at most. */
static void put_saving(struct memphis_text *text, const struct memphis_finding *finding, double whole)
{
	const double percent = whole > 0 ? 100 * finding->gain.value / whole : 0;

	if (!finding->gain_known || whole <= 0)
		memphis_text_put(text, "  not known");
	else
		memphis_text_print(text, percent < 0.1 ? "  below 0.1 %%" : "  %.1f %%", percent);
}

/* Returns whether the variables of the finding are used at different lines. */
static bool is_at_places(const struct memphis_finding *finding, const struct memphis_profile *profile)
{
	const struct memphis_profile_frame *first, *frame;
	size_t i;

	if (finding->instruction == MEMPHIS_NONE)
		return false;
	first = memphis_program_frame(profile, finding->instruction);
	for (i = 0; i < finding->part_count; i++) {
		if (finding->parts[i].instruction == MEMPHIS_NONE)
			continue;
		frame = memphis_program_frame(profile, finding->parts[i].instruction);
		if (frame->path != first->path || frame->line != first->line)
			return true;
	}
	return false;
}

/* Appends the first line of a cause: its number, where it is, and what it costs on the right. */
static void put_place(const struct memphis_report *report, struct memphis_text *text, size_t number)
{
	const struct memphis_finding *finding = &report->findings.list[number];
	const struct memphis_whole whole = memphis_whole_of(report);
	struct memphis_text place = {0}, shown = {0}, cost = {0};
	size_t width;

	memphis_finding_locate(finding, report->profile, &place);
	if (place.bytes && is_at_places(finding, report->profile))
		memphis_text_print(&shown, "at several places, most%s", place.text);
	else if (place.bytes)
		memphis_text_add(&shown, place.text + 1, place.bytes - 1);
	else
		memphis_text_put(&shown, "at an unknown place");
	put_saving(&cost, finding, whole.cycles);
	width = memphis_layout_width(text) - NUMBER - cost.bytes;
	place.bytes = 0;
	memphis_layout_shorten(&place, &shown, width);
	memphis_text_style(text, MEMPHIS_BOLD);
	memphis_text_print(text, "%-*zu", NUMBER, number + 1);
	memphis_layout_cell(text, &place, width);
	memphis_text_style(text, MEMPHIS_PLAIN);
	memphis_text_print(text, "%s\n", cost.text);
	text->failed |= place.failed | shown.failed | cost.failed;
	memphis_text_close(&place);
	memphis_text_close(&shown);
	memphis_text_close(&cost);
}

static void put_variable(const struct memphis_report *report, struct memphis_text *text, uint32_t variable,
			 size_t width)
{
	const struct memphis_profile *profile = report->profile;
	struct memphis_text name = {0};

	memphis_text_print_plain(&name, "[%s]:%s",
				 memphis_profile_text(profile, profile->variables[variable].segment),
				 memphis_shown_name(profile, variable));
	memphis_layout_shorten(text, &name, width);
	memphis_text_close(&name);
}

/* Appends the names of the variables, as many as fit in the line: "[heap]:tx, [heap]:ty and 3 more". */
static void put_variables(const struct memphis_report *report, struct memphis_text *text,
			  const struct memphis_finding *finding)
{
	const size_t count = finding->part_count ? finding->part_count : 1;
	const size_t width = memphis_layout_width(text) - NUMBER - strlen(" and 100000 more");
	struct memphis_text line = {0};
	size_t before, i;

	for (i = 0; i < count; i++) {
		before = line.bytes;
		memphis_text_put(&line, i ? ", " : "");
		put_variable(report, &line,
			     finding->part_count ? finding->parts[i].variable : finding->variable,
			     count > 1 ? NAME_WIDTH : SIZE_MAX);
		if (i && memphis_layout_columns(line.text, line.bytes) > width) {
			memphis_text_cut(&line, before);
			break;
		}
	}
	if (i < count)
		memphis_text_print(&line, " and %zu more", count - i);
	put_line(text, &line, NUMBER);
}

/* Appends a cause: its place, what is wrong, the variables, and what to do. */
static void put_cause(const struct memphis_report *report, struct memphis_text *text, size_t number)
{
	const struct memphis_finding *finding = &report->findings.list[number];
	const struct memphis_profile *profile = report->profile;
	struct memphis_text line = {0};

	put_place(report, text, number);
	memphis_text_print(&line, "%*s%s: ", NUMBER, "", memphis_patterns[finding->pattern].name);
	memphis_finding_put_gist(finding, profile, &line);
	if (finding->processes > 1) {
		memphis_text_print(&line, "; in %" PRIu32 " of %zu processes, worst ", finding->processes,
				   profile->processes.count);
		memphis_process_name(&line, &profile->processes.list[finding->process]);
	}
	memphis_text_put(&line, "\n");
	put_lines(text, &line, 0);
	put_variables(report, text, finding);
	memphis_text_print(&line, "%*sTry: ", NUMBER, "");
	memphis_finding_put_remedy(finding, profile, &line);
	memphis_text_put(&line, "\n");
	put_lines(text, &line, strlen("Try: "));
}

/* Appends the line above the causes, which says what the numbers on the right are. */
static void put_head(const struct memphis_report *report, struct memphis_text *text)
{
	const struct memphis_whole whole = memphis_whole_of(report);

	memphis_text_style(text, MEMPHIS_BOLD);
	memphis_text_put(text, "CAUSES");
	if (whole.cycles > 0)
		memphis_text_print(text, "%*s", (int)(memphis_layout_width(text) - strlen("CAUSES")),
				   whole.saving);
	memphis_text_style(text, MEMPHIS_PLAIN);
	memphis_text_put(text, "\n");
}

static size_t count_lines(const struct memphis_text *text)
{
	size_t count = 0, i;

	for (i = 0; i < text->bytes; i++)
		count += text->text[i] == '\n';
	return count;
}

static bool has_variable(const struct memphis_finding *finding, uint32_t variable)
{
	size_t i;

	for (i = 0; i < finding->part_count; i++)
		if (finding->parts[i].variable == variable)
			return true;
	return finding->variable == variable;
}

/* Returns whether a finding says why the remote accesses to the variable are made. */
static bool is_explained(const struct memphis_findings *findings, uint32_t variable)
{
	size_t i;

	for (i = 0; i < findings->count; i++)
		if (memphis_patterns[findings->list[i].pattern].among == MEMPHIS_REMOTE_LOADS &&
		    has_variable(&findings->list[i], variable))
			return true;
	return false;
}

/* Returns the largest row of the variable with most samples that no finding of placement explains, or NULL; *samples: of all its rows. */
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

/* Appends the variable that has most of the samples that no finding explains, if it is worth to look at. */
static void put_unexplained(const struct memphis_report *report, struct memphis_text *text)
{
	const struct memphis_variable_row *row;
	struct memphis_text line = {0};
	struct memphis_share remote;
	uint64_t samples;

	/* The patterns explain remote loads. */
	if (!memphis_remote_share(report, text, &remote))
		return;
	row = find_unexplained(report, text, &samples);
	if (!row || (double)samples < UNEXPLAINED * (double)report->rows->selected ||
	    samples < MEMPHIS_FINDING_SAMPLES)
		return;
	memphis_text_put(&line, "No pattern fits ");
	put_variable(report, &line, row->variable, NAME_WIDTH);
	memphis_text_print(&line, ": %" PRIu64 " of the %" PRIu64 " samples", samples,
			   report->rows->selected);
	if (row->leaf_count && row->leaves[0].line)
		memphis_text_print_plain(&line, ", most at %s:%u", memphis_basename(row->leaves[0].path),
					 row->leaves[0].line);
	memphis_text_put(&line, "\n");
	put_lines(text, &line, NUMBER);
}

/* Appends the causes that fit, and how to see the others. */
static void put_causes(const struct memphis_report *report, struct memphis_text *text)
{
	const size_t count = report->findings.count;
	size_t before, i;

	if (!count) {
		memphis_put_no_findings(report, text);
		put_unexplained(report, text);
		memphis_text_put(text, "\n");
		return;
	}
	put_head(report, text);
	for (i = 0; i < count && i < CAUSES; i++) {
		before = text->bytes;
		put_cause(report, text, i);
		if (i && count_lines(text) > MEMPHIS_SCREEN_LINES - TRAILER) {
			memphis_text_cut(text, before);
			break;
		}
	}
	put_unexplained(report, text);
	memphis_text_put(text, "\n");
	if (i < count)
		memphis_text_print(text, "%zu more cause%s: --full\n", count - i, count - i > 1 ? "s" : "");
}

void memphis_output_screen(const struct memphis_report *report, struct memphis_text *text)
{
	put_run(report, text);
	put_answer(report, text);
	put_limits(report, text);
	memphis_text_put(text, "\n");
	put_causes(report, text);
	memphis_text_put(text, "evidence, tables by node, accounting: --full; a page: --format html\n");
}
