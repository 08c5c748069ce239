// SPDX-License-Identifier: BSD-3-Clause
/* memphis merge: combines profiles into one. */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "cmd/arguments.h"
#include "cmd/command.h"
#include "analyse/inputs.h"
#include "profile/file/mprof.h"

enum { OPTION_PART = MEMPHIS_OPTION_JOBS + 1 };

static const struct option long_options[] = {
	{"part", required_argument, NULL, OPTION_PART},
	{"output", required_argument, NULL, 'o'},
	{"jobs", required_argument, NULL, MEMPHIS_OPTION_JOBS},
	{"help", no_argument, NULL, 'h'},
	{NULL, 0, NULL, 0},
};

static void usage(FILE *to)
{
	fputs("usage: memphis merge [options] DIRECTORY|FILE.mprof... -o OUT.mprof\n"
	      "Merges profiles of different processes, in any order. OUT equals the profile that memphis reduce makes\n"
	      "from all their sample files together. A directory stands for the .mprof files in it.\n\n"
	      "  -o, --output FILE  the profile, written completely or not at all\n"
	      "  --part K/N         only part K of N, from 0 on: the files in order of their names, dealt out in turn\n"
	      "  --jobs N           files read at a time (default: one per CPU)\n",
	      to);
}

static bool parse_part(const char *text, struct memphis_inputs_part *part)
{
	char end;

	if (strspn(text, "0123456789/") == strlen(text) && strlen(text) < 16 &&
	    sscanf(text, "%u/%u%c", &part->number, &part->of, &end) == 2 && part->number < part->of)
		return true;
	fprintf(stderr, "memphis merge: --part: \"%s\" is not K/N with K from 0 to N - 1\n", text);
	return false;
}

static int merge(struct memphis_arguments *arguments, struct memphis_inputs_part part, char **paths,
		 size_t count)
{
	struct memphis_profile profile = {0};
	struct memphis_error error;
	int rc = memphis_inputs_merge(&profile, paths, count, part, arguments->reduction.jobs, &error);

	if (!rc && !profile.processes.count && !profile.processes.damaged_files) {
		fprintf(stderr, "memphis merge: part %u of %u has no files\n", part.number, part.of);
		return 0;
	}
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
	struct memphis_inputs_part part = {0, 1};
	int option, status = MEMPHIS_EXIT_USAGE;

	while ((option = getopt_long(count, list, "o:h", long_options, NULL)) != -1) {
		if (option == 'h') {
			usage(stdout);
			return 0;
		}
		if (option == OPTION_PART ? !parse_part(optarg, &part)
					  : !memphis_arguments_parse(&arguments, option, optarg))
			goto help;
	}
	if (!memphis_arguments_complete(&arguments, optind, count, "profiles, or directories of them"))
		goto help;
	return merge(&arguments, part, list + optind, (size_t)(count - optind));

help:
	fputs("run 'memphis merge --help' for usage\n", stderr);
	return status;
}

const struct memphis_command memphis_merge = {"merge", "merges profiles", run};
