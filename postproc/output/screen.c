// SPDX-License-Identifier: BSD-3-Clause
/*
 * The first screen of the text format, for a reader in a hurry: whether the placement of memory is the
 * problem, what it costs, which loops and variables cause it, and what to do. It never has more than
 * MEMPHIS_SCREEN_LINES lines.
 */
#include "output/output.h"

#include <stdlib.h>
#include <string.h>

#include "base/layout.h"
#include "diagnose/finding_gist.h"
#include "output/answer.h"
#include "output/section/parts.h"
#include "output/section/waiting.h"

#define CAUSES 5 /* maximum number of causes shown */
#define NOTES  3 /* maximum number of notes shown */
#define RANKS  3 /* maximum number of lines on what ranks wait for */
#define NUMBER 3 /* width of a cause's number, and indentation of the lines below it */
#define TRAILER \
	6 /* lines after the causes: the unexplained variable, an empty line, and the option that shows the rest */

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

/* Returns the length of the first word. A word with blanks is in single quotes. */
static size_t first_word_length(const char *command)
{
	return *command == '\'' ? 1 + strcspn(command + 1, "'") : strcspn(command, " ");
}

/* Appends the command without the directory of its program. */
static void put_command(struct memphis_text *text, const char *command)
{
	const size_t end = first_word_length(command);
	const bool quoted = *command == '\'';
	size_t begin = end, length;

	while (begin > quoted && command[begin - 1] != '/')
		begin--;
	length = strcspn(command + begin, " ");
	if (quoted && length >= end - begin)
		/* The quotes are not needed, because the program's name without its directory has no blanks. */
		memphis_text_print(text, "%.*s%s", (int)(end - begin), command + begin,
				   command[end] ? command + end + 1 : "");
	else
		memphis_text_print(text, "%s%s", quoted ? "'" : "", command + begin);
}

/* Appends the command lines, the first one without the directory of its program. */
static void put_commands(const struct memphis_report *report, struct memphis_text *text)
{
	struct memphis_text commands = {0}, line = {0};

	memphis_put_commands(report, &commands);
	if (commands.bytes) {
		put_command(&line, commands.text);
		put_line(text, &line, 0);
	}
	text->failed |= commands.failed;
	memphis_text_close(&commands);
}

static void put_run(const struct memphis_report *report, struct memphis_text *text)
{
	struct memphis_text line = {0};

	memphis_text_style(text, MEMPHIS_BOLD);
	put_commands(report, text);
	memphis_text_style(text, MEMPHIS_PLAIN);
	memphis_answer_put_run(report, &line);
	put_line(text, &line, 0);
	memphis_put_sampling(report, &line);
	if (line.bytes)
		put_line(text, &line, 0);
	memphis_answer_put_selected(report, text);
	memphis_text_put(text, "\n");
}

static void put_answer(const struct memphis_report *report, struct memphis_text *text)
{
	struct memphis_text answer = {0};

	memphis_answer_put_shares(report, &answer);
	memphis_text_put(&answer, "\nVerdict: ");
	memphis_put_verdict(report, &answer);
	put_lines(text, &answer, 0);
}

/* Appends the limitations of the report. */
static void put_limits(const struct memphis_report *report, struct memphis_text *text)
{
	struct memphis_text limits = {0}, line = {0};
	struct memphis_span rest, one;
	size_t count = 0;

	memphis_answer_put_limits(report, &limits);
	rest = (struct memphis_span){limits.text, limits.bytes};
	while (memphis_next_line(&rest, &one)) {
		if (count++ >= NOTES)
			continue;
		memphis_text_print(&line, "note: %.*s", (int)one.bytes, one.text);
		memphis_layout_put_note(text, &line);
		text->failed |= line.failed;
		memphis_text_close(&line);
	}
	if (count > NOTES)
		memphis_text_print(text, "note: %zu more limit this report; --full has them\n",
				   count - NOTES);
	text->failed |= limits.failed;
	memphis_text_close(&limits);
}

/* Appends the first line of a cause: its number, its place, and on the right what it costs. */
static void put_place(const struct memphis_report *report, struct memphis_text *text, size_t number)
{
	const struct memphis_finding *finding = &report->findings.list[number];
	struct memphis_text place = {0}, shown = {0}, cost = {0};
	size_t width;

	memphis_answer_put_place(report, finding, &shown);
	memphis_text_put(&cost, "  ");
	memphis_answer_put_saving(report, finding, &cost);
	width = memphis_layout_width(text) - NUMBER - cost.bytes;
	memphis_layout_shorten(&place, &shown, width);
	memphis_text_style(text, MEMPHIS_BOLD);
	memphis_text_print(text, "%-*zu", NUMBER, number + 1);
	memphis_layout_put_cell(text, &place, width);
	memphis_text_style(text, MEMPHIS_PLAIN);
	memphis_text_print(text, "%s\n", cost.text);
	text->failed |= place.failed | shown.failed | cost.failed;
	memphis_text_close(&place);
	memphis_text_close(&shown);
	memphis_text_close(&cost);
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
		memphis_answer_put_variable(
			report, &line, finding->part_count ? finding->parts[i].variable : finding->variable,
			count > 1 ? MEMPHIS_ANSWER_NAME : SIZE_MAX);
		if (i && memphis_layout_columns(line.text, line.bytes) > width) {
			memphis_text_cut(&line, before);
			break;
		}
	}
	if (i < count)
		memphis_text_print(&line, " and %zu more", count - i);
	put_line(text, &line, NUMBER);
}

/* Appends a cause: its place, the problem, the variables, and what to do. */
static void put_cause(const struct memphis_report *report, struct memphis_text *text, size_t number)
{
	const struct memphis_finding *finding = &report->findings.list[number];
	const struct memphis_profile *profile = report->profile;
	struct memphis_text line = {0};

	put_place(report, text, number);
	memphis_text_print(&line, "%*s", NUMBER, "");
	memphis_answer_put_problem(report, finding, &line);
	memphis_text_put(&line, "\n");
	put_lines(text, &line, 0);
	put_variables(report, text, finding);
	memphis_text_print(&line, "%*sTry: ", NUMBER, "");
	memphis_finding_put_remedy(finding, profile, &line);
	memphis_text_put(&line, "\n");
	put_lines(text, &line, strlen("Try: "));
}

/* Appends the title line above the causes. It also names the numbers on the right. */
static void put_causes_title(const struct memphis_report *report, struct memphis_text *text)
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

/* Appends the line about the variable that no finding explains, if there is one. */
static void put_unexplained(const struct memphis_report *report, struct memphis_text *text)
{
	struct memphis_text line = {0};

	memphis_answer_put_unexplained(report, &line);
	if (line.bytes)
		memphis_text_put(&line, "\n");
	put_lines(text, &line, NUMBER);
}

/* Appends what the ranks wait for, in at most RANKS lines, if calls of MPI or I/O functions were measured. */
static void put_ranks(const struct memphis_report *report, struct memphis_text *text)
{
	struct memphis_text line = {0};

	memphis_output_mpi_gist(report, &line);
	if (line.bytes)
		memphis_layout_put_note(text, &line);
	text->failed |= line.failed;
	memphis_text_close(&line);
}

/* Appends as many causes as fit, and the option that shows the others. */
static void put_causes(const struct memphis_report *report, struct memphis_text *text)
{
	const size_t count = report->findings.count,
		     most = MEMPHIS_SCREEN_LINES - TRAILER - (report->mpi.rank_count ? RANKS : 0);
	size_t before, i;

	if (!count) {
		memphis_put_no_findings(report, text);
		put_unexplained(report, text);
		memphis_text_put(text, "\n");
		return;
	}
	put_causes_title(report, text);
	for (i = 0; i < count && i < CAUSES; i++) {
		before = text->bytes;
		put_cause(report, text, i);
		if (i && memphis_layout_lines(text) > most) {
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
	put_ranks(report, text);
	memphis_text_put(text, "evidence, tables by node, accounting: --full; a page: --format html\n");
}
