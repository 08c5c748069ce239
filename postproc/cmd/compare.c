// SPDX-License-Identifier: BSD-3-Clause
/*
 * memphis compare: shows which variables and lines gained or lost samples between two sides. A side consists
 * of one or several runs. The first side is compared with each other one.
 */
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/arguments.h"
#include "cmd/command.h"
#include "analyse/inputs.h"
#include "output/compare.h"
#include "base/terminal.h"

#define CONDITIONS 8

/* The figures that --fail-if can check. */
enum figure { SAMPLES, WAITING, REMOTE_WAITING, TIME };
static const char *const figures[] = {[SAMPLES] = "samples",
				      [WAITING] = "waiting",
				      [REMOTE_WAITING] = "remote-waiting",
				      [TIME] = "time",
				      NULL};

/* A condition of --fail-if: it is met if `figure` grows by more than `percent`. */
struct condition {
	enum figure figure;
	double percent;
};

struct options {
	struct memphis_arguments input;
	bool json, full, no_pager;
	const char *color;
	int per;         /* enum memphis_per */
	long top, lines; /* -1: not given */
	size_t width;    /* 0: width of the terminal */
	struct condition conditions[CONDITIONS];
	size_t condition_count;
};

/*
 * Reads a finite decimal number that is not negative. Sets *end to the first character after it. strtod()
 * would also accept "nan", "inf", "1e999" and "0x10".
 */
static bool read_percent(const char *text, double *percent, char **end)
{
	text += strspn(text, " ");
	*percent = strtod(text, end);
	return *text && strchr("0123456789.", *text) && isfinite(*percent) &&
	       strspn(text, "0123456789.eE+-") == (size_t)(*end - text);
}

/* Parses a condition "FIGURE > N %". */
static bool parse_condition(const struct memphis_parsing *parsing, char *value)
{
	struct options *options = parsing->options;
	struct condition *condition = &options->conditions[options->condition_count];
	const size_t name = strcspn(value, " >");
	char *rest = value + name, *end;
	size_t i;

	if (options->condition_count == CONDITIONS)
		return memphis_option_refuse(parsing, value, "is one too many");
	for (i = 0; figures[i] && (strlen(figures[i]) != name || strncmp(figures[i], value, name) != 0); i++)
		;
	rest += strspn(rest, " ");
	if (!figures[i] || *rest != '>')
		return memphis_option_refuse(
			parsing, value,
			"is not FIGURE > N %, with one of samples, waiting, remote-waiting, time as FIGURE");
	condition->figure = (enum figure)i;
	if (!read_percent(rest + 1, &condition->percent, &end) || strcmp(end + strspn(end, " "), "%") != 0)
		return memphis_option_refuse(parsing, value,
					     "has no decimal number, at least 0, and % after >");
	options->condition_count++;
	return true;
}

#define AT(member) offsetof(struct options, member)
static const char *const pers[] = {"run", "second", "operation", NULL};

static const struct memphis_option option_rows[] = {
	MEMPHIS_OPTION("per", NULL,
		       "divide samples by nothing (default), by the time in\n"
		       "                     calipers, or by the operations that the hardware counted",
		       memphis_parse_word, AT(per), .words = MEMPHIS_WORDS(pers)),
	MEMPHIS_OPTION(
		"fail-if", "'FIGURE > N %'",
		"exit with status 3 if samples, waiting, remote-waiting\n"
		"                     or time has grown by more than N %, beyond the noise (repeatable)",
		parse_condition, AT(conditions)),
	MEMPHIS_OPTION("select", "KIND",
		       "which samples count (default remote-dram); memphis report --help lists them",
		       memphis_parse_select, AT(input)),
	MEMPHIS_OPTION("node", "N", "only accesses made on node N", memphis_parse_number,
		       AT(input.selection.node)),
	MEMPHIS_OPTION("region", "NAME", "only accesses inside the caliper NAME", memphis_parse_text,
		       AT(input.selection.region)),
	MEMPHIS_OPTION("full", NULL, "all nodes, variables with their lines, regions and counters",
		       memphis_parse_flag, AT(full)),
	MEMPHIS_OPTION("top", "N", "--full, with N variables per node (default 10, JSON all; 0 = all)",
		       memphis_parse_number, AT(top)),
	MEMPHIS_OPTION("lines", "N", "--full, with N lines per variable (default 5, JSON all; 0 = all)",
		       memphis_parse_number, AT(lines)),
	MEMPHIS_OPTION_TEXT_JSON(AT(json)),
	MEMPHIS_OPTION_OUTPUT(AT(input.output), MEMPHIS_OUTPUT_HELP),
	MEMPHIS_OPTION_BINARIES(AT(input)),
	MEMPHIS_OPTION_SOURCE(AT(input)),
	MEMPHIS_OPTION_JOBS(AT(input), MEMPHIS_JOBS_HELP),
	MEMPHIS_OPTION_WIDTH(AT(width)),
	MEMPHIS_OPTION_COLOR(AT(color)),
	MEMPHIS_OPTION_NO_PAGER(AT(no_pager)),
	{.name = NULL},
};

static const struct memphis_usage usage = {
	.command = "memphis compare",
	.text = "usage: memphis compare [options] RUN RUN...\n"
		"       memphis compare [options] RUN... -- RUN...\n"
		"Compares each run with the first one, or the runs after -- with those before it: the largest changes of\n"
		"variables, with 95 % intervals, and how many are noise; with --full, all of them by NUMA node. Several runs\n"
		"of one program show how much runs differ. A RUN is a directory of sample files, or a file.\n\n",
	.options = option_rows,
};

static int load_run(struct memphis_compared_run *run, char *path, const struct options *options,
		    const struct memphis_view *view, struct memphis_error *error)
{
	int rc;

	run->name = path;
	rc = memphis_inputs_open(&run->profile, &path, 1, &options->input.selection,
				 &options->input.reduction, error);
	if (rc)
		return rc;
	if (memphis_rows_build(&run->rows, &run->profile, view) ||
	    memphis_counters_table_make(&run->counters, &run->profile.processes,
					&(struct memphis_selection){.node = -1}) ||
	    memphis_region_times_sum(&run->times, &run->profile, &options->input.selection))
		return memphis_fail(error, -ENOMEM, "out of memory");
	memphis_compared_run_measure(run);
	return 0;
}

static int check_exposures(const struct memphis_compared_run *runs, size_t count, enum memphis_per per,
			   struct memphis_error *error)
{
	size_t i;

	/* Runs that were not sampled can be compared only per run: by their times and counters. */
	for (i = 0; per != MEMPHIS_PER_RUN && i < count; i++)
		if (!(memphis_compared_run_exposure(&runs[i], per) > 0))
			return memphis_fail(
				error, -EINVAL,
				per == MEMPHIS_PER_SECOND
					? "%s: it is not known how long sampling was on; compare per run"
					: "%s: its period counts no operations, or the hardware dropped samples without a count; compare per run or second",
				runs[i].name);
	return 0;
}

static int write_out(const struct memphis_compare *compare, const struct options *options,
		     struct memphis_error *error)
{
	size_t top = options->top >= 0 ? (size_t)options->top : options->json ? 0 : 10;
	size_t lines = options->lines >= 0 ? (size_t)options->lines : options->json ? 0 : 5;
	const char *selection = options->input.selection.kind->name;
	struct memphis_text text = {0};
	int rc;

	text.width = options->width ? options->width : memphis_terminal_width(options->input.output != NULL);
	if (!options->input.output || strcmp(options->color, "auto"))
		memphis_parse_color(options->color, &text.color);
	if (options->json)
		memphis_output_compare_json(compare, selection, top, lines, &text);
	else if (options->full || options->top >= 0 || options->lines >= 0)
		memphis_output_compare_text(compare, selection, top, lines, &text);
	else
		memphis_output_compare_screen(compare, selection, &text);
	rc = memphis_write_out(&text, options->input.output, !options->no_pager, error);
	memphis_text_close(&text);
	return rc;
}

static bool are_sampled(const struct memphis_compare *compare, size_t side)
{
	return memphis_compared_sampled(compare, side) == compare->sides[side].count;
}

/* Returns a figure of a run that is not a number of samples. Returns NAN if the figure is not known. */
static double figure_of(const struct memphis_compare *compare, enum figure figure, size_t run)
{
	const double seconds = compare->runs[run].seconds;

	if (figure == TIME)
		return seconds > 0 ? seconds : NAN;
	return memphis_compared_waited(compare, &compare->all, run,
				       figure == WAITING ? MEMPHIS_COMPARED_ALL : MEMPHIS_COMPARED_REMOTE);
}

static struct memphis_change change_of_runs(const struct memphis_compare *compare, enum figure figure,
					    size_t side)
{
	const struct memphis_side *sides = compare->sides;
	double *list = calloc(compare->run_count, sizeof(*list));
	struct memphis_change change = {.ratio = NAN};
	size_t i;

	if (!list)
		return change;
	for (i = 0; i < compare->run_count; i++)
		list[i] = figure_of(compare, figure, i);
	change = memphis_change_of_values(list, sides[0].count, list + sides[side].first, sides[side].count);
	free(list);
	return change;
}

/*
 * Returns the change of a figure from the first side to the side `side`. If each side has a single run and
 * the figure is derived from samples, the noise is the random error of sampling.
 */
static struct memphis_change change_of(const struct memphis_compare *compare, enum figure figure, size_t side)
{
	const struct memphis_side *first = &compare->sides[0], *other = &compare->sides[side];
	struct memphis_change change = {.ratio = NAN};

	if (figure == TIME || (figure != SAMPLES && first->count + other->count > 2))
		return change_of_runs(compare, figure, side);
	if (figure != SAMPLES)
		change = memphis_change_of_waiting(compare, &compare->all, first->first, other->first,
						   figure == WAITING ? MEMPHIS_COMPARED_ALL
								     : MEMPHIS_COMPARED_REMOTE);
	else if (are_sampled(compare, 0) && are_sampled(compare, side))
		change = compare->all.changes[side];
	/*
	 * The condition is a single question that was chosen before the runs were seen. Therefore no
	 * correction for the number of rows is needed.
	 */
	change.noise = change.p >= MEMPHIS_SIGNIFICANCE;
	return change;
}

/*
 * Returns true if the condition is met for a side, i.e. the comparison fails. Sets *known to false if the
 * change of the figure is not known.
 */
static bool is_met(const struct memphis_compare *compare, const struct condition *condition, size_t side,
		   bool *known)
{
	const struct memphis_change change = change_of(compare, condition->figure, side);
	const double percent = 100 * (change.ratio - 1);

	if (isnan(change.ratio)) {
		*known = false;
		fprintf(stderr,
			"memphis compare: --fail-if: %s: how it changed is not known: a run was not sampled, or did not measure it\n",
			figures[condition->figure]);
		return false;
	}
	if (change.noise || percent <= condition->percent)
		return false;
	fprintf(stderr, "memphis compare: %s has grown ", figures[condition->figure]);
	if (isinf(percent))
		fputs("from 0", stderr);
	else
		fprintf(stderr, "by %.1f %%", percent);
	fprintf(stderr, ", more than %g %%\n", condition->percent);
	return true;
}

/* Checks all conditions. Returns the exit status. */
static int check_conditions(const struct memphis_compare *compare, const struct options *options)
{
	bool met = false, known = true;
	size_t i, side;

	for (i = 0; i < options->condition_count; i++)
		for (side = 1; side < compare->side_count; side++)
			met |= is_met(compare, &options->conditions[i], side, &known);
	return met ? MEMPHIS_EXIT_WORSE : known ? 0 : MEMPHIS_EXIT_ERROR;
}

static int compare(const struct options *options, char **paths, size_t count, size_t second)
{
	struct memphis_view view = {.selection = &options->input.selection, .leaf = MEMPHIS_LEAF_LINE};
	struct memphis_compared_run *runs = calloc(count, sizeof(*runs));
	struct memphis_error error = {"out of memory"};
	struct memphis_compare table = {0};
	int rc = runs ? 0 : -ENOMEM, status = MEMPHIS_EXIT_ERROR;
	size_t i;

	for (i = 0; !rc && i < count; i++)
		rc = load_run(&runs[i], paths[i], options, &view, &error);
	if (!rc) {
		memphis_compared_runs_weigh(runs, count);
		rc = check_exposures(runs, count, (enum memphis_per)options->per, &error);
	}
	if (!rc) {
		rc = memphis_compare_make(&table, runs, count, second, (enum memphis_per)options->per);
		if (rc)
			memphis_fail(&error, rc, "out of memory");
	}
	if (!rc)
		rc = write_out(&table, options, &error);
	for (i = 0; !rc && i < count; i++)
		memphis_arguments_note("memphis compare", runs[i].name, &runs[i].profile);
	if (rc)
		fprintf(stderr, "memphis compare: %s\n", error.text);
	else
		status = check_conditions(&table, options);
	memphis_compare_close(&table);
	for (i = 0; runs && i < count; i++) {
		memphis_counters_table_close(&runs[i].counters);
		memphis_region_times_close(&runs[i].times);
		memphis_rows_close(&runs[i].rows);
		memphis_profile_close(&runs[i].profile);
	}
	free(runs);
	return status;
}

/*
 * Returns the index of the first argument "--" after index `after`, or `count` if there is none. The option
 * parser would take "--" for the end of the options.
 */
static int find_second(int after, int count, char **arguments)
{
	int i;

	for (i = after + 1; i < count && strcmp(arguments[i], "--") != 0; i++)
		;
	return i;
}

static int run(int count, char **arguments)
{
	struct options options = {.input = {.command = "memphis compare",
					    .selection = {.kind = &memphis_select_kinds[0], .node = -1}},
				  .top = -1,
				  .lines = -1,
				  .color = "auto"};
	const int before = find_second(0, count, arguments);
	int status = memphis_options_parse(&usage, before, arguments, &options), first = optind, second = 0;

	if (status < 0 && find_second(before, count, arguments) < count) {
		fputs("memphis compare: more than one --; there are two sides, with one -- between them\n",
		      stderr);
		status = MEMPHIS_EXIT_USAGE;
	}
	if (status < 0 && before < count) {
		if (first < before) {
			second = before - first;
			memmove(arguments + before, arguments + before + 1,
				(size_t)(count - before) * sizeof(*arguments));
			count--;
		} else {
			first = before + 1;
		}
	}
	if (status < 0 && (count - first < 2 || (second && first + second == count))) {
		fputs(second ? "memphis compare: no runs after --; give those that are compared with the ones before it\n"
			     : "memphis compare: fewer than two runs; give two or more directories of sample files\n",
		      stderr);
		status = MEMPHIS_EXIT_USAGE;
	}
	if (status < 0)
		status = compare(&options, arguments + first, (size_t)(count - first), (size_t)second);
	memphis_arguments_close(&options.input);
	return status;
}

const struct memphis_command memphis_compare = {
	"compare", "shows which variables and lines changed from run to run", run};
