// SPDX-License-Identifier: BSD-3-Clause
/* memphis report: reads sample files or profiles, and writes the report in one of its formats. */
#include <getopt.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "cmd/arguments.h"
#include "cmd/command.h"
#include "export/export.h"
#include "base/layout.h"
#include "output/output.h"
#include "base/terminal.h"

static void put_text(const struct memphis_report *report, struct memphis_text *text)
{
	(report->view->full ? memphis_output_text : memphis_output_screen)(report, text);
}

static void put_csv(const struct memphis_report *report, struct memphis_text *text)
{
	memphis_csv_put(report->rows, text);
}

static const struct format {
	const char *name;
	void (*put)(const struct memphis_report *report, struct memphis_text *text);
	bool all;  /* by default, --top and --instructions show all rows */
	bool page; /* this format implies --explain and --by sharing */
} formats[] = {
	{"text", put_text, false, false},
	{"paper", memphis_output_paper, false, false},
	{"json", memphis_output_json, true, false},
	{"html", memphis_output_html, true, true},
	{"csv", put_csv, true, false},
	{NULL, NULL, false, false},
};

struct options {
	struct memphis_arguments input;
	int format, sort; /* index in formats; enum memphis_sort */
	const char *node_baseline;
	struct memphis_view view;
	int by; /* index in by_kinds of the last option --by */
	bool no_pager;
	size_t width; /* 0: width of the terminal */
	const char *color;
};

static const struct by_kind {
	const char *name, *help;
	enum memphis_group_by group;
	enum memphis_leaf leaf;
	size_t table; /* offset in struct memphis_view of the bool that adds a table for this kind; 0: none */
} by_kinds[] = {
	{.name = "region",
	 .group = MEMPHIS_GROUP_REGION,
	 .help = "totals of each region, and a separate table for each"},
	{.name = "thread", .group = MEMPHIS_GROUP_THREAD, .help = "a separate table for each thread"},
	{.name = "home",
	 .group = MEMPHIS_GROUP_HOME,
	 .help = "a separate table for each home node of the data"},
	{.name = "process",
	 .table = offsetof(struct memphis_view, processes),
	 .help = "a table of processes or ranks, with outliers marked"},
	{.name = "mpi",
	 .table = offsetof(struct memphis_view, mpi),
	 .help = "tables of MPI ranks, functions and files: time in MPI and I/O, bytes, waiting for ranks"},
	{.name = "io", .table = offsetof(struct memphis_view, mpi), .help = "the same"},
	{.name = "sharing",
	 .table = offsetof(struct memphis_view, sharing),
	 .help = "a table of the threads that share memory, with the variables that they share"},
	{.name = "type",
	 .table = offsetof(struct memphis_view, types),
	 .help = "a table of the types that are accessed, in all variables"},
	{.name = "member",
	 .table = offsetof(struct memphis_view, members),
	 .help = "a table of the members that are accessed, with their variables"},
	{.name = "instruction", .help = "instructions below variables (default)"},
	{.name = "line", .leaf = MEMPHIS_LEAF_LINE, .help = "lines instead of instructions"},
	{.name = "function", .leaf = MEMPHIS_LEAF_FUNCTION, .help = "functions instead of instructions"},
	{.name = "field",
	 .leaf = MEMPHIS_LEAF_FIELD,
	 .help = "members of the variables instead of instructions"},
	{.name = "callers",
	 .leaf = MEMPHIS_LEAF_CALLERS,
	 .help = "functions instead of instructions; those of libraries with their callers"},
	{.name = NULL},
};

static bool parse_by(const struct memphis_parsing *parsing, char *value)
{
	struct options *options = parsing->options;
	const struct by_kind *kind;

	if (!memphis_parse_word(parsing, value))
		return false;
	kind = &by_kinds[options->by];
	if (kind->table)
		*(bool *)((char *)&options->view + kind->table) = true;
	else if (kind->group != MEMPHIS_GROUP_NONE)
		options->view.group = kind->group;
	else
		options->view.leaf = kind->leaf;
	options->view.full = true;
	options->input.selection.by_region = options->view.group == MEMPHIS_GROUP_REGION;
	options->input.selection.by_thread = options->view.group == MEMPHIS_GROUP_THREAD;
	/* The table of ranks divides the waiting for remote memory into computing and MPI, which requires samples by rank. */
	options->input.selection.by_rank = options->view.mpi;
	return true;
}

static bool parse_sort(const struct memphis_parsing *parsing, char *value)
{
	struct options *options = parsing->options;

	options->view.full = true;
	return memphis_parse_word(parsing, value);
}

#define AT(member) offsetof(struct options, member)
static const char *const sorts[] = {[MEMPHIS_SORT_COUNT] = "count", [MEMPHIS_SORT_LATENCY] = "latency", NULL};

#define NUMBER(member, name, help) MEMPHIS_OPTION(name, "N", help, memphis_parse_number, AT(view.member)),
#define FLAG(member, name, help)   MEMPHIS_OPTION(name, NULL, help, memphis_parse_flag, AT(view.member)),

static const struct memphis_option option_rows[] = {
	MEMPHIS_OPTION("select", "KIND", "which samples count (default remote-dram):", memphis_parse_select,
		       AT(input), .words = MEMPHIS_LINES_OF(memphis_select_kinds)),
	MEMPHIS_OPTION("node", "N", "only accesses made on node N", memphis_parse_number,
		       AT(input.selection.node)),
	MEMPHIS_OPTION("region", "NAME", "only accesses inside the caliper NAME", memphis_parse_text,
		       AT(input.selection.region)),
	MEMPHIS_OPTION("by", "KIND", "tables to print, and their rows (repeatable):", parse_by, AT(by),
		       .words = MEMPHIS_LINES_OF(by_kinds)),
	MEMPHIS_OPTION("sort", NULL, "order of variables, instructions and processes (default count)",
		       parse_sort, AT(sort), .words = MEMPHIS_WORDS(sorts)),
	MEMPHIS_OPTION("process", "PID",
		       "only this process; also HOST:PID, \"rank N\" or \"rank N on host HOST\"",
		       memphis_parse_which, AT(input.selection.which)),
	MEMPHIS_VIEW_NUMBERS(NUMBER) /* rows for the options that view/rows.h lists */
	MEMPHIS_VIEW_FLAGS(FLAG)     /* likewise */
	MEMPHIS_OPTION(
		"format", NULL,
		"\n                     (default text); paper: the tables first, as in the papers on Memphis; html: one\n"
		"                     page that shows everything, for a browser",
		memphis_parse_word, AT(format), .words = MEMPHIS_WORDS(formats)),
	MEMPHIS_OPTION_OUTPUT(AT(input.output), MEMPHIS_OUTPUT_HELP),
	MEMPHIS_OPTION_BINARIES(AT(input)),
	MEMPHIS_OPTION_SOURCE(AT(input)),
	MEMPHIS_OPTION(
		"node-baseline", "FILE|DIRECTORY",
		"output of memphis node --measure --save, or files HOST.node of it:\n"
		"                     limits of bandwidth, and latencies that weigh remote accesses and gains",
		memphis_parse_text, AT(node_baseline)),
	MEMPHIS_OPTION_JOBS(AT(input), MEMPHIS_JOBS_HELP),
	MEMPHIS_OPTION_WIDTH(AT(width)),
	MEMPHIS_OPTION_COLOR(AT(color)),
	MEMPHIS_OPTION_NO_PAGER(AT(no_pager)),
	{.name = NULL},
};

static const struct memphis_usage usage = {
	.command = "memphis report",
	.text = "usage: memphis report [options] DIRECTORY|FILE...\n"
		"Prints, for each NUMA node, which variables its threads waited for, and in which lines.\n\n",
	.options = option_rows,
};

static void set_default(size_t *number, const struct format *format, size_t otherwise)
{
	if (*number == SIZE_MAX)
		*number = format->all ? 0 : otherwise;
}

static int write_out(const struct memphis_report *report, const struct options *options,
		     struct memphis_error *error)
{
	struct memphis_text text = {0};
	int rc;

	/* If the output goes to a file, "auto" means no colour. */
	if (!options->input.output || strcmp(options->color, "auto"))
		memphis_parse_color(options->color, &text.color);
	text.width = options->width ? options->width : memphis_terminal_width(options->input.output != NULL);
	formats[options->format].put(report, &text);
	text.failed |= report->notes.failed;
	rc = memphis_write_out(&text, options->input.output, !options->no_pager, error);
	memphis_text_close(&text);
	return rc;
}

/* Returns true if the options ask for tables. The first screen has none. */
static bool asks_for_tables(const struct memphis_view *view)
{
	return view->threads || view->explain || view->top != SIZE_MAX || view->instructions != SIZE_MAX;
}

static int report(struct options *options, char **paths, size_t count)
{
	const struct format *format = &formats[options->format];
	const struct memphis_report_inputs inputs = {paths, count, &options->input.reduction,
						     options->node_baseline};
	struct memphis_report report = {.view = &options->view};
	struct memphis_error error;
	int rc;

	options->view.selection = &options->input.selection;
	options->view.sort = (enum memphis_sort)options->sort;
	options->view.full |= asks_for_tables(&options->view);
	options->view.sharing |= format->page;
	options->view.explain |= format->page;
	set_default(&options->view.top, format, 10);
	set_default(&options->view.instructions, format, 5);
	options->input.reduction.sharing = options->view.sharing;
	rc = memphis_report_open(&report, &inputs, &error);
	if (!rc)
		rc = write_out(&report, options, &error);
	if (!rc && format->put == put_csv)
		memphis_arguments_note("memphis report", NULL, report.profile);
	if (rc)
		fprintf(stderr, "memphis report: %s\n", error.text);
	else if (report.accounting.unbalanced)
		fprintf(stderr,
			"memphis report: the books of %zu threads do not balance: do not trust this report\n",
			report.accounting.unbalanced);
	rc = rc || report.accounting.unbalanced;
	memphis_report_close(&report);
	return rc ? MEMPHIS_EXIT_ERROR : 0;
}

static int run(int count, char **arguments)
{
	struct options options = {.input = {.command = "memphis report",
					    .selection = {.kind = &memphis_select_kinds[0], .node = -1}},
				  .view = {.top = SIZE_MAX, .instructions = SIZE_MAX},
				  .color = "auto"};
	int status = memphis_options_parse(&usage, count, arguments, &options);

	if (status < 0 && optind == count) {
		fputs("memphis report: no sample files; give the directory that holds them\n", stderr);
		status = MEMPHIS_EXIT_USAGE;
	}
	if (status < 0)
		status = report(&options, arguments + optind, (size_t)(count - optind));
	memphis_arguments_close(&options.input);
	return status;
}

const struct memphis_command memphis_report = {"report", "prints variables and lines by NUMA node", run};
