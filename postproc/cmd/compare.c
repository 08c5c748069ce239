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
	enum memphis_per per;
	long top, lines; /* -1 = not given */
};

enum {
	OPTION_FORMAT = 256,
	OPTION_NODE,
	OPTION_REGION,
	OPTION_PER,
	OPTION_TOP,
	OPTION_LINES,
	OPTION_COLOR,
	OPTION_NO_PAGER
};

static const struct option long_options[] = {
	MEMPHIS_OPTIONS_OF_READING,
	{"format", required_argument, NULL, OPTION_FORMAT},
	{"output", required_argument, NULL, 'o'},
	{"node", required_argument, NULL, OPTION_NODE},
	{"region", required_argument, NULL, OPTION_REGION},
	{"per", required_argument, NULL, OPTION_PER},
	{"top", required_argument, NULL, OPTION_TOP},
	{"lines", required_argument, NULL, OPTION_LINES},
	{"color", required_argument, NULL, OPTION_COLOR},
	{"no-pager", no_argument, NULL, OPTION_NO_PAGER},
	{"help", no_argument, NULL, 'h'},
	{NULL, 0, NULL, 0},
};

static void usage(FILE *to)
{
	fputs("usage: memphis compare [options] RUN RUN...\n"
	      "Compares each run with the first one: changes of variables and lines by NUMA node, with 95 % intervals,\n"
	      "and which of them are noise. A RUN is a directory of sample files, or a file.\n\n"
	      "  --per run|second|operation  divide samples by nothing (default), by the time in\n"
	      "                     calipers, or by the operations that the hardware counted\n"
	      "  --select KIND      which samples count (default remote-dram); memphis report --help lists them\n"
	      "  --node N           only accesses made on node N\n"
	      "  --region NAME      only accesses inside the caliper NAME\n"
	      "  --top N            variables shown per node (default 10, JSON all; 0 = all)\n"
	      "  --lines N          lines shown per variable (default 5, JSON all; 0 = all)\n"
	      "  --format text|json (default text)\n"
	      "  -o, --output FILE  write there instead of to standard output\n"
	      "  --binaries DIR     look for programs, libraries and debug files below DIR first (repeatable)\n"
	      "  --source DIR       look for source files below DIR first (repeatable)\n"
	      "  --jobs N           files read at a time (default: one per CPU)\n"
	      "  --color auto|always|never  (default auto: at a terminal, unless NO_COLOR is set)\n"
	      "  --no-pager         no pager, even at a terminal\n",
	      to);
}

static bool parse_word(const char *option, const char *text, const char *const *words, const char *all,
		       int *number)
{
	for (*number = 0; words[*number]; ++*number)
		if (!strcmp(words[*number], text))
			return true;
	fprintf(stderr, "memphis compare: --%s: \"%s\" is not one of %s\n", option, text, all);
	return false;
}

static bool parse_option(struct options *options, int option)
{
	static const char *const formats[] = {"text", "json", NULL}, *const pers[] = {"run", "second",
										      "operation", NULL};
	long number = 0;
	int word;
	bool color;

	switch (option) {
	case OPTION_FORMAT:
		if (!parse_word("format", optarg, formats, "text, json", &word))
			return false;
		options->json = word;
		return true;
	case OPTION_PER:
		if (!parse_word("per", optarg, pers, "run, second, operation", &word))
			return false;
		options->per = (enum memphis_per)word;
		return true;
	case OPTION_NODE:
		if (!memphis_arguments_number("memphis compare", "node", optarg, &number))
			return false;
		options->input.selection.node = number;
		return true;
	case OPTION_REGION:
		options->input.selection.region = optarg;
		return true;
	case OPTION_TOP:
		return memphis_arguments_number("memphis compare", "top", optarg, &options->top);
	case OPTION_LINES:
		return memphis_arguments_number("memphis compare", "lines", optarg, &options->lines);
	case OPTION_COLOR:
		options->color = optarg;
		if (memphis_parse_color(optarg, &color))
			return true;
		fprintf(stderr, "memphis compare: --color: \"%s\" is not one of auto, always, never\n",
			optarg);
		return false;
	case OPTION_NO_PAGER:
		options->no_pager = true;
		return true;
	}
	return memphis_arguments_parse(&options->input, option, optarg);
}

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
		rc = check_exposures(sides, count, options->per, &error);
	if (!rc) {
		rc = memphis_compare_make(&table, sides, count, options->per);
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
	int option, status = MEMPHIS_EXIT_USAGE;

	while ((option = getopt_long(count, arguments, "o:h", long_options, NULL)) != -1) {
		if (option == 'h') {
			usage(stdout);
			status = 0;
			goto release;
		}
		if (!parse_option(&options, option)) {
			fputs("run 'memphis compare --help' for usage\n", stderr);
			goto release;
		}
	}
	if (count - optind < 2) {
		fputs("memphis compare: fewer than two runs; give two or more directories of sample files\n",
		      stderr);
		goto release;
	}
	status = compare(&options, arguments + optind, (size_t)(count - optind));
release:
	memphis_arguments_close(&options.input);
	return status;
}

const struct memphis_command memphis_compare = {
	"compare", "shows which variables and lines changed from run to run", run};
