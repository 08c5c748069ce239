// SPDX-License-Identifier: BSD-3-Clause
/* memphis report: reads sample files or profiles, and writes the report in one of its formats. */
#include <errno.h>
#include <getopt.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/arguments.h"
#include "cmd/command.h"
#include "export/export.h"
#include "analyse/inputs.h"
#include "output/output.h"
#include "base/terminal.h"

static void put_csv(const struct memphis_report *report, struct memphis_text *text)
{
	memphis_csv_put(report->rows, text);
}

static const struct format {
	const char *name;
	void (*put)(const struct memphis_report *report, struct memphis_text *text);
	bool all;  /* default of --top and --instructions: all rows */
	bool page; /* --explain and --by sharing are implied */
} formats[] = {
	{"text", memphis_output_text, false, false},
	{"paper", memphis_output_paper, false, false},
	{"json", memphis_output_json, true, false},
	{"html", memphis_output_html, true, true},
	{"csv", put_csv, true, false},
	{NULL, NULL, false, false},
};

struct options {
	struct memphis_arguments input;
	const struct format *format;
	const char *node_baseline;
	struct memphis_view view;
	long top, instructions; /* -1 = not given */
	bool threads, explain, no_pager;
	const char *color;
};

enum {
	OPTION_FORMAT = 256,
	OPTION_TOP,
	OPTION_INSTRUCTIONS,
	OPTION_NODE,
	OPTION_REGION,
	OPTION_BY,
	OPTION_SORT,
	OPTION_PROCESS,
	OPTION_THREADS,
	OPTION_EXPLAIN,
	OPTION_NODE_BASELINE,
	OPTION_COLOR,
	OPTION_NO_PAGER
};

static const struct option long_options[] = {
	MEMPHIS_OPTIONS_OF_READING,
	{"format", required_argument, NULL, OPTION_FORMAT},
	{"output", required_argument, NULL, 'o'},
	{"top", required_argument, NULL, OPTION_TOP},
	{"instructions", required_argument, NULL, OPTION_INSTRUCTIONS},
	{"node", required_argument, NULL, OPTION_NODE},
	{"region", required_argument, NULL, OPTION_REGION},
	{"by", required_argument, NULL, OPTION_BY},
	{"sort", required_argument, NULL, OPTION_SORT},
	{"process", required_argument, NULL, OPTION_PROCESS},
	{"threads", no_argument, NULL, OPTION_THREADS},
	{"explain", no_argument, NULL, OPTION_EXPLAIN},
	{"node-baseline", required_argument, NULL, OPTION_NODE_BASELINE},
	{"color", required_argument, NULL, OPTION_COLOR},
	{"no-pager", no_argument, NULL, OPTION_NO_PAGER},
	{"help", no_argument, NULL, 'h'},
	{NULL, 0, NULL, 0},
};

static const struct by_kind {
	const char *name;
	enum memphis_group_by group;
	enum memphis_leaf leaf;
	const char *help;
	size_t table; /* offset in struct memphis_view of the bool for a table of its own; 0: none */
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
};
#define BY_KINDS (sizeof(by_kinds) / sizeof(*by_kinds))

static void usage(FILE *to)
{
	const struct memphis_select_kind *kind;
	size_t i;

	fputs("usage: memphis report [options] DIRECTORY|FILE...\n"
	      "Prints, for each NUMA node, which variables its threads waited for, and in which lines.\n\n"
	      "  --select KIND      which samples count (default remote-dram):\n",
	      to);
	for (kind = memphis_select_kinds; kind->name; kind++)
		fprintf(to, "      %-14s %s\n", kind->name, kind->help);
	fputs("  --node N           only accesses made on node N\n"
	      "  --region NAME      only accesses inside the caliper NAME\n"
	      "  --by KIND          tables to print, and their rows (repeatable):\n",
	      to);
	for (i = 0; i < BY_KINDS; i++)
		fprintf(to, "      %-14s %s\n", by_kinds[i].name, by_kinds[i].help);
	fputs("  --sort count|latency  order of variables and instructions (default count)\n"
	      "  --process PID      only this process; also HOST:PID, \"rank N\" or \"rank N on host HOST\"\n"
	      "  --top N            variables shown per node (default 10, JSON and HTML all; 0 = all)\n"
	      "  --instructions N   instructions shown per variable (default 5, JSON and HTML all; 0 = all)\n"
	      "  --threads          the accounting of each thread, too\n"
	      "  --explain          why samples have no variable: examples and advice\n"
	      "  --format text|paper|json|html|csv\n"
	      "                     (default text); paper: the tables first, as in the papers on Memphis; html: one\n"
	      "                     page that shows everything, for a browser\n"
	      "  -o, --output FILE  write there instead of to standard output\n"
	      "  --binaries DIR     look for programs, libraries and debug files below DIR first (repeatable)\n"
	      "  --source DIR       look for source files below DIR first (repeatable)\n"
	      "  --node-baseline FILE|DIRECTORY  output of memphis node --measure --save, or files HOST.node of it:\n"
	      "                     limits of bandwidth, and latencies that weigh remote accesses and gains\n"
	      "  --jobs N           files read at a time (default: one per CPU)\n"
	      "  --color auto|always|never  (default auto: at a terminal, unless NO_COLOR is set)\n"
	      "  --no-pager         write to a terminal without a pager\n",
	      to);
}

static bool parse_format(struct options *options, const char *text)
{
	const struct format *format = formats;

	while (format->name && strcmp(format->name, text))
		format++;
	options->format = format;
	if (!format->name)
		fprintf(stderr,
			"memphis report: --format: \"%s\" is not one of text, paper, json, html, csv\n",
			text);
	return format->name != NULL;
}

static bool parse_process(struct options *options, const char *text)
{
	const bool good = !memphis_which_parse(&options->input.selection.which, text);

	if (!good)
		fprintf(stderr,
			"memphis report: --process: \"%s\" is not one of PID, HOST:PID, \"rank N\", \"rank N on host HOST\"\n",
			text);
	return good;
}

static bool parse_by(struct options *options, const char *text)
{
	const struct by_kind *kind = by_kinds, *end = by_kinds + BY_KINDS;

	while (kind < end && strcmp(kind->name, text))
		kind++;
	if (kind == end) {
		fprintf(stderr,
			"memphis report: --by: \"%s\" is not one of region, thread, home, process, mpi, io, sharing, type, member, instruction, line, function, field, callers\n",
			text);
		return false;
	}
	if (kind->table)
		*(bool *)((char *)&options->view + kind->table) = true;
	else if (kind->group != MEMPHIS_GROUP_NONE)
		options->view.group = kind->group;
	else
		options->view.leaf = kind->leaf;
	options->input.selection.by_region = options->view.group == MEMPHIS_GROUP_REGION;
	options->input.selection.by_thread = options->view.group == MEMPHIS_GROUP_THREAD;
	/* The table of ranks divides the waiting for remote memory into computing and MPI. */
	options->input.selection.by_rank = options->view.mpi;
	return true;
}

static bool parse_sort(struct options *options, const char *text)
{
	if (strcmp(text, "count") && strcmp(text, "latency")) {
		fprintf(stderr, "memphis report: --sort: \"%s\" is neither count nor latency\n", text);
		return false;
	}
	options->view.sort = *text == 'c' ? MEMPHIS_SORT_COUNT : MEMPHIS_SORT_LATENCY;
	return true;
}

static bool parse_color(struct options *options, const char *text)
{
	bool color;

	options->color = text;
	if (memphis_parse_color(text, &color))
		return true;
	fprintf(stderr, "memphis report: --color: \"%s\" is not one of auto, always, never\n", text);
	return false;
}

static bool parse_option(struct options *options, int option)
{
	long number = 0;

	switch (option) {
	case OPTION_FORMAT:
		return parse_format(options, optarg);
	case OPTION_TOP:
		return memphis_arguments_number("memphis report", "top", optarg, &options->top);
	case OPTION_INSTRUCTIONS:
		return memphis_arguments_number("memphis report", "instructions", optarg,
						&options->instructions);
	case OPTION_NODE:
		if (!memphis_arguments_number("memphis report", "node", optarg, &number))
			return false;
		options->input.selection.node = number;
		return true;
	case OPTION_PROCESS:
		return parse_process(options, optarg);
	case OPTION_REGION:
		options->input.selection.region = optarg;
		return true;
	case OPTION_BY:
		return parse_by(options, optarg);
	case OPTION_SORT:
		return parse_sort(options, optarg);
	case OPTION_THREADS:
		options->threads = true;
		return true;
	case OPTION_EXPLAIN:
		options->explain = true;
		return true;
	case OPTION_NODE_BASELINE:
		options->node_baseline = optarg;
		return true;
	case OPTION_COLOR:
		return parse_color(options, optarg);
	case OPTION_NO_PAGER:
		options->no_pager = true;
		return true;
	}
	return memphis_arguments_parse(&options->input, option, optarg);
}

/* The data that a report refers to. */
struct making {
	struct memphis_profile profile;
	struct memphis_rows rows;
	struct memphis_report report;
	struct memphis_error error;
};

static int make(struct making *making, struct options *options, char **paths, size_t count)
{
	int rc;

	options->view.sharing |= options->format->page;
	options->input.reduction.sharing = options->view.sharing;
	rc = memphis_inputs_open(&making->profile, paths, count, &options->input.selection,
				 &options->input.reduction, &making->error);

	if (rc)
		return rc;
	rc = memphis_weights_load(&making->report.weights, &making->profile, options->node_baseline, paths,
				  count, &making->error);
	if (rc)
		return rc;
	options->view.measured = making->report.weights.matrices;
	options->view.selection = &options->input.selection;
	rc = memphis_rows_build(&making->rows, &making->profile, &options->view);
	if (!rc && options->view.group == MEMPHIS_GROUP_REGION)
		rc = memphis_regions_sum(&making->report.regions, &making->rows);
	if (!rc)
		rc = memphis_region_times_sum(&making->report.region_times, &making->profile,
					      &options->input.selection);
	if (!rc)
		rc = memphis_mpi_waits_make(&making->report.mpi, &making->profile, &options->input.selection,
					    &making->rows.waiting);
	if (!rc && options->view.processes)
		rc = memphis_process_table_make(&making->report.processes, &making->profile,
						&options->input.selection);
	if (!rc && options->view.sharing)
		rc = memphis_thread_pairs_make(&making->report.sharing, &making->profile,
					       &options->input.selection);
	if (!rc)
		rc = memphis_types_build(&making->report.types, &making->rows);
	if (!rc)
		rc = memphis_counters_table_make(&making->report.counters, &making->profile.processes,
						 &options->input.selection);
	if (!rc)
		rc = memphis_limits_make(&making->report.limits, &making->profile, &options->input.selection,
					 &making->rows.waiting, &making->report.region_times,
					 &making->report.weights);
	if (!rc)
		rc = memphis_diagnose(&making->report.findings, &making->rows);
	if (rc)
		return memphis_fail(&making->error, rc, "out of memory");
	memphis_weights_decide(&making->report.weights, &making->rows, options->node_baseline != NULL);
	return 0;
}

static size_t limit(const struct options *options, long given, size_t otherwise)
{
	if (given >= 0)
		return (size_t)given;
	return options->format->all ? 0 : otherwise;
}

static void fill_report(struct making *making, const struct options *options)
{
	struct memphis_report *report = &making->report;

	report->profile = &making->profile;
	report->selection = &options->input.selection;
	report->view = &options->view;
	report->rows = &making->rows;
	report->top = limit(options, options->top, 10);
	report->instructions = limit(options, options->instructions, 5);
	report->threads = options->threads;
	report->explain = options->explain || options->format->page;
	report->source_directories = options->input.reduction.sources;
	report->source_directory_count = options->input.reduction.source_count;
	memphis_account(&making->profile.processes, &options->input.selection, &report->accounting);
	memphis_lpi_find(&report->lpi, &making->rows.waiting, &making->profile, &options->input.selection);
	memphis_report_notes(report);
}

static int write_out(struct making *making, const struct options *options)
{
	struct memphis_text text = {0};
	int rc;

	/* With --output, "auto" means no colour, even if standard output is a terminal. */
	if (!options->input.output || strcmp(options->color, "auto"))
		memphis_parse_color(options->color, &text.color);
	options->format->put(&making->report, &text);
	text.failed |= making->report.notes.failed;
	rc = memphis_write_out(&text, options->input.output, !options->no_pager, &making->error);
	memphis_text_close(&text);
	return rc;
}

static void release(struct making *making)
{
	memphis_text_close(&making->report.notes);
	memphis_findings_close(&making->report.findings);
	memphis_regions_close(&making->report.regions);
	memphis_region_times_close(&making->report.region_times);
	memphis_mpi_waits_close(&making->report.mpi);
	memphis_process_table_close(&making->report.processes);
	memphis_thread_pairs_close(&making->report.sharing);
	memphis_types_close(&making->report.types);
	memphis_weights_close(&making->report.weights);
	memphis_counters_table_close(&making->report.counters);
	memphis_limits_close(&making->report.limits);
	memphis_rows_close(&making->rows);
	memphis_profile_close(&making->profile);
}

static int report(struct options *options, char **paths, size_t count)
{
	struct making making = {0};
	int status = 0, rc;

	rc = make(&making, options, paths, count);
	if (!rc) {
		fill_report(&making, options);
		rc = write_out(&making, options);
	}
	if (!rc && options->format->put == put_csv)
		memphis_arguments_note("memphis report", NULL, &making.profile);
	if (rc) {
		fprintf(stderr, "memphis report: %s\n", making.error.text);
		status = MEMPHIS_EXIT_ERROR;
	} else if (making.report.accounting.unbalanced) {
		fprintf(stderr,
			"memphis report: the books of %zu threads do not balance: do not trust this report\n",
			making.report.accounting.unbalanced);
		status = MEMPHIS_EXIT_ERROR;
	}
	release(&making);
	return status;
}

static int run(int count, char **arguments)
{
	struct options options = {.format = formats,
				  .input = {.command = "memphis report",
					    .selection = {.kind = &memphis_select_kinds[0], .node = -1}},
				  .top = -1,
				  .instructions = -1,
				  .color = "auto"};
	int option, status = MEMPHIS_EXIT_USAGE;

	while ((option = getopt_long(count, arguments, "o:h", long_options, NULL)) != -1) {
		if (option == 'h') {
			usage(stdout);
			status = 0;
			goto release;
		}
		if (!parse_option(&options, option)) {
			fputs("run 'memphis report --help' for usage\n", stderr);
			goto release;
		}
	}
	if (optind == count) {
		fputs("memphis report: no sample files; give the directory that holds them\n", stderr);
		goto release;
	}
	status = report(&options, arguments + optind, (size_t)(count - optind));
release:
	memphis_arguments_close(&options.input);
	return status;
}

const struct memphis_command memphis_report = {"report", "prints variables and lines by NUMA node", run};
