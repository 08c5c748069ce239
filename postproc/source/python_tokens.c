// SPDX-License-Identifier: BSD-3-Clause
/* Splits Python text into logical lines and tokens (The Python Language Reference, chapter 2). */
#include "source/python_tokens.h"

static bool is_word_character(char c)
{
	return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

/* Returns the length of the prefix before the quote of the string at `text`, or SIZE_MAX if no string begins there. */
static size_t string_prefix_bytes(const char *text)
{
	const size_t letters = strspn(text, "rRbBuUfFtT");

	return letters <= 2 && (text[letters] == '"' || text[letters] == '\'') ? letters : SIZE_MAX;
}

static size_t string_bytes(const char *text, size_t prefix)
{
	const char *at = text + prefix;
	const char quote = *at;
	const size_t quotes = at[1] == quote && at[2] == quote ? 3 : 1;

	for (at += quotes; *at; at++) {
		if (*at == '\\' && at[1])
			at++;
		else if (*at == quote && (quotes == 1 || (at[1] == quote && at[2] == quote)))
			return (size_t)(at - text) + quotes;
		else if (*at == '\n' && quotes == 1)
			break;
	}
	return (size_t)(at - text);
}

static size_t operator_bytes(const char *text)
{
	static const char *const operators[] = {
		"**=", "//=", ">>=", "<<=", "...", "==", "!=", "<=", ">=", ":=", "->", "**",
		"//",  "<<",  ">>",  "+=",  "-=",  "*=", "/=", "%=", "&=", "|=", "^=", "@="};
	size_t i;

	for (i = 0; i < sizeof(operators) / sizeof(*operators); i++)
		if (!strncmp(text, operators[i], strlen(operators[i])))
			return strlen(operators[i]);
	return 1;
}

static size_t token_bytes(const char *text)
{
	const size_t prefix = string_prefix_bytes(text);
	const char *at = text;

	if (prefix != SIZE_MAX)
		return string_bytes(text, prefix);
	if (!is_word_character(*at) && !(*at == '.' && isdigit((unsigned char)at[1])))
		return operator_bytes(text);
	if (!isdigit((unsigned char)*at) && *at != '.') {
		while (is_word_character(*at))
			at++;
	} else {
		while (is_word_character(*at) || *at == '.' ||
		       ((*at == '+' || *at == '-') && strchr("eE", at[-1])))
			at++;
	}
	return (size_t)(at - text);
}

/* Skips blanks, comments, and line feeds that do not end a statement. Returns the next character after them. */
static const char *skip_blanks(const char *at, bool is_open)
{
	for (;; at++) {
		if (*at == '#')
			at += strcspn(at, "\n");
		if (*at == '\\' && at[1] == '\n')
			at++;
		else if (!strchr(" \t\r\f", *at) && !(*at == '\n' && is_open))
			return at;
		if (!*at)
			return at;
	}
}

bool memphis_python_statement_next(const struct memphis_source_file *file, const char **at,
				   struct python_statement *statement)
{
	const char *next = *at, *line;
	bool is_long = false;
	size_t depth = 0;

	statement->count = 0;
	while (strchr(";\n", *(next = skip_blanks(next, false))) && *next)
		next++;
	if (!*next)
		return false;
	for (line = next; line > file->text && line[-1] != '\n'; line--)
		;
	statement->indent = strspn(line, " \t");
	while (*next && (depth || !strchr(";\n", *next))) {
		const struct token token = {next, token_bytes(next)};

		if (is_opening(&token))
			depth++;
		else if (is_closing(&token) && depth)
			depth--;
		is_long |= statement->count == TOKENS_MAX;
		if (!is_long)
			statement->tokens[statement->count++] = token;
		statement->end = next + token.bytes;
		next = skip_blanks(statement->end, depth);
	}
	if (is_long)
		statement->count = 0;
	*at = next;
	return true;
}
