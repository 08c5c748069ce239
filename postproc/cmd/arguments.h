/* SPDX-License-Identifier: BSD-3-Clause */
/* Arguments that several commands take in the same way. What is wrong with one is said on standard error. */
#ifndef MEMPHIS_ARGUMENTS_H
#define MEMPHIS_ARGUMENTS_H

#include <stdbool.h>

#include "analyse/analysis.h"

/* The options of reading; their values are above all characters. */
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

/* One option with its `value`: of the four above, or 'o'. */
bool memphis_arguments_parse(struct memphis_arguments *arguments, int option, char *value);
void memphis_arguments_close(struct memphis_arguments *arguments);

/* Is there an output, and any input behind `first`? */
bool memphis_arguments_complete(const struct memphis_arguments *arguments, int first, int count,
				const char *what);

/* Says on standard error what the notes of a report would say of the inputs: for outputs that have no place for notes. `run`: which of several, or NULL. */
void memphis_arguments_note(const char *command, const char *run, const struct memphis_profile *profile);

#endif
