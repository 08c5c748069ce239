// SPDX-License-Identifier: BSD-3-Clause
/* Demangling of names of C++ and Fortran; shortening of function names. */
#include "dwarf/demangle.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef MEMPHIS_HAS_DEMANGLE
/* This function is part of the C++ library, which declares it in <cxxabi.h>. */
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

/* Characters of Fortran's names, which compilers write in lower case. */
#define LOWER_CASE "abcdefghijklmnopqrstuvwxyz0123456789_"

/* The way in which compilers name an object of a module: BEFORE module BETWEEN name AFTER. */
static const struct {
	const char *before, *between, *after;
} in_modules[] = {
	{"__", "_MOD_", ""}, /* gfortran */
	{"", "_mp_",
	 "_"}, /* ifort and ifx, not tested: "Fortran Module Naming Conventions" in Intel's developer guide */
};

static char *demangle_in_module(const char *symbol, size_t *scope)
{
	const char *before, *between, *after, *name;
	size_t i, module, bytes;
	char *text;

	for (i = 0; i < sizeof(in_modules) / sizeof(*in_modules); i++) {
		before = in_modules[i].before;
		after = in_modules[i].after;
		if (strncmp(symbol, before, strlen(before)))
			continue;
		between = strstr(symbol + strlen(before), in_modules[i].between);
		if (!between)
			continue;
		module = (size_t)(between - symbol) - strlen(before);
		name = between + strlen(in_modules[i].between);
		bytes = strlen(name);
		if (!module || bytes <= strlen(after) || strcmp(name + bytes - strlen(after), after) ||
		    strspn(symbol + strlen(before), LOWER_CASE) < module)
			continue;
		if (asprintf(&text, "%.*s::%.*s", (int)module, symbol + strlen(before),
			     (int)(bytes - strlen(after)), name) < 0)
			return NULL;
		*scope = module + 2;
		return text;
	}
	return NULL;
}

/*
 * Returns the length of a variable's name without the suffix that LLVM appends if it splits the variable, or replaces its block by static
 * memory: ".0", ".0.body".
 */
static size_t without_parts(const char *name, size_t bytes)
{
	const char *at = name + bytes;
	size_t digits;

	while (*at == '.') {
		digits = strspn(at + 1, "0123456789");
		if (digits)
			at += 1 + digits;
		else if (!strncmp(at, ".body", 5))
			at += 5;
		else
			break;
	}
	return *at ? strlen(name) : bytes;
}

/*
 * LLVM's flang, "Bijective Internal Name Uniquing" in its documentation: "_Q", then the names of the scopes with their tags, M (module),
 * S (submodule), F (procedure; without a name, the main program) and B (number of a block), then P and the name of a procedure, or E
 * (EC for a constant) and that of a variable.
 */
static char *demangle_flang(const char *symbol, size_t *scope)
{
	struct memphis_text text = {0};
	const char *at = symbol + 2;
	size_t bytes = 0;
	char tag = 0;

	*scope = 0;
	if (!strcmp(symbol, "_QQmain"))
		return strdup("MAIN__");
	memphis_text_put(&text, "");
	while (*at && strchr("MSFB", *at)) {
		tag = *at++;
		bytes = strspn(at, LOWER_CASE);
		if (bytes && tag != 'B')
			memphis_text_print(&text, "%.*s::", (int)bytes, at);
		at += bytes;
	}
	*scope = text.bytes;
	tag = *at;
	if (tag)
		at += tag == 'E' && at[1] == 'C' ? 2 : 1;
	bytes = strspn(at, LOWER_CASE);
	if ((tag == 'E' || tag == 'P') && bytes && (!at[bytes] || at[bytes] == '.')) {
		bytes = tag == 'E' ? without_parts(at, bytes) : strlen(at);
		memphis_text_print(&text, "%.*s", (int)bytes, at);
		if (!text.failed)
			return text.text;
	}
	memphis_text_close(&text);
	return NULL;
}

char *memphis_demangle_fortran(const char *symbol, size_t *scope)
{
	return strncmp(symbol, "_Q", 2) ? demangle_in_module(symbol, scope) : demangle_flang(symbol, scope);
}

char *memphis_demangle_procedure(const char *name)
{
	size_t scope;

	return name && !strncmp(name, "_Q", 2) ? demangle_flang(name, &scope) : NULL;
}

void memphis_put_procedure(struct memphis_text *text, const char *name)
{
	char *clear = memphis_demangle_procedure(name);

	memphis_text_put(text, clear ? clear : name ? name : "?");
	free(clear);
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
