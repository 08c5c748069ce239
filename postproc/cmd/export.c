// SPDX-License-Identifier: BSD-3-Clause
/* memphis export: writes samples and profiles in the formats of other tools. */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "cmd/arguments.h"
#include "cmd/command.h"
#include "export/export.h"
#include "analyse/inputs.h"

enum { OPTION_FORMAT = 256, OPTION_BY };

static const struct option long_options[] = {
	{"format", required_argument, NULL, OPTION_FORMAT},
	{"output", required_argument, NULL, 'o'},
	{"by", required_argument, NULL, OPTION_BY},
	MEMPHIS_OPTIONS_OF_READING,
	{"help", no_argument, NULL, 'h'},
	{NULL, 0, NULL, 0},
};

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
};

static void usage(FILE *to)
{
	size_t i;

	fputs("usage: memphis export --format FORMAT [options] DIRECTORY|FILE... -o OUT\n"
	      "Converts sample files or profiles (.mprof) to formats of other tools.\n\n"
	      "  --format FORMAT\n",
	      to);
	for (i = 0; i < sizeof(formats) / sizeof(*formats); i++)
		fprintf(to, "      %-14s %s\n", formats[i].name, formats[i].help);
	fputs("  -o, --output FILE  written completely or not at all (otf2: a new directory)\n"
	      "  --select KIND      which samples count; memphis report --help lists the kinds (default all)\n"
	      "  --by thread        keep threads separate (sqlite)\n"
	      "  --binaries DIR     look for programs, libraries and debug files below DIR first (repeatable)\n"
	      "  --source DIR       look for source files below DIR first (repeatable)\n"
	      "  --jobs N           files read at a time (default: one per CPU)\n",
	      to);
}

static const struct format *parse_format(const char *text)
{
	size_t i;

	for (i = 0; i < sizeof(formats) / sizeof(*formats); i++)
		if (!strcmp(formats[i].name, text))
			return &formats[i];
	fprintf(stderr, "memphis export: --format: \"%s\" is not one of pprof, trace, otf2, sqlite, csv\n",
		text);
	return NULL;
}

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

static bool parse_by(struct memphis_arguments *arguments, const char *text)
{
	arguments->selection.by_thread = !strcmp(text, "thread");
	if (!arguments->selection.by_thread)
		fprintf(stderr, "memphis export: --by: \"%s\" is not thread\n", text);
	return arguments->selection.by_thread;
}

static int run(int count, char **list)
{
	struct memphis_arguments arguments = {.command = "memphis export",
					      .selection = {.kind = memphis_select_kind("all"),
							    .node = -1,
							    .by_region = true,
							    .all_apart = true}};
	const struct format *format = NULL;
	int option, status = MEMPHIS_EXIT_USAGE;
	bool fine;

	while ((option = getopt_long(count, list, "o:h", long_options, NULL)) != -1) {
		if (option == 'h') {
			usage(stdout);
			status = 0;
			goto release;
		}
		if (option == OPTION_FORMAT)
			fine = (format = parse_format(optarg));
		else if (option == OPTION_BY)
			fine = parse_by(&arguments, optarg);
		else
			fine = memphis_arguments_parse(&arguments, option, optarg);
		if (!fine)
			goto help;
	}
	if (!format) {
		fputs("memphis export: no format; give --format pprof, trace, otf2, sqlite or csv\n", stderr);
		goto help;
	}
	if (!memphis_arguments_complete(&arguments, optind, count,
					"the directory that holds the sample files, or a profile"))
		goto help;
	status = export(&arguments, format, list + optind, (size_t)(count - optind));
	goto release;

help:
	fputs("run 'memphis export --help' for usage\n", stderr);
release:
	memphis_arguments_close(&arguments);
	return status;
}

const struct memphis_command memphis_export_command = {"export", "writes files for other tools", run};
