// SPDX-License-Identifier: BSD-3-Clause
/* Extracts the complete statement that contains a source line, without comments. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "source/assigned.h"
#include "base/text.h"

/* Number of lines before and after the given line in which the start and the end of the statement are searched. */
#define LINES_BACK    20
#define LINES_FORWARD 60

/*
 * Appends a line of C without its comments. *in_comment is true if the line begins inside a comment. It is
 * updated for the next line.
 */
static void add_c_line(struct memphis_text *text, const char *line, size_t bytes, bool *in_comment)
{
	size_t i;
	char quote = 0;

	for (i = 0; i < bytes; i++) {
		if (*in_comment) {
			if (line[i] == '*' && i + 1 < bytes && line[i + 1] == '/') {
				*in_comment = false;
				i++;
			}
			continue;
		}
		if (!quote && line[i] == '/' && i + 1 < bytes && line[i + 1] == '/')
			break;
		if (!quote && line[i] == '/' && i + 1 < bytes && line[i + 1] == '*') {
			*in_comment = true;
			i++;
			continue;
		}
		if (quote && line[i] == '\\' && i + 1 < bytes) {
			memphis_text_add(text, line + i++, 1);
		} else if (line[i] == '"' || line[i] == '\'') {
			if (!quote)
				quote = line[i];
			else if (quote == line[i])
				quote = 0;
		}
		memphis_text_add(text, line + i, 1);
	}
	memphis_text_add(text, "\n", 1);
}

/* Returns true if the text, which ends with "{", ends with `= {` or `= (type){`. The statement continues inside the braces. */
static bool begins_initializer(const char *text, size_t bytes)
{
	while (bytes > 1 && isspace((unsigned char)text[bytes - 2]))
		bytes--;
	if (bytes > 1 && text[bytes - 2] == ')') {
		while (bytes > 1 && text[bytes - 2] != '(')
			bytes--;
		bytes--;
		while (bytes > 1 && isspace((unsigned char)text[bytes - 2]))
			bytes--;
	}
	return bytes > 1 && text[bytes - 2] == '=';
}

/*
 * Returns the last significant character of the line. Returns 0 if the line is blank, or has only comments or
 * a preprocessor directive. Returns a comma for the opening brace of an initializer list.
 */
static char last_significant(const char *line, size_t bytes)
{
	struct memphis_text text = {0};
	bool in_comment = false;
	char last = 0;

	add_c_line(&text, line, bytes, &in_comment);
	while (text.bytes && isspace((unsigned char)text.text[text.bytes - 1]))
		text.bytes--;
	if (text.bytes && *(text.text + strspn(text.text, " \t")) != '#')
		last = text.text[text.bytes - 1];
	if (last == '{' && begins_initializer(text.text, text.bytes))
		last = ',';
	memphis_text_close(&text);
	return last;
}

static bool ends_statement(char last)
{
	return !last || strchr(";{}:", last);
}

/* Keeps only the statement that contains the character at *at. */
static void trim_to_statement(char *text, size_t *at)
{
	size_t i, from = 0, to = strlen(text);
	int depth = 0;
	char before = 0;

	for (i = 0; text[i]; i++) {
		depth += text[i] == '(';
		depth -= text[i] == ')';
		if (text[i] == ';' && depth <= 0 && i >= *at) {
			to = i + 1;
			break;
		}
		/* A brace after `)` begins the body of a function. */
		if ((text[i] == ';' && depth <= 0) || (text[i] == '{' && before == ')' && i < *at)) {
			from = i + 1;
			depth = 0;
		}
		if (!isspace((unsigned char)text[i]))
			before = text[i];
	}
	memmove(text, text + from, to - from);
	text[to - from] = '\0';
	*at -= from;
}

/* Returns the number of opening braces minus the number of closing braces in the line. */
static int brace_balance(const char *line, size_t bytes)
{
	struct memphis_text text = {0};
	bool in_comment = false;
	char quote = 0;
	int depth = 0;
	size_t i;

	add_c_line(&text, line, bytes, &in_comment);
	for (i = 0; i < text.bytes; i++) {
		const char one = text.text[i];

		if (quote && one == '\\')
			i++;
		else if (quote || one == '"' || one == '\'')
			quote = !quote ? one : one == quote ? 0 : quote;
		else
			depth += (one == '{') - (one == '}');
	}
	memphis_text_close(&text);
	return depth;
}

/* Returns true if the line begins with a closing brace after which the statement continues: `};`, `})`. */
static bool begins_with_closing_brace(const char *line, size_t bytes)
{
	const char *end = line + bytes;

	while (line < end && isspace((unsigned char)*line))
		line++;
	if (line == end || *line++ != '}')
		return false;
	while (line < end && isspace((unsigned char)*line))
		line++;
	return line < end && strchr(";),", *line);
}

/*
 * If the line ends the body of a lambda, returns the line on which the body begins. Compilers give the last
 * line to the code for the lambda's captures. Returns other lines unchanged.
 */
static unsigned int find_lambda_start(const struct memphis_source_file *file, unsigned int line)
{
	const char *start;
	unsigned int at;
	size_t bytes;
	int depth;

	start = memphis_source_line(file, line, &bytes);
	if (!begins_with_closing_brace(start, bytes))
		return line;
	depth = brace_balance(start, bytes);
	for (at = line - 1; at && line - at < LINES_FORWARD; at--) {
		start = memphis_source_line(file, at, &bytes);
		depth += brace_balance(start, bytes);
		if (depth >= 0)
			return at;
	}
	return line;
}

char *memphis_statement_c(const struct memphis_source_file *file, unsigned int line, unsigned int column,
			  unsigned int *first, unsigned int *last, size_t *at)
{
	struct memphis_text text = {0};
	const char *start;
	unsigned int begun;
	bool in_comment = false;
	size_t bytes;

	*at = 0;

	if (!memphis_source_line(file, line, &bytes))
		return NULL;
	begun = find_lambda_start(file, line);
	if (begun != line) {
		line = begun;
		column = 0;
	}
	for (*first = line; *first > 1 && line - *first < LINES_BACK; --*first) {
		start = memphis_source_line(file, *first - 1, &bytes);
		if (ends_statement(last_significant(start, bytes)))
			break;
	}
	for (*last = *first; *last - *first < LINES_BACK + LINES_FORWARD; ++*last) {
		start = memphis_source_line(file, *last, &bytes);
		if (!start)
			break;
		if (*last == line && column && column <= bytes) {
			add_c_line(&text, start, column - 1, &in_comment);
			/* Remove the line feed that add_c_line() has appended. */
			*at = --text.bytes;
			text.text[*at] = '\0';
			add_c_line(&text, start + column - 1, bytes - (column - 1), &in_comment);
		} else {
			add_c_line(&text, start, bytes, &in_comment);
		}
		if (*last >= line && ends_statement(last_significant(start, bytes)))
			break;
	}
	if (text.failed) {
		memphis_text_close(&text);
		return NULL;
	}
	if (*at)
		trim_to_statement(text.text, at);
	return text.text;
}

/*
 * Appends a line of Fortran without comments and continuation characters. Returns true if the statement
 * continues on the next line.
 */
static bool add_fortran_line(struct memphis_text *text, const char *line, size_t bytes, bool fixed)
{
	size_t i = 0, end;
	char quote = 0;

	if (fixed) {
		if (bytes && strchr("cC*!", *line))
			bytes = 0;
		i = bytes < 6 ? bytes : 6;
	} else {
		while (i < bytes && isspace((unsigned char)line[i]))
			i++;
		if (i < bytes && line[i] == '&')
			i++;
	}
	for (end = i; end < bytes; end++) {
		if (quote)
			quote = line[end] == quote ? 0 : quote;
		else if (line[end] == '\'' || line[end] == '"')
			quote = line[end];
		else if (line[end] == '!')
			break;
	}
	while (end > i && isspace((unsigned char)line[end - 1]))
		end--;
	if (end > i && line[end - 1] == '&' && !fixed) {
		memphis_text_add(text, line + i, end - i - 1);
		return true;
	}
	memphis_text_add(text, line + i, end - i);
	return false;
}

/* Returns true if the line is empty or a comment. Such lines may be between the lines of a continued statement. */
static bool has_no_code(const char *line, size_t bytes, bool fixed)
{
	struct memphis_text text = {0};
	bool continued = add_fortran_line(&text, line, bytes, fixed), bare = !continued && !text.bytes;

	memphis_text_close(&text);
	return bare;
}

static bool continues_next(const struct memphis_source_file *file, unsigned int line, bool fixed)
{
	struct memphis_text text = {0};
	const char *start;
	size_t bytes;
	bool continued;

	if (fixed) {
		start = memphis_source_line(file, line + 1, &bytes);
		return start && bytes > 5 && !strchr("cC*!", *start) && start[5] != ' ' && start[5] != '0' &&
		       *start != '\t';
	}
	start = memphis_source_line(file, line, &bytes);
	if (!start)
		return false;
	continued = add_fortran_line(&text, start, bytes, false);
	memphis_text_close(&text);
	return continued;
}

char *memphis_statement_fortran(const struct memphis_source_file *file, unsigned int line,
				unsigned int *first, unsigned int *last)
{
	struct memphis_text text = {0};
	const char *start;
	unsigned int before;
	size_t bytes;
	bool fixed;

	memphis_is_fortran_path(file->path, &fixed);
	if (!memphis_source_line(file, line, &bytes))
		return NULL;
	memphis_text_put(&text, "");
	*first = line;
	for (before = line; before > 1 && line - before < LINES_BACK; before--) {
		start = memphis_source_line(file, before - 1, &bytes);
		if (continues_next(file, before - 1, fixed))
			*first = before - 1;
		else if (!has_no_code(start, bytes, fixed))
			break;
	}
	for (*last = *first; *last - *first < LINES_BACK + LINES_FORWARD; ++*last) {
		start = memphis_source_line(file, *last, &bytes);
		if (!start)
			break;
		if (has_no_code(start, bytes, fixed))
			continue;
		add_fortran_line(&text, start, bytes, fixed);
		memphis_text_put(&text, " ");
		if (!continues_next(file, *last, fixed))
			break;
	}
	if (text.failed) {
		memphis_text_close(&text);
		return NULL;
	}
	return text.text;
}
