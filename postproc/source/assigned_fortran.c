// SPDX-License-Identifier: BSD-3-Clause
/* Finds the objects that a Fortran statement allocates or assigns to. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "source/assigned.h"

static bool in_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Returns true if `text` begins with the whole word `word`; ignores case. */
static bool word_at(const char *text, const char *word)
{
	size_t bytes = strlen(word);

	return !strncasecmp(text, word, bytes) && !in_name(text[bytes]);
}

static const char *skip_blanks(const char *text)
{
	return text + strspn(text, " \t\r\n");
}

/*
 * Returns the position after the bracket that closes the bracket at `text`, or the end of the text if it is
 * not closed.
 */
static const char *skip_brackets(const char *text)
{
	int depth = 0;
	char quote = 0;

	for (; *text; text++) {
		if (quote) {
			quote = *text == quote ? 0 : quote;
		} else if (*text == '\'' || *text == '"') {
			quote = *text;
		} else if (*text == '(' || *text == '[') {
			depth++;
		} else if (*text == ')' || *text == ']') {
			if (!--depth)
				return text + 1;
		}
	}
	return text;
}

/* Returns the end of a list item: the next comma or closing bracket that is not inside inner brackets. */
static const char *item_end(const char *text)
{
	while (*text && *text != ',' && *text != ')' && *text != ']')
		text = *text == '(' || *text == '[' ? skip_brackets(text) : text + 1;
	return text;
}

/* Returns a%b%c, in lower case, for the text a%b(i)%c(n,m); NULL if the text is not an object. */
static char *object_name(const char *text, const char *end)
{
	char *name = malloc((size_t)(end - text) + 1), *to = name;

	if (!name)
		return NULL;
	while (text < end) {
		if (*text == '(' || *text == '[') {
			text = skip_brackets(text);
			continue;
		}
		if (in_name(*text) || *text == '%')
			*to++ = (char)tolower((unsigned char)*text);
		else if (!isspace((unsigned char)*text))
			goto refuse;
		text++;
	}
	*to = 0;
	if (!isalpha((unsigned char)*name))
		goto refuse;
	return name;

refuse:
	free(name);
	return NULL;
}

/* Returns true if the list item is a keyword argument such as `stat=` or `source=`, not an object. */
static bool is_keyword_item(const char *text, const char *end)
{
	text = skip_blanks(text);
	while (text < end && in_name(*text))
		text++;
	text = skip_blanks(text);
	return text < end && *text == '=' && text[1] != '=';
}

/* Returns the position after `type-spec ::`, or `text` if the list does not begin with a type. */
static const char *skip_type(const char *text)
{
	const char *at = text;

	while (*at && *at != ',' && *at != ')') {
		if (at[0] == ':' && at[1] == ':')
			return at + 2;
		at = *at == '(' || *at == '[' ? skip_brackets(at) : at + 1;
	}
	return text;
}

static size_t allocate_objects(const char *text, char **names, size_t room)
{
	const char *end;
	size_t count = 0;

	for (text = skip_type(text); *text && count < room; text = end + 1) {
		end = item_end(text);
		if (!is_keyword_item(text, end)) {
			names[count] = object_name(text, end);
			count += names[count] != NULL;
		}
		if (*end != ',')
			break;
	}
	return count;
}

/*
 * Returns the position after the next "ALLOCATE(". It may be preceded by any text, such as `if (...)` or
 * statements that end in `;`.
 */
static const char *find_allocate(const char *text)
{
	char quote = 0, before = ' ';

	for (; *text; before = *text++) {
		if (quote) {
			quote = *text == quote ? 0 : quote;
		} else if (*text == '\'' || *text == '"') {
			quote = *text;
		} else if (!in_name(before) && before != '%' && word_at(text, "allocate")) {
			text = skip_blanks(text + strlen("allocate"));
			return *text == '(' ? text + 1 : NULL;
		}
	}
	return NULL;
}

/* Stores the name of the variable x in an assignment x = ... to the whole of it, which may allocate x. */
static size_t assigned_object(const char *text, char **names, size_t room)
{
	const char *end, *next;

	text = skip_blanks(text);
	for (end = text; in_name(*end) || *end == '%'; end++)
		;
	next = skip_blanks(end);
	if (end == text || *next != '=' || next[1] == '=' || next[1] == '>' || !room)
		return 0;
	names[0] = object_name(text, end);
	return names[0] != NULL;
}

size_t memphis_assigned_fortran(const char *text, bool *is_allocate, char **names, size_t room)
{
	const char *list = find_allocate(text);
	size_t count = 0;

	*is_allocate = list != NULL;
	if (!list)
		return assigned_object(text, names, room);
	for (; list && count < room; list = find_allocate(list))
		count += allocate_objects(list, names + count, room - count);
	return count;
}

bool memphis_is_fortran_path(const char *path, bool *fixed)
{
	static const char *const free_form[] = {"f90", "f95", "f03", "f08", "f18"};
	static const char *const fixed_form[] = {"f", "for", "ftn", "fpp"};
	const char *dot = strrchr(path, '.');
	size_t i;

	*fixed = false;
	if (!dot)
		return false;
	for (i = 0; i < sizeof(free_form) / sizeof(*free_form); i++)
		if (!strcasecmp(dot + 1, free_form[i]))
			return true;
	for (i = 0; i < sizeof(fixed_form) / sizeof(*fixed_form); i++)
		if (!strcasecmp(dot + 1, fixed_form[i]))
			return *fixed = true;
	return false;
}
