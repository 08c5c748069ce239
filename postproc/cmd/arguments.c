// SPDX-License-Identifier: BSD-3-Clause
/* Parses tables of options, prints the usage, and implements the options that several commands share. */
#include "cmd/arguments.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/inputs.h"
#include "base/layout.h"
#include "base/terminal.h"
#include "cmd/command.h"

#define JOBS_MAX 1024
#define WIDTH    18
/* getopt_long() returns this value for the first row of a table; it is larger than any letter */
#define FIRST 256

/* Returns word number `i`, or NULL after the last word. Sets *help to the help of the word. */
static const char *word_of(const struct memphis_words *words, size_t i, const char **help)
{
	const char *const *record = (const void *)((const char *)words->list + i * words->bytes);

	*help = *record && words->helped ? record[1] : NULL;
	return *record;
}

/* Appends the words, with the separator between them. */
static void put_words(const struct memphis_words *words, const char *between, struct memphis_text *text)
{
	const char *word, *help;
	size_t i;

	for (i = 0; (word = word_of(words, i, &help)); i++)
		memphis_text_print(text, "%s%s", i ? between : "", word);
}

static bool has_argument(const struct memphis_option *option)
{
	return option->argument || option->words.list;
}

static void put_option(const struct memphis_option *option, int width, FILE *to)
{
	struct memphis_text head = {0};
	const char *word, *help;
	size_t i;

	if (option->letter)
		memphis_text_print(&head, "-%c, ", option->letter);
	memphis_text_print(&head, "--%s", option->name);
	if (has_argument(option))
		memphis_text_put(&head, " ");
	if (option->argument)
		memphis_text_put(&head, option->argument);
	else if (option->words.list)
		put_words(&option->words, "|", &head);
	if (head.failed)
		return;
	if (!*option->help || *option->help == '\n')
		fprintf(to, "  %s%s\n", head.text, option->help);
	else if (head.bytes > (size_t)width)
		fprintf(to, "  %s  %s\n", head.text, option->help);
	else
		fprintf(to, "  %-*s %s\n", width, head.text, option->help);
	for (i = 0; option->words.helped && (word = word_of(&option->words, i, &help)); i++)
		fprintf(to, "      %-14s %s\n", word, help);
	memphis_text_close(&head);
}

static void put_usage(const struct memphis_usage *usage, FILE *to)
{
	const struct memphis_option *option;

	fputs(usage->text, to);
	for (option = usage->options; option->name; option++)
		put_option(option, usage->width ? usage->width : WIDTH, to);
	if (usage->put_rest)
		usage->put_rest(to);
}

static size_t row_count(const struct memphis_option *options)
{
	size_t count = 0;

	while (options[count].name)
		count++;
	return count;
}

/* Fills in the arguments of getopt_long(). If parsing must end at the first operand, `letters` begins with "+". */
static void make_lists(const struct memphis_usage *usage, struct option *list, char *letters)
{
	const struct memphis_option *option;

	if (usage->has_command)
		*letters++ = '+';
	for (option = usage->options; option->name; option++) {
		const int argument = has_argument(option) ? required_argument : no_argument;

		*list++ = (struct option){option->name, argument, NULL,
					  option->letter ? option->letter
							 : FIRST + (int)(option - usage->options)};
		if (!option->letter)
			continue;
		*letters++ = option->letter;
		if (argument)
			*letters++ = ':';
	}
	*list++ = (struct option){"help", no_argument, NULL, 'h'};
	*letters++ = 'h';
	if (usage->version)
		*list++ = (struct option){"version", no_argument, NULL, 'V'};
	*letters = 0;
	*list = (struct option){0};
}

static const struct memphis_option *find_option(const struct memphis_usage *usage, int value)
{
	const struct memphis_option *option = usage->options;

	if (value >= FIRST)
		return option + (value - FIRST);
	while (option->name && option->letter != value)
		option++;
	return option->name ? option : NULL;
}

int memphis_options_parse(const struct memphis_usage *usage, int count, char **arguments, void *options)
{
	struct memphis_parsing parsing = {.command = usage->command, .options = options};
	const size_t rows = row_count(usage->options);
	struct option list[rows + 3]; /* three more entries: --help, --version, and the end */
	char letters[2 * rows + 3];   /* three more letters: "+", "h", and the end */
	int value;

	make_lists(usage, list, letters);
	while ((value = getopt_long(count, arguments, letters, list, NULL)) != -1) {
		if (value == 'h') {
			put_usage(usage, stdout);
			return 0;
		}
		if (value == 'V' && usage->version) {
			puts(usage->version);
			return 0;
		}
		parsing.option = find_option(usage, value);
		if (!parsing.option || !parsing.option->parse(&parsing, optarg))
			return memphis_options_refuse(usage->command);
	}
	return -1;
}

int memphis_options_refuse(const char *command)
{
	fprintf(stderr, "run '%s --help' for usage\n", command);
	return MEMPHIS_EXIT_USAGE;
}

bool memphis_option_refuse(const struct memphis_parsing *parsing, const char *value, const char *why)
{
	fprintf(stderr, "%s: --%s: \"%s\" %s\n", parsing->command, parsing->option->name, value, why);
	return false;
}

void *memphis_option_target(const struct memphis_parsing *parsing)
{
	return (char *)parsing->options + parsing->option->at;
}

bool memphis_parse_width(const struct memphis_parsing *parsing, char *value)
{
	size_t *width = memphis_option_target(parsing);

	if (!memphis_parse_number(parsing, value))
		return false;
	if (*width < MEMPHIS_LAYOUT_LEAST || *width > MEMPHIS_LAYOUT_MOST)
		return memphis_option_refuse(parsing, value, "at least 72, and at most 1000");
	return true;
}

bool memphis_parse_flag(const struct memphis_parsing *parsing, char *value)
{
	(void)value;
	*(bool *)memphis_option_target(parsing) = true;
	return true;
}

bool memphis_parse_text(const struct memphis_parsing *parsing, char *value)
{
	*(const char **)memphis_option_target(parsing) = value;
	return true;
}

bool memphis_parse_number(const struct memphis_parsing *parsing, char *value)
{
	char *end;
	long number;

	errno = 0;
	number = strtol(value, &end, 10);
	if (errno || !*value || *end || number < 0)
		return memphis_option_refuse(parsing, value, "is not a number");
	*(long *)memphis_option_target(parsing) = number;
	return true;
}

bool memphis_parse_word(const struct memphis_parsing *parsing, char *value)
{
	const struct memphis_words *words = &parsing->option->words;
	struct memphis_text all = {0};
	const char *word, *help;
	int i;

	for (i = 0; (word = word_of(words, (size_t)i, &help)); i++) {
		if (strcmp(word, value))
			continue;
		*(int *)memphis_option_target(parsing) = i;
		return true;
	}
	memphis_text_put(&all, i == 2 ? "is neither " : "is not one of ");
	put_words(words, i == 2 ? " nor " : ", ", &all);
	memphis_option_refuse(parsing, value, all.failed ? "is not accepted" : all.text);
	memphis_text_close(&all);
	return false;
}

const char *const memphis_text_or_json[] = {"text", "json", NULL};

bool memphis_parse_json(const struct memphis_parsing *parsing, char *value)
{
	struct memphis_option number = *parsing->option;
	struct memphis_parsing word = {parsing->command, &number, &(int){0}};

	number.at = 0;
	if (!memphis_parse_word(&word, value))
		return false;
	*(bool *)memphis_option_target(parsing) = *(int *)word.options;
	return true;
}

bool memphis_parse_color_option(const struct memphis_parsing *parsing, char *value)
{
	bool color;

	if (!memphis_parse_color(value, &color))
		return memphis_option_refuse(parsing, value, "is not one of auto, always, never");
	return memphis_parse_text(parsing, value);
}

bool memphis_parse_which(const struct memphis_parsing *parsing, char *value)
{
	return !memphis_which_parse(memphis_option_target(parsing), value) ||
	       memphis_option_refuse(parsing, value,
				     "is not one of PID, HOST:PID, \"rank N\", \"rank N on host HOST\"");
}

bool memphis_parse_select(const struct memphis_parsing *parsing, char *value)
{
	struct memphis_arguments *arguments = memphis_option_target(parsing);

	arguments->selection.kind = memphis_select_kind(value);
	if (!arguments->selection.kind)
		fprintf(stderr, "%s: --select: no kind \"%s\"; memphis report --help lists them\n",
			parsing->command, value);
	return arguments->selection.kind != NULL;
}

static bool add_directory(const struct memphis_parsing *parsing, char ***list, size_t *count, size_t *room,
			  char *directory)
{
	if (memphis_grow(list, room, *count + 1, sizeof(**list)))
		return memphis_option_refuse(parsing, directory, "can't be added: out of memory");
	(*list)[(*count)++] = directory;
	return true;
}

bool memphis_parse_binaries(const struct memphis_parsing *parsing, char *value)
{
	struct memphis_arguments *arguments = memphis_option_target(parsing);

	return add_directory(parsing, &arguments->reduction.binaries, &arguments->reduction.binary_count,
			     &arguments->binary_room, value);
}

bool memphis_parse_source(const struct memphis_parsing *parsing, char *value)
{
	struct memphis_arguments *arguments = memphis_option_target(parsing);

	return add_directory(parsing, &arguments->reduction.sources, &arguments->reduction.source_count,
			     &arguments->source_room, value);
}

bool memphis_parse_jobs(const struct memphis_parsing *parsing, char *value)
{
	struct memphis_arguments *arguments = memphis_option_target(parsing);
	struct memphis_option number = *parsing->option;
	long jobs = 0;

	number.at = 0;
	if (!memphis_parse_number(&(struct memphis_parsing){parsing->command, &number, &jobs}, value))
		return false;
	arguments->reduction.jobs = jobs < JOBS_MAX ? (unsigned int)jobs : JOBS_MAX;
	return true;
}

bool memphis_parse_by_thread(const struct memphis_parsing *parsing, char *value)
{
	struct memphis_arguments *arguments = memphis_option_target(parsing);

	arguments->selection.by_thread = !strcmp(value, "thread");
	return arguments->selection.by_thread ||
	       memphis_option_refuse(parsing, value,
				     "is not thread; a profile keeps all else separate anyway");
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

	memphis_inputs_put_notes(profile, &note);
	if (note.bytes && !note.failed)
		fprintf(stderr, "%s: %s%snote: %s", command, run ? run : "", run ? ": " : "", note.text);
	memphis_text_close(&note);
}
