// SPDX-License-Identifier: BSD-3-Clause
/* Options that several commands share. */
#include "cmd/arguments.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyse/inputs.h"

#define JOBS_MAX 1024

static bool add_directory(char ***list, size_t *count, size_t *room, char *directory)
{
	if (memphis_grow(list, room, *count + 1, sizeof(**list)))
		return false;
	(*list)[(*count)++] = directory;
	return true;
}

static bool parse_select(struct memphis_arguments *arguments, const char *text)
{
	arguments->selection.kind = memphis_select_kind(text);
	if (!arguments->selection.kind)
		fprintf(stderr, "%s: --select: no kind \"%s\"; memphis report --help lists them\n",
			arguments->command, text);
	return arguments->selection.kind != NULL;
}

bool memphis_arguments_number(const char *command, const char *option, const char *text, long *number)
{
	char *end;

	errno = 0;
	*number = strtol(text, &end, 10);
	if (!errno && *text && !*end && *number >= 0)
		return true;
	fprintf(stderr, "%s: --%s: \"%s\" is not a number\n", command, option, text);
	return false;
}

static bool parse_jobs(struct memphis_arguments *arguments, const char *text)
{
	long jobs;

	if (!memphis_arguments_number(arguments->command, "jobs", text, &jobs))
		return false;
	arguments->reduction.jobs = jobs < JOBS_MAX ? (unsigned int)jobs : JOBS_MAX;
	return true;
}

bool memphis_arguments_parse(struct memphis_arguments *arguments, int option, char *value)
{
	struct memphis_reduction *reduction = &arguments->reduction;

	switch (option) {
	case 'o':
		arguments->output = value;
		return true;
	case MEMPHIS_OPTION_SELECT:
		return parse_select(arguments, value);
	case MEMPHIS_OPTION_BINARIES:
		return add_directory(&reduction->binaries, &reduction->binary_count, &arguments->binary_room,
				     value);
	case MEMPHIS_OPTION_SOURCE:
		return add_directory(&reduction->sources, &reduction->source_count, &arguments->source_room,
				     value);
	case MEMPHIS_OPTION_JOBS:
		return parse_jobs(arguments, value);
	}
	return false;
}

void memphis_arguments_close(struct memphis_arguments *arguments)
{
	free(arguments->reduction.binaries);
	free(arguments->reduction.sources);
}

bool memphis_arguments_complete(const struct memphis_arguments *arguments, int first, int count,
				const char *what)
{
	if (!arguments->output)
		fprintf(stderr, "%s: no output; give -o FILE\n", arguments->command);
	else if (first == count)
		fprintf(stderr, "%s: no input; give %s\n", arguments->command, what);
	return arguments->output && first < count;
}

void memphis_arguments_note(const char *command, const char *run, const struct memphis_profile *profile)
{
	struct memphis_text note = {0};

	memphis_inputs_note(profile, &note);
	if (note.bytes && !note.failed)
		fprintf(stderr, "%s: %s%snote: %s", command, run ? run : "", run ? ": " : "", note.text);
	memphis_text_close(&note);
}
