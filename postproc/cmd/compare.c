// SPDX-License-Identifier: BSD-3-Clause
/* memphis compare: which variables and lines gained or lost samples between a first run and others. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/arguments.h"
#include "cmd/command.h"
#include "analyse/inputs.h"
#include "output/compare.h"
#include "base/terminal.h"

struct options {
	struct memphis_arguments input;
	bool json, no_pager;
	const char *color;
	int per;         /* enum memphis_per */
	long top, lines; /* -1 = not given */
};

#define AT(member) offsetof(struct options, member)
static const char *const pers[] = {"run", "second", "operation", NULL};

static const struct memphis_option option_rows[] = {
	MEMPHIS_OPTION("per", NULL,
		       "divide samples by nothing (default), by the time in\n"
		       "                     calipers, or by the operations that the hardware counted",
		       memphis_parse_word, AT(per), .words = MEMPHIS_WORDS(pers)),
	MEMPHIS_OPTION("select", "KIND",
		       "which samples count (default remote-dram); memphis report --help lists them",
		       memphis_parse_select, AT(input)),
	MEMPHIS_OPTION("node", "N", "only accesses made on node N", memphis_parse_number,
		       AT(input.selection.node)),
	MEMPHIS_OPTION("region", "NAME", "only accesses inside the caliper NAME", memphis_parse_text,
		       AT(input.selection.region)),
	MEMPHIS_OPTION("top", "N", "variables shown per node (default 10, JSON all; 0 = all)",
		       memphis_parse_number, AT(top)),
	MEMPHIS_OPTION("lines", "N", "lines shown per variable (default 5, JSON all; 0 = all)",
		       memphis_parse_number, AT(lines)),
	MEMPHIS_OPTION_TEXT_JSON(AT(json)),
	MEMPHIS_OPTION_OUTPUT(AT(input.output), MEMPHIS_OUTPUT_HELP),
	MEMPHIS_OPTION_BINARIES(AT(input)),
	MEMPHIS_OPTION_SOURCE(AT(input)),
	MEMPHIS_OPTION_JOBS(AT(input), MEMPHIS_JOBS_HELP),
	MEMPHIS_OPTION_COLOR(AT(color)),
	MEMPHIS_OPTION_NO_PAGER(AT(no_pager)),
	{.name = NULL},
};

static const struct memphis_usage usage = {
	.command = "memphis compare",
	.text = "usage: memphis compare [options] RUN RUN...\n"
		"Compares each run with the first one: changes of variables and lines by NUMA node, with 95 % intervals,\n"
		"and which of them are noise. A RUN is a directory of sample files, or a file.\n\n",
	.options = option_rows,
};

static int load_side(struct memphis_side *side, char *path, const struct options *options,
		     const struct memphis_view *view, struct memphis_error *error)
{
	int rc;

	side->name = path;
	rc = memphis_inputs_open(&side->profile, &path, 1, &options->input.selection,
				 &options->input.reduction, error);
	if (rc)
		return rc;
	if (memphis_rows_build(&side->rows, &side->profile, view) ||
	    memphis_counters_table_make(&side->counters, &side->profile.processes,
					&(struct memphis_selection){.node = -1}) ||
	    memphis_region_times_sum(&side->times, &side->profile, &options->input.selection))
		return memphis_fail(error, -ENOMEM, "out of memory");
	memphis_side_measure(side);
	return 0;
}

static int check_exposures(const struct memphis_side *sides, size_t count, enum memphis_per per,
			   struct memphis_error *error)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (!(memphis_side_exposure(&sides[i], per) > 0))
			return memphis_fail(
				error, -EINVAL,
				per == MEMPHIS_PER_SECOND
					? "%s: it is not known how long sampling was on; compare per run"
					: "%s: its period counts no operations, or the hardware dropped samples without a count; compare per run or second",
				sides[i].name);
	return 0;
}

static int write_out(const struct memphis_compare *compare, const struct options *options,
		     struct memphis_error *error)
{
	size_t top = options->top >= 0 ? (size_t)options->top : options->json ? 0 : 10;
	size_t lines = options->lines >= 0 ? (size_t)options->lines : options->json ? 0 : 5;
	struct memphis_text text = {0};
	int rc;

	if (!options->input.output || strcmp(options->color, "auto"))
		memphis_parse_color(options->color, &text.color);
	(options->json ? memphis_output_compare_json : memphis_output_compare_text)(
		compare, options->input.selection.kind->name, top, lines, &text);
	rc = memphis_write_out(&text, options->input.output, !options->no_pager, error);
	memphis_text_close(&text);
	return rc;
}

static int compare(const struct options *options, char **paths, size_t count)
{
	struct memphis_view view = {.selection = &options->input.selection, .leaf = MEMPHIS_LEAF_LINE};
	struct memphis_side *sides = calloc(count, sizeof(*sides));
	struct memphis_error error = {"out of memory"};
	struct memphis_compare table = {0};
	int rc = sides ? 0 : -ENOMEM;
	size_t i;

	for (i = 0; !rc && i < count; i++)
		rc = load_side(&sides[i], paths[i], options, &view, &error);
	if (!rc)
		rc = check_exposures(sides, count, (enum memphis_per)options->per, &error);
	if (!rc) {
		rc = memphis_compare_make(&table, sides, count, (enum memphis_per)options->per);
		if (rc)
			memphis_fail(&error, rc, "out of memory");
	}
	if (!rc)
		rc = write_out(&table, options, &error);
	for (i = 0; !rc && i < count; i++)
		memphis_arguments_note("memphis compare", sides[i].name, &sides[i].profile);
	if (rc)
		fprintf(stderr, "memphis compare: %s\n", error.text);
	memphis_compare_close(&table);
	for (i = 0; sides && i < count; i++) {
		memphis_counters_table_close(&sides[i].counters);
		memphis_region_times_close(&sides[i].times);
		memphis_rows_close(&sides[i].rows);
		memphis_profile_close(&sides[i].profile);
	}
	free(sides);
	return rc ? MEMPHIS_EXIT_ERROR : 0;
}

static int run(int count, char **arguments)
{
	struct options options = {.input = {.command = "memphis compare",
					    .selection = {.kind = &memphis_select_kinds[0], .node = -1}},
				  .top = -1,
				  .lines = -1,
				  .color = "auto"};
	int status = memphis_options_parse(&usage, count, arguments, &options);

	if (status < 0 && count - optind < 2) {
		fputs("memphis compare: fewer than two runs; give two or more directories of sample files\n",
		      stderr);
		status = MEMPHIS_EXIT_USAGE;
	}
	if (status < 0)
		status = compare(&options, arguments + optind, (size_t)(count - optind));
	memphis_arguments_close(&options.input);
	return status;
}

const struct memphis_command memphis_compare = {
	"compare", "shows which variables and lines changed from run to run", run};
