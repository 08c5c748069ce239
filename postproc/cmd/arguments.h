/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The options of a command are one table: it is parsed, --help prints it, and shells complete what --help lists (packaging/completion).
 * tests/house/options.bats compares it with the manual page. Errors are reported on standard error.
 */
#ifndef MEMPHIS_ARGUMENTS_H
#define MEMPHIS_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "analyse/analysis.h"

struct memphis_parsing;

/* The words that an option accepts: records that begin with a word; the word of the last one is NULL. */
struct memphis_words {
	const void *list;
	size_t bytes; /* of a record */
	bool helped;  /* a record's help follows its word, and --help has a line for each word */
};

/* Initialises struct memphis_words: --help shows the words in the place of the argument, or one line for each word. */
#define MEMPHIS_WORDS(records)                     \
	{                                          \
		records, sizeof(*(records)), false \
	}
#define MEMPHIS_LINES_OF(records)                 \
	{                                         \
		records, sizeof(*(records)), true \
	}
struct memphis_option {
	const char *name; /* name of the long form; NULL: end of the table */
	/* argument as --help shows it; NULL: there is none, or it is one of the words */
	const char *argument;
	const char *help; /* a line feed in it begins a line of --help */
	/* Sets the target of the option. `value` is NULL if the option takes none. Returns false after an error message. */
	bool (*parse)(const struct memphis_parsing *parsing, char *value);
	size_t at; /* offset of the target in the options of the command */
	struct memphis_words words;
	char letter;          /* letter of the short form; 0: there is none */
	const char *variable; /* memphis record: setting of the library that the option sets */
};

#define MEMPHIS_OPTION(name_, argument_, help_, parse_, at_, ...)                                          \
	{                                                                                                  \
		.name = (name_), .argument = (argument_), .help = (help_), .parse = (parse_), .at = (at_), \
		__VA_ARGS__                                                                                \
	}

/* An option that is being parsed. */
struct memphis_parsing {
	const char *command; /* name for messages: "memphis report" */
	const struct memphis_option *option;
	void *options; /* options of the command, which the targets are in */
};

struct memphis_usage {
	const char *command;
	const char *text; /* text that --help prints before the options */
	const struct memphis_option *options;
	void (*put_rest)(FILE *to); /* prints the part of --help after the options; NULL: there is none */
	int width;                  /* width of the options in --help; 0: 18 */
	bool has_command;           /* the first operand is a command: options after it are the command's */
	const char *version;        /* text of --version; NULL: there is no such option */
};

/*
 * Parses the options. Returns -1 if the command continues, with its operands from optind on; else the exit status: 0 after --help,
 * MEMPHIS_EXIT_USAGE after an error message.
 */
int memphis_options_parse(const struct memphis_usage *usage, int count, char **arguments, void *options);

/* Prints where the usage is described. Returns MEMPHIS_EXIT_USAGE. */
int memphis_options_refuse(const char *command);

/* Prints an error message: the option, its value, and why the value is not accepted. Returns false, so that parsers can return the result. */
bool memphis_option_refuse(const struct memphis_parsing *parsing, const char *value, const char *why);

/* Returns the target of the option that is being parsed. */
void *memphis_option_target(const struct memphis_parsing *parsing);

/* Parsers of options. The targets are a bool; a const char *; a long, which must not be negative; an int, which becomes the index of the word. */
bool memphis_parse_flag(const struct memphis_parsing *parsing, char *value);
bool memphis_parse_text(const struct memphis_parsing *parsing, char *value);
bool memphis_parse_number(const struct memphis_parsing *parsing, char *value);
bool memphis_parse_word(const struct memphis_parsing *parsing, char *value);
/* The targets are a const char *, for the words auto, always and never; and a struct memphis_which. */
bool memphis_parse_color_option(const struct memphis_parsing *parsing, char *value);
bool memphis_parse_which(const struct memphis_parsing *parsing, char *value);
/* The target is a bool, which becomes true if the word is json. */
bool memphis_parse_json(const struct memphis_parsing *parsing, char *value);

extern const char *const memphis_text_or_json[];

/* The arguments of commands that read sample files. */
struct memphis_arguments {
	const char *command; /* name for messages: "memphis reduce" */
	struct memphis_selection selection;
	struct memphis_reduction reduction;
	size_t binary_room, source_room;
	const char *output; /* -o */
};

bool memphis_parse_select(const struct memphis_parsing *parsing, char *value);
bool memphis_parse_binaries(const struct memphis_parsing *parsing, char *value);
bool memphis_parse_source(const struct memphis_parsing *parsing, char *value);
bool memphis_parse_jobs(const struct memphis_parsing *parsing, char *value);
bool memphis_parse_by_thread(const struct memphis_parsing *parsing, char *value);

/* Rows that several commands have; `at` is the offset of struct memphis_arguments, or of another target. */
#define MEMPHIS_OPTION_OUTPUT(at, help) \
	MEMPHIS_OPTION("output", "FILE", help, memphis_parse_text, at, .letter = 'o')
#define MEMPHIS_OPTION_BINARIES(at)                                                                 \
	MEMPHIS_OPTION("binaries", "DIR",                                                           \
		       "look for programs, libraries and debug files below DIR first (repeatable)", \
		       memphis_parse_binaries, at)
#define MEMPHIS_OPTION_SOURCE(at)                                                             \
	MEMPHIS_OPTION("source", "DIR", "look for source files below DIR first (repeatable)", \
		       memphis_parse_source, at)
#define MEMPHIS_OPTION_JOBS(at, help) MEMPHIS_OPTION("jobs", "N", help, memphis_parse_jobs, at)
#define MEMPHIS_OPTION_COLOR(at)                                                                            \
	MEMPHIS_OPTION("color", "auto|always|never",                                                        \
		       "(default auto: at a terminal, unless NO_COLOR is set)", memphis_parse_color_option, \
		       at)
#define MEMPHIS_OPTION_NO_PAGER(at) \
	MEMPHIS_OPTION("no-pager", NULL, "write to a terminal without a pager", memphis_parse_flag, at)
#define MEMPHIS_OPTION_TEXT_JSON(at)                                             \
	MEMPHIS_OPTION("format", NULL, "(default text)", memphis_parse_json, at, \
		       .words = MEMPHIS_WORDS(memphis_text_or_json))

#define MEMPHIS_OUTPUT_HELP "write there instead of to standard output"
#define MEMPHIS_JOBS_HELP   "files read at a time (default: one per CPU)"

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
