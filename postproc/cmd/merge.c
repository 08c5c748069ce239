// SPDX-License-Identifier: BSD-3-Clause
/* memphis merge: combines profiles into one. */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "cmd/arguments.h"
#include "cmd/command.h"
#include "analyse/inputs.h"
#include "profile/file/mprof.h"

struct options {
	struct memphis_arguments input;
	struct memphis_inputs_part part;
};

static bool parse_part(const struct memphis_parsing *parsing, char *value)
{
	struct memphis_inputs_part *part = memphis_option_target(parsing);
	char end;

	if (strspn(value, "0123456789/") == strlen(value) && strlen(value) < 16 &&
	    sscanf(value, "%u/%u%c", &part->number, &part->of, &end) == 2 && part->number < part->of)
		return true;
	return memphis_option_refuse(parsing, value, "is not K/N with K from 0 to N - 1");
}

static const struct memphis_option option_rows[] = {
	MEMPHIS_OPTION_OUTPUT(offsetof(struct options, input.output),
			      "the profile, written completely or not at all"),
	MEMPHIS_OPTION("part", "K/N",
		       "only part K of N, from 0 on: the files in order of their names, dealt out in turn",
		       parse_part, offsetof(struct options, part)),
	MEMPHIS_OPTION_JOBS(offsetof(struct options, input), MEMPHIS_JOBS_HELP),
	{.name = NULL},
};

static const struct memphis_usage usage = {
	.command = "memphis merge",
	.text = "usage: memphis merge [options] DIRECTORY|FILE.mprof... -o OUT.mprof\n"
		"Merges profiles of different processes, in any order. OUT equals the profile that memphis reduce makes\n"
		"from all their sample files together. A directory stands for the .mprof files in it.\n\n",
	.options = option_rows,
};

static int merge(const struct options *options, char **paths, size_t count)
{
	struct memphis_profile profile = {0};
	struct memphis_error error;
	int rc = memphis_inputs_merge(&profile, paths, count, options->part, options->input.reduction.jobs,
				      &error);

	if (!rc && !profile.processes.count && !profile.processes.damaged_files) {
		fprintf(stderr, "memphis merge: part %u of %u has no files\n", options->part.number,
			options->part.of);
		return 0;
	}
	if (!rc)
		rc = memphis_mprof_save(&profile, options->input.output, &error);
	if (rc)
		fprintf(stderr, "memphis merge: %s\n", error.text);
	else
		memphis_arguments_note("memphis merge", NULL, &profile);
	memphis_profile_close(&profile);
	return rc ? MEMPHIS_EXIT_ERROR : 0;
}

static int run(int count, char **list)
{
	struct options options = {.input = {.command = "memphis merge"}, .part = {0, 1}};
	int status = memphis_options_parse(&usage, count, list, &options);

	if (status >= 0)
		return status;
	if (!memphis_arguments_complete(&options.input, optind, count, "profiles, or directories of them"))
		return memphis_options_refuse(usage.command);
	return merge(&options, list + optind, (size_t)(count - optind));
}

const struct memphis_command memphis_merge = {"merge", "merges profiles", run};
