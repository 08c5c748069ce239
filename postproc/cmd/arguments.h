/* SPDX-License-Identifier: BSD-3-Clause */
/* Options that several commands share. Errors are reported on standard error. */
#ifndef MEMPHIS_ARGUMENTS_H
#define MEMPHIS_ARGUMENTS_H

#include <stdbool.h>

#include "analyse/analysis.h"

/* Input options; their values are larger than any character. */
enum { MEMPHIS_OPTION_SELECT = 1024, MEMPHIS_OPTION_BINARIES, MEMPHIS_OPTION_SOURCE, MEMPHIS_OPTION_JOBS };

#define MEMPHIS_OPTIONS_OF_READING                                              \
	{"select", required_argument, NULL, MEMPHIS_OPTION_SELECT},             \
		{"binaries", required_argument, NULL, MEMPHIS_OPTION_BINARIES}, \
		{"source", required_argument, NULL, MEMPHIS_OPTION_SOURCE},     \
	{                                                                       \
		"jobs", required_argument, NULL, MEMPHIS_OPTION_JOBS            \
	}

struct memphis_arguments {
	const char *command; /* "memphis reduce", for messages */
	struct memphis_selection selection;
	struct memphis_reduction reduction;
	size_t binary_room, source_room;
	const char *output; /* -o */
};

/* Parses one of the four options above, or 'o', with its `value`. Returns false after an error message. */
bool memphis_arguments_parse(struct memphis_arguments *arguments, int option, char *value);

/* Parses the value of `option` as a decimal number that is not negative. Returns false after an error message. */
bool memphis_arguments_number(const char *command, const char *option, const char *text, long *number);

void memphis_arguments_close(struct memphis_arguments *arguments);

/* Returns whether -o and at least one input, arguments[first], were given; `what` names the input in the error message. */
bool memphis_arguments_complete(const struct memphis_arguments *arguments, int first, int count,
				const char *what);

/*
 * Writes the notes about the inputs to standard error, for output formats that can't contain notes. `run` names one of several runs; it is NULL
 * if there is only one.
 */
void memphis_arguments_note(const char *command, const char *run, const struct memphis_profile *profile);

#endif
