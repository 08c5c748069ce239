/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The options of a command are described by one table. The table is used for parsing and for --help. Shells
 * complete the options that --help lists (packaging/completion). tests/house/options.bats compares the table
 * with the manual page. Errors are reported on standard error.
 */
#ifndef MEMPHIS_ARGUMENTS_H
#define MEMPHIS_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "analyse/analysis.h"

struct memphis_parsing;

/*
 * The words that an option accepts. `list` is an array of records of any type that begin with a word (const
 * char *). The last record has the word NULL.
 */
struct memphis_words {
	const void *list;
	size_t bytes; /* size of a record */
	/* each record has a help text after its word, and --help prints one line for each word */
	bool helped;
};

/*
 * Initialise struct memphis_words. With MEMPHIS_WORDS, --help shows the words in place of the argument. With
 * MEMPHIS_LINES_OF, it shows one line for each word.
 */
#define MEMPHIS_WORDS(records)                     \
	{                                          \
		records, sizeof(*(records)), false \
	}
#define MEMPHIS_LINES_OF(records)                 \
	{                                         \
		records, sizeof(*(records)), true \
	}
struct memphis_option {
	const char *name; /* name of the long form; NULL marks the end of the table */
	/* argument as --help shows it; NULL if there is no argument, or if the argument is one of `words` */
	const char *argument;
	const char *help; /* text for --help; a line feed in it begins a new line */
	/*
	 * Stores the option in its target. `value` is NULL if the option takes no argument. Returns false
	 * after an error message.
	 */
	bool (*parse)(const struct memphis_parsing *parsing, char *value);
	size_t at; /* offset of the target in the command's structure of options */
	struct memphis_words words;
	char letter;          /* letter of the short form; 0 if there is none */
	const char *variable; /* memphis record: environment variable of the library that the option sets */
};

#define MEMPHIS_OPTION(name_, argument_, help_, parse_, at_, ...)                                          \
	{                                                                                                  \
		.name = (name_), .argument = (argument_), .help = (help_), .parse = (parse_), .at = (at_), \
		__VA_ARGS__                                                                                \
	}

/* The option that is being parsed. */
struct memphis_parsing {
	const char *command; /* name for messages: "memphis report" */
	const struct memphis_option *option;
	void *options; /* structure of the command's options, which contains the targets */
};

struct memphis_usage {
	const char *command;
	const char *text; /* text that --help prints before the options */
	const struct memphis_option *options;
	void (*put_rest)(FILE *to); /* prints the part of --help after the options; NULL if there is none */
	int width;                  /* width of the column of options in --help; 0: 18 */
	/* the first operand is a command: options after it belong to that command */
	bool has_command;
	const char *version; /* text of --version; NULL if there is no such option */
};

/*
 * Parses the options. Returns -1 if the command continues; its operands then begin at arguments[optind].
 * Otherwise returns the exit status: 0 after --help, MEMPHIS_EXIT_USAGE after an error message.
 */
int memphis_options_parse(const struct memphis_usage *usage, int count, char **arguments, void *options);

/* Prints a reference to --help. Returns MEMPHIS_EXIT_USAGE. */
int memphis_options_refuse(const char *command);

/*
 * Prints an error message with the option, its value, and the reason why the value is not accepted. Returns
 * false, so that a parser can return the result.
 */
bool memphis_option_refuse(const struct memphis_parsing *parsing, const char *value, const char *why);

/* Returns the target of the option that is being parsed. */
void *memphis_option_target(const struct memphis_parsing *parsing);

/*
 * Parsers of options. The type of the target is bool for memphis_parse_flag(), const char * for _text(), and
 * long for _number(), which must not be negative. For _word(), it is int and becomes the index of the word.
 */
bool memphis_parse_flag(const struct memphis_parsing *parsing, char *value);
bool memphis_parse_width(const struct memphis_parsing *parsing, char *value);
bool memphis_parse_text(const struct memphis_parsing *parsing, char *value);
bool memphis_parse_number(const struct memphis_parsing *parsing, char *value);
bool memphis_parse_word(const struct memphis_parsing *parsing, char *value);
/*
 * The target of memphis_parse_color_option() is a const char * and becomes auto, always or never. The target
 * of memphis_parse_which() is a struct memphis_which.
 */
bool memphis_parse_color_option(const struct memphis_parsing *parsing, char *value);
bool memphis_parse_which(const struct memphis_parsing *parsing, char *value);
/* The target is a bool. It becomes true if the word is json. */
bool memphis_parse_json(const struct memphis_parsing *parsing, char *value);

extern const char *const memphis_text_or_json[];

/* The options and operands of commands that read sample files. */
struct memphis_arguments {
	const char *command; /* name for messages: "memphis reduce" */
	struct memphis_selection selection;
	struct memphis_reduction reduction;
	size_t binary_room, source_room;
	const char *output; /* value of -o */
};

bool memphis_parse_select(const struct memphis_parsing *parsing, char *value);
bool memphis_parse_binaries(const struct memphis_parsing *parsing, char *value);
bool memphis_parse_source(const struct memphis_parsing *parsing, char *value);
bool memphis_parse_jobs(const struct memphis_parsing *parsing, char *value);
bool memphis_parse_by_thread(const struct memphis_parsing *parsing, char *value);

/* Table rows that several commands have. `at` is the offset of struct memphis_arguments, or of another target. */
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
#define MEMPHIS_OPTION_WIDTH(at)                                                                  \
	MEMPHIS_OPTION("width", "N",                                                              \
		       "columns of the lines (default: the terminal's, or COLUMNS; at least 72)", \
		       memphis_parse_width, at)
#define MEMPHIS_OPTION_NO_PAGER(at) \
	MEMPHIS_OPTION("no-pager", NULL, "write to a terminal without a pager", memphis_parse_flag, at)
#define MEMPHIS_OPTION_TEXT_JSON(at)                                             \
	MEMPHIS_OPTION("format", NULL, "(default text)", memphis_parse_json, at, \
		       .words = MEMPHIS_WORDS(memphis_text_or_json))

#define MEMPHIS_OUTPUT_HELP "write there instead of to standard output"
#define MEMPHIS_JOBS_HELP   "files read at a time (default: one per CPU)"

void memphis_arguments_close(struct memphis_arguments *arguments);

/*
 * Checks that -o and at least one input, arguments[first], were given. Otherwise prints an error message, in
 * which `what` names the input, and returns false.
 */
bool memphis_arguments_complete(const struct memphis_arguments *arguments, int first, int count,
				const char *what);

/*
 * Writes the notes about the inputs to standard error, for output formats that cannot contain notes. If there
 * are several runs, `run` is the name of this one. Otherwise it is NULL.
 */
void memphis_arguments_note(const char *command, const char *run, const struct memphis_profile *profile);

#endif
