// SPDX-License-Identifier: BSD-3-Clause
/* memphis export: writes samples and profiles in the formats of other tools. */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "cmd/arguments.h"
#include "cmd/command.h"
#include "export/export.h"
#include "analyse/inputs.h"

static const struct format {
	const char *name, *help;
	int (*write)(const struct memphis_export *export, const char *path, struct memphis_error *error);
} formats[] = {
	{"pprof", "for go tool pprof and compatible tools: variables as leaves below functions",
	 memphis_export_pprof},
	{"trace", "for Perfetto and chrome://tracing: samples and calipers over time", memphis_export_trace},
	{"otf2", "for Vampir and other tools of OTF2: a directory with all events of each thread",
	 memphis_export_otf2},
	{"sqlite", "a database with all data of a profile", memphis_export_sqlite},
	{"csv", "one line for each node, variable and instruction", memphis_export_csv},
	{NULL, NULL, NULL},
};

struct options {
	struct memphis_arguments input;
	int format; /* index in formats[]; -1: not given */
};

static bool parse_by(const struct memphis_parsing *parsing, char *value)
{
	struct memphis_arguments *arguments = memphis_option_target(parsing);

	arguments->selection.by_thread = !strcmp(value, "thread");
	return arguments->selection.by_thread || memphis_option_refuse(parsing, value, "is not thread");
}

static const struct memphis_option option_rows[] = {
	MEMPHIS_OPTION("format", "FORMAT", "", memphis_parse_word, offsetof(struct options, format),
		       .words = MEMPHIS_LINES_OF(formats)),
	MEMPHIS_OPTION_OUTPUT(offsetof(struct options, input.output),
			      "written completely or not at all (otf2: a new directory)"),
	MEMPHIS_OPTION("select", "KIND",
		       "which samples count; memphis report --help lists the kinds (default all)",
		       memphis_parse_select, offsetof(struct options, input)),
	MEMPHIS_OPTION("by", "thread", "keep threads separate (sqlite)", parse_by,
		       offsetof(struct options, input)),
	MEMPHIS_OPTION_BINARIES(offsetof(struct options, input)),
	MEMPHIS_OPTION_SOURCE(offsetof(struct options, input)),
	MEMPHIS_OPTION_JOBS(offsetof(struct options, input), MEMPHIS_JOBS_HELP),
	{.name = NULL},
};

static const struct memphis_usage usage = {
	.command = "memphis export",
	.text = "usage: memphis export --format FORMAT [options] DIRECTORY|FILE... -o OUT\n"
		"Converts sample files or profiles (.mprof) to formats of other tools.\n\n",
	.options = option_rows,
};

static int write_out(const struct memphis_profile *profile, const struct memphis_arguments *arguments,
		     const struct format *format, struct memphis_error *error)
{
	const struct memphis_view view = {.selection = &arguments->selection};
	struct memphis_rows rows = {0};
	const struct memphis_export export = {profile, &rows, &arguments->selection};
	int rc = memphis_rows_build(&rows, profile, &view);

	if (rc)
		memphis_fail(error, rc, "out of memory");
	else
		rc = format->write(&export, arguments->output, error);
	memphis_rows_close(&rows);
	return rc;
}

static int export(struct memphis_arguments *arguments, const struct format *format, char **paths,
		  size_t count)
{
	struct memphis_profile profile = {0};
	struct memphis_error error;
	int rc = memphis_inputs_open(&profile, paths, count, &arguments->selection, &arguments->reduction,
				     &error);

	if (!rc)
		rc = write_out(&profile, arguments, format, &error);
	if (rc)
		fprintf(stderr, "memphis export: %s\n", error.text);
	else
		memphis_arguments_note("memphis export", NULL, &profile);
	memphis_profile_close(&profile);
	return rc ? MEMPHIS_EXIT_ERROR : 0;
}

static void refuse_no_format(void)
{
	size_t i;

	fputs("memphis export: no format; give --format ", stderr);
	for (i = 0; formats[i].name; i++)
		fprintf(stderr, "%s%s", !i ? "" : formats[i + 1].name ? ", " : " or ", formats[i].name);
	fputc('\n', stderr);
}

static int run(int count, char **list)
{
	struct options options = {.input = {.command = "memphis export",
					    .selection = {.kind = memphis_select_kind("all"),
							  .node = -1,
							  .by_region = true,
							  .all_apart = true}},
				  .format = -1};
	int status = memphis_options_parse(&usage, count, list, &options);

	if (status < 0 && options.format < 0) {
		refuse_no_format();
		status = memphis_options_refuse(usage.command);
	}
	if (status < 0 &&
	    !memphis_arguments_complete(&options.input, optind, count,
					"the directory that holds the sample files, or a profile"))
		status = memphis_options_refuse(usage.command);
	if (status < 0)
		status = export(&options.input, &formats[options.format], list + optind,
				(size_t)(count - optind));
	memphis_arguments_close(&options.input);
	return status;
}

const struct memphis_command memphis_export_command = {"export", "writes files for other tools", run};
