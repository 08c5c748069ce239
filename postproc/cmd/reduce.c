// SPDX-License-Identifier: BSD-3-Clause
/* memphis reduce: reduces sample files to a profile. Reports from the profile need neither the sample files nor the binaries. */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "cmd/arguments.h"
#include "cmd/command.h"
#include "analyse/inputs.h"
#include "profile/file/mprof.h"

static const struct memphis_option option_rows[] = {
	MEMPHIS_OPTION_OUTPUT(offsetof(struct memphis_arguments, output),
			      "the profile, written completely or not at all"),
	MEMPHIS_OPTION("by", "thread",
		       "keep threads separate, for report --by thread, --process and --region",
		       memphis_parse_by_thread, 0),
	MEMPHIS_OPTION("select", "KIND",
		       "keep only these samples; memphis report --help lists the kinds (default all)",
		       memphis_parse_select, 0),
	MEMPHIS_OPTION_BINARIES(0),
	MEMPHIS_OPTION_SOURCE(0),
	MEMPHIS_OPTION_JOBS(0, MEMPHIS_JOBS_HELP),
	{.name = NULL},
};

static const struct memphis_usage usage = {
	.command = "memphis reduce",
	.text = "usage: memphis reduce [options] DIRECTORY|FILE... -o OUT.mprof\n"
		"Reduces sample files to a profile: a small file with the data of memphis report, which no longer needs\n"
		"the sample files, programs, libraries and sources. memphis merge combines profiles.\n\n",
	.options = option_rows,
};

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
	int status = memphis_options_parse(&usage, count, list, &arguments);

	if (status < 0 && !memphis_arguments_complete(&arguments, optind, count,
						      "the directory that holds the sample files"))
		status = memphis_options_refuse(arguments.command);
	if (status < 0)
		status = reduce(&arguments, list + optind, (size_t)(count - optind));
	memphis_arguments_close(&arguments);
	return status;
}

const struct memphis_command memphis_reduce_command = {"reduce", "reduces sample files to a profile", run};
