// SPDX-License-Identifier: BSD-3-Clause
/* memphis merge: combines profiles into one. */
#include <getopt.h>
#include <stdio.h>

#include "cmd/arguments.h"
#include "cmd/command.h"
#include "analyse/inputs.h"
#include "profile/file/mprof.h"

static const struct option long_options[] = {
	{"output", required_argument, NULL, 'o'},
	{"jobs", required_argument, NULL, MEMPHIS_OPTION_JOBS},
	{"help", no_argument, NULL, 'h'},
	{NULL, 0, NULL, 0},
};

static void usage(FILE *to)
{
	fputs("usage: memphis merge [options] DIRECTORY|FILE.mprof... -o OUT.mprof\n"
	      "Merges profiles of different processes, in any order. OUT equals the profile that memphis "
	      "reduce makes\n"
	      "from all their sample files together. A directory stands for the .mprof files in it.\n\n"
	      "  -o, --output FILE  the profile, written completely or not at all\n"
	      "  --jobs N           files read at a time (default: one per CPU)\n",
	      to);
}

static int merge(struct memphis_arguments *arguments, char **paths, size_t count)
{
	struct memphis_profile profile = {0};
	struct memphis_error error;
	int rc = memphis_inputs_merge(&profile, paths, count, arguments->reduction.jobs, &error);

	if (!rc)
		rc = memphis_mprof_save(&profile, arguments->output, &error);
	if (rc)
		fprintf(stderr, "memphis merge: %s\n", error.text);
	else
		memphis_arguments_note("memphis merge", NULL, &profile);
	memphis_profile_close(&profile);
	return rc ? MEMPHIS_EXIT_ERROR : 0;
}

static int run(int count, char **list)
{
	struct memphis_arguments arguments = {.command = "memphis merge"};
	int option, status = MEMPHIS_EXIT_USAGE;

	while ((option = getopt_long(count, list, "o:h", long_options, NULL)) != -1) {
		if (option == 'h') {
			usage(stdout);
			return 0;
		}
		if (!memphis_arguments_parse(&arguments, option, optarg))
			goto help;
	}
	if (!memphis_arguments_complete(&arguments, optind, count, "profiles, or directories of them"))
		goto help;
	return merge(&arguments, list + optind, (size_t)(count - optind));

help:
	fputs("run 'memphis merge --help' for usage\n", stderr);
	return status;
}

const struct memphis_command memphis_merge = {"merge", "merges profiles", run};
