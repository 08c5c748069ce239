// SPDX-License-Identifier: BSD-3-Clause
/*
 * Fuzzes the reading of source text: looks up every statement of a C or Fortran text, in either form, and the names that it assigns
 * to. The first byte selects the language; the rest is the text.
 */
#include <stdlib.h>
#include <string.h>

#include "source/assigned.h"
#include "fuzz.h"

#define OBJECTS_MAX 64
#define LINES_MAX   512

static void ask_c(const struct memphis_source_file *file, unsigned int line)
{
	static const char *const callees[] = {NULL, "make", "operator<", "vector<int>"};
	struct memphis_assigned assigned;
	unsigned int first, last, i;
	char *text = memphis_statement_c(file, line, &first, &last);

	if (!text)
		return;
	for (i = 0; i < 2 * sizeof(callees) / sizeof(*callees); i++) {
		memphis_assigned_c(text, callees[i / 2], i & 1, &assigned);
		if (strlen(assigned.name) >= sizeof(assigned.name))
			abort();
		if (*assigned.name)
			memphis_assigned_returns(file->text, strlen(file->text), assigned.name);
	}
	memphis_assigned_object(text, &assigned);
	free(text);
}

static void ask_fortran(const struct memphis_source_file *file, unsigned int line)
{
	char *names[OBJECTS_MAX] = {NULL};
	unsigned int first, last;
	bool is_allocate;
	size_t count;
	char *text = memphis_statement_fortran(file, line, &first, &last);

	if (!text)
		return;
	count = memphis_assigned_fortran(text, &is_allocate, names, OBJECTS_MAX);
	if (count > OBJECTS_MAX)
		abort();
	while (count)
		free(names[--count]);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char *const paths[] = {"a.c", "a.f90", "a.f"};
	struct memphis_source_file file = {0};
	size_t lines[LINES_MAX];
	unsigned int language, line;
	char *at;

	if (!size)
		return -1;
	language = *data % 3;
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
		language ? ask_fortran(&file, line) : ask_c(&file, line);
	free(file.text);
	return 0;
}
