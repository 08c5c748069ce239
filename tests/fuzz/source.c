// SPDX-License-Identifier: BSD-3-Clause
/*
 * Fuzzes the reading of source text: looks up every statement of a C or Fortran text, in either form, and the names that it assigns
 * to; and expressions of a Python text. The first byte selects the language; the rest is the text.
 */
#include <stdlib.h>
#include <string.h>

#include "source/assigned.h"
#include "source/macro_c.h"
#include "fuzz.h"

#define OBJECTS_MAX 64
#define LINES_MAX   512

static bool refuse(void *context, const char *object)
{
	(void)context;
	return !object;
}

static void ask_c(const struct memphis_source_file *file, unsigned int line)
{
	static const struct memphis_handover froms[] = {
		{.callee = ""},
		{.callee = "make", .path = "->data"},
		{.callee = "operator<"},
		{.callee = "vector<int>", .kind = MEMPHIS_HANDS_UNKNOWN},
		{.callee = "make", .kind = MEMPHIS_HANDS_ARGUMENT, .position = 1, .path = "*"},
		{.callee = "make", .kind = MEMPHIS_HANDS_ARGUMENT, .by_reference = true, .path = ".data"},
		{.callee = "make", .kind = MEMPHIS_HANDS_OBJECT, .path = ".data"},
		{.callee = "make", .kind = MEMPHIS_HANDS_OBJECT, .constructor = true, .path = ".data"},
	};
	struct memphis_assigned assigned, rust;
	unsigned int first, last, i;
	char name[16];
	size_t at;
	char *text = memphis_statement_c(file, line, line % 64, &first, &last, &at);
	bool inside;

	if (!text)
		return;
	for (i = 0; i < sizeof(froms) / sizeof(*froms); i++) {
		memphis_assigned_find_c(text, &froms[i], &assigned);
		if (strlen(assigned.name) >= sizeof(assigned.name))
			abort();
		memphis_assigned_find_rust(file, line, line % 64, &froms[i], &rust);
		if (strlen(rust.name) >= sizeof(rust.name))
			abort();
		if (!*assigned.name)
			continue;
		memphis_assigned_returns(file->text, strlen(file->text), assigned.name, &inside);
		memphis_assigned_changes(file->text, strlen(file->text), assigned.name);
		memphis_assigned_find_copy(file->text, strlen(file->text), assigned.name, refuse, NULL);
	}
	memphis_assigned_find_object(text, &assigned);
	free(memphis_macro_expand(file, text, "malloc"));
	for (first = line; memphis_include_find(file, &first, name, sizeof(name));)
		if (strlen(name) >= sizeof(name))
			abort();
	free(text);
}

static void ask_fortran(const struct memphis_source_file *file, unsigned int line)
{
	static const struct memphis_handover froms[] = {
		{.callee = "make", .path = "%u"},
		{.callee = "make", .kind = MEMPHIS_HANDS_ARGUMENT, .keyword = "p", .by_reference = true},
		{.callee = "other",
		 .kind = MEMPHIS_HANDS_ARGUMENT,
		 .position = 2,
		 .by_reference = true,
		 .path = "%u"},
	};
	char *names[OBJECTS_MAX] = {NULL}, *name;
	unsigned int first, last, i;
	unsigned int position;
	bool is_allocate;
	size_t count;
	char *text = memphis_statement_fortran(file, line, &first, &last);

	if (!text)
		return;
	count = memphis_assigned_find_fortran(text, &is_allocate, names, OBJECTS_MAX);
	if (count > OBJECTS_MAX)
		abort();
	while (count)
		free(names[--count]);
	for (i = 0; i < sizeof(froms) / sizeof(*froms); i++) {
		memphis_assigned_find_fortran_call(text, &froms[i], &name);
		if (name)
			free(memphis_assigned_find_fortran_copy(text, name));
		if (name)
			memphis_fortran_role_find(text, "make", name, &position);
		free(name);
	}
	free(text);
}

static bool find_others(void *context, const struct memphis_python_expression *value)
{
	(void)context;
	return (value->to - value->from) % 2;
}

/* Asks for the expressions between any two words in a few lines of the text. */
static void ask_python(const struct memphis_source_file *file, unsigned int line)
{
	const char *begin = file->text + (line && line <= file->line_count ? file->lines[line - 1] : 0);
	struct memphis_python_expression expression = {begin, begin};
	struct memphis_assigned assigned;
	unsigned int words;

	for (words = 0; words < 16 && *expression.from; words++) {
		expression.to = expression.from + strcspn(expression.from, "=,;\n");
		if (expression.to > expression.from) {
			memphis_assigned_find_python(file, &expression, find_others, NULL, &assigned);
			if (strlen(assigned.name) >= sizeof(assigned.name))
				abort();
			memphis_assigned_python_returns(file, &expression, "f", "a", find_others, NULL);
		}
		expression.from = expression.to + strspn(expression.to, "=,; ");
		if (expression.from == expression.to)
			break;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const ask[])(const struct memphis_source_file *,
				   unsigned int) = {ask_c, ask_fortran, ask_fortran, ask_python};
	static char *const paths[] = {"a.c", "a.f90", "a.f", "a.py"};
	struct memphis_source_file file = {0};
	size_t lines[LINES_MAX];
	unsigned int language, line;
	char *at;

	if (!size)
		return -1;
	language = *data == 'p' ? 3 : *data % 3;
	file.path = paths[language];
	file.text = malloc(size);
	if (!file.text)
		abort();
	memcpy(file.text, data + 1, size - 1);
	file.text[size - 1] = 0;
	/* Split the text into lines, up to the first NUL, as postproc/source/ does. */
	file.lines = lines;
	for (at = file.text; *at && file.line_count < LINES_MAX; at += *at == '\n') {
		lines[file.line_count++] = (size_t)(at - file.text);
		at += strcspn(at, "\n");
	}
	for (line = 0; line <= file.line_count + 1; line++)
		ask[language](&file, line);
	free(file.text);
	return 0;
}
