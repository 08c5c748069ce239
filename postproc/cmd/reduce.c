// SPDX-License-Identifier: BSD-3-Clause
/* memphis reduce: reduces sample files to a profile, which needs neither the files nor the binaries afterwards. */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "cmd/arguments.h"
#include "cmd/command.h"
#include "analyse/inputs.h"
#include "profile/file/mprof.h"

enum { OPTION_BY = 256 };

static const struct option long_options[] = {
	{"output", required_argument, NULL, 'o'},
	{"by", required_argument, NULL, OPTION_BY},
	MEMPHIS_OPTIONS_OF_READING,
	{"help", no_argument, NULL, 'h'},
	{NULL, 0, NULL, 0},
};

static void usage(FILE *to)
{
	fputs("usage: memphis reduce [options] DIRECTORY|FILE... -o OUT.mprof\n"
	      "Reduces sample files to a profile: a small file with the data of memphis report, which no longer needs\n"
	      "the sample files, programs, libraries and sources. memphis merge combines profiles.\n\n"
	      "  -o, --output FILE  the profile, written completely or not at all\n"
	      "  --by thread        keep threads separate, for report --by thread, --process and --region\n"
	      "  --select KIND      keep only these samples; memphis report --help lists the kinds (default all)\n"
	      "  --binaries DIR     look for programs, libraries and debug files below DIR first (repeatable)\n"
	      "  --source DIR       look for source files below DIR first (repeatable)\n"
	      "  --jobs N           files read at a time (default: one per CPU)\n",
	      to);
}

static bool parse_by(struct memphis_arguments *arguments, const char *text)
{
	arguments->selection.by_thread = !strcmp(text, "thread");
	if (!arguments->selection.by_thread)
		fprintf(stderr,
			"memphis reduce: --by: \"%s\" is not thread; a profile keeps all else separate anyway\n",
			text);
	return arguments->selection.by_thread;
}

static int reduce(struct memphis_arguments *arguments, char **paths, size_t count)
{
	struct memphis_profile profile = {0};
	struct memphis_error error;
	int rc = memphis_inputs_open(&profile, paths, count, &arguments->selection, &arguments->reduction,
				     &error);

	if (!rc)
		rc = memphis_mprof_save(&profile, arguments->output, &error);
	if (rc)
		fprintf(stderr, "memphis reduce: %s\n", error.text);
	else
		memphis_arguments_note("memphis reduce", NULL, &profile);
	memphis_profile_close(&profile);
	return rc ? MEMPHIS_EXIT_ERROR : 0;
}

static int run(int count, char **list)
{
	struct memphis_arguments arguments = {.command = "memphis reduce",
					      .selection = {.kind = memphis_select_kind("all"),
							    .node = -1,
							    .by_region = true,
							    .all_apart = true}};
	int option, status = MEMPHIS_EXIT_USAGE;
	bool fine;

	while ((option = getopt_long(count, list, "o:h", long_options, NULL)) != -1) {
		if (option == 'h') {
			usage(stdout);
			status = 0;
			goto release;
		}
		fine = option == OPTION_BY ? parse_by(&arguments, optarg)
					   : memphis_arguments_parse(&arguments, option, optarg);
		if (!fine)
			goto help;
	}
	if (!memphis_arguments_complete(&arguments, optind, count,
					"the directory that holds the sample files"))
		goto help;
	status = reduce(&arguments, list + optind, (size_t)(count - optind));
	goto release;

help:
	fputs("run 'memphis reduce --help' for usage\n", stderr);
release:
	memphis_arguments_close(&arguments);
	return status;
}

const struct memphis_command memphis_reduce_command = {"reduce", "reduces sample files to a profile", run};
