// SPDX-License-Identifier: BSD-3-Clause
/* Demangling and shortening of C++ function names. */
#include "dwarf/demangle.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#ifdef MEMPHIS_HAS_DEMANGLE
/* provided by the C++ library, which declares it in <cxxabi.h> */
char *__cxa_demangle(const char *mangled, char *room, size_t *bytes, int *status);
#endif

char *memphis_demangle(const char *symbol)
{
	if (!symbol || strncmp(symbol, "_Z", 2))
		return NULL;
#ifdef MEMPHIS_HAS_DEMANGLE
	return __cxa_demangle(symbol, NULL, NULL, NULL);
#else
	return NULL;
#endif
}

/* Returns true if the word "operator" ends at `at`. */
static bool ends_in_operator(const char *name, const char *at)
{
	static const char word[] = "operator";
	const size_t bytes = sizeof(word) - 1;

	return (size_t)(at - name) >= bytes && !memcmp(at - bytes, word, bytes) &&
	       ((size_t)(at - name) == bytes || strchr(":) ", at[-1 - (int)bytes]));
}

/*
 * Returns true if the angle bracket at `at` belongs to the name of an operator: operator<, operator<<=,
 * operator->.
 */
static bool is_operator(const char *name, const char *at)
{
	while (at > name && strchr("<>=-", at[-1]))
		at--;
	return ends_in_operator(name, at);
}

/*
 * Returns the position of the parenthesis that opens the parameter list, or of the end of the string if there
 * is none. The parentheses of "(anonymous namespace)" and in "operator()" do not open a parameter list.
 */
static char *parameters_of(char *name)
{
	char *end = name + strlen(name), *close = strrchr(name, ')'), *at;
	int depth = 0;

	if (!close || strstr(close, "::"))
		return end;
	for (at = close; at >= name; at--) {
		depth += *at == ')';
		depth -= *at == '(';
		if (!depth)
			break;
	}
	return at <= name || ends_in_operator(name, at) ? end : at;
}

/* Removes template arguments, but not the angle brackets in names of operators. */
static void drop_templates(char *name)
{
	char *to = name, *from;
	int depth = 0;

	for (from = name; *from; from++) {
		if (*from == '<' && (depth || !is_operator(name, from))) {
			depth++;
			continue;
		}
		if (*from == '>' && depth) {
			depth--;
			continue;
		}
		if (!depth)
			*to++ = *from;
	}
	while (to > name && to[-1] == ' ')
		to--;
	*to = 0;
}

/* Removes the return type, which is part of the mangled name of a template function. */
static void drop_result(char *name)
{
	char *space = NULL, *at;
	int depth = 0;

	for (at = name; *at && strncmp(at, "operator", 8); at++) {
		depth += *at == '(' || *at == '{' || *at == '[';
		depth -= *at == ')' || *at == '}' || *at == ']';
		if (*at == ' ' && !depth)
			space = at;
	}
	if (space)
		memmove(name, space + 1, strlen(space + 1) + 1);
}

void memphis_put_function(struct memphis_text *text, const char *name)
{
	char *shorter = strlen(name) > MEMPHIS_FUNCTION_SHORT ? strdup(name) : NULL;

	if (shorter) {
		*parameters_of(shorter) = 0;
		if (strlen(shorter) > MEMPHIS_FUNCTION_SHORT) {
			drop_templates(shorter);
			drop_result(shorter);
		}
	}
	memphis_text_put_plain(text, shorter ? shorter : name);
	free(shorter);
}
