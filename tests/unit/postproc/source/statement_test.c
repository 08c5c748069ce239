// SPDX-License-Identifier: BSD-3-Clause
/* Statements of source files, by a line number. If this fails, the statement of an allocation is read wrongly. */
#include <stdlib.h>
#include <unistd.h>

#include "source/assigned.h"
#include "../../tap.h"

static char path[64];
static struct memphis_sources sources;

/* Writes a source file with the given text. */
static const struct memphis_source_file *file(const char *suffix, const char *text)
{
	static int number;
	FILE *to;

	snprintf(path, sizeof(path), "/tmp/memphis-statement-%d-%d%s", (int)getpid(), number++, suffix);
	to = fopen(path, "w");
	fputs(text, to);
	fclose(to);
	return memphis_source_file(&sources, path);
}

/* Returns the statement at `line`, with its first and last line and single blanks. */
static const char *statement(const struct memphis_source_file *source, unsigned int line, bool fortran)
{
	static char result[1024];
	unsigned int first, last;
	size_t at;
	char *text = fortran ? memphis_statement_fortran(source, line, &first, &last)
			     : memphis_statement_c(source, line, 0, &first, &last, &at);
	char *to = result, *from;

	unlink(path);
	if (!text)
		return "none";
	to += sprintf(to, "%u-%u: ", first, last);
	for (from = text; *from; from++)
		if (!strchr(" \t\n", *from) || to[-1] != ' ')
			*to++ = strchr(" \t\n", *from) ? ' ' : *from;
	*to = 0;
	if (to[-1] == ' ')
		to[-1] = 0;
	free(text);
	return result;
}

static void c(void)
{
	const char *text = "int a;\n"
			   "x = f(1, // one\n"
			   "      /* two; */ 2,\n"
			   "      3);\n"
			   "#define A 1\n"
			   "y = malloc(1);\n";

	is_text(statement(file(".c", text), 2, false), "2-4: x = f(1, 2, 3);",
		"a C statement is found from its first line");
	is_text(statement(file(".cpp",
			       "auto f =\n\t[v = make(1)] {\n\t\tif (v) {\n\t\t\tuse(\"{\");\n\t\t}\n\t};\n"),
			  6, false),
		"1-2: auto f = [v = make(1)] {",
		"the end of a lambda belongs to the statement that begins it");
	is_text(statement(file(".c", text), 4, false), "2-4: x = f(1, 2, 3);",
		"a C statement is found from its last line");
	is_text(statement(file(".c", text), 6, false), "6-6: y = malloc(1);",
		"a preprocessor directive ends the statement before");
	is_text(statement(file(".c", text), 7, false), "none", "a line beyond the end has no statement");
	is_text(statement(file(".c", "x = \"/* no\";\n"), 1, false), "1-1: x = \"/* no\";",
		"a comment sign in a string begins no comment");
}

static void free_form(void)
{
	const char *text = "n = 1\n"
			   "allocate(a(n), & ! first\n"
			   "  ! a comment between\n"
			   "\n"
			   "  & b('!&'))\n"
			   "m = 2\n";

	is_text(statement(file(".f90", text), 5, true), "2-5: allocate(a(n), b('!&'))",
		"a continued statement in free form is found from its last line");
	is_text(statement(file(".f90", text), 2, true), "2-5: allocate(a(n), b('!&'))",
		"a continued statement in free form is found from its first line");
	is_text(statement(file(".f90", text), 1, true), "1-1: n = 1",
		"the statement before a continued one is found");
	is_text(statement(file(".f90", text), 6, true), "6-6: m = 2",
		"the statement after a continued one is found");
}

static void fixed_form(void)
{
	const char *text = "      n = 1\n"
			   "C     comment\n"
			   "      allocate(a(n),\n"
			   "     &         b(n))\n"
			   "      m = 2\n";

	is_text(statement(file(".f", text), 3, true), "3-4: allocate(a(n), b(n))",
		"a statement in fixed form continues by column 6");
	is_text(statement(file(".f", text), 4, true), "3-4: allocate(a(n), b(n))",
		"a statement in fixed form is found from its last line");
}

int main(void)
{
	c();
	free_form();
	fixed_form();
	memphis_sources_close(&sources);
	return finish();
}
