// SPDX-License-Identifier: BSD-3-Clause
/* Finds what a function of C or C++ does with a variable: returns it, copies it to another object, or changes it. */
#include <ctype.h>
#include <string.h>

#include "source/assigned.h"
#include "source/c_tokens.h"

/*
 * Reads the next statement of a function body. Stores its tokens without the ; { or } at its end. Skips
 * comments. Sets *at to NULL at the end of the body. Returns the number of tokens.
 */
static size_t read_statement(const char **at, const char *end, struct token *tokens)
{
	const char *text = *at;
	size_t count = 0, bytes;

	*at = NULL;
	while (text < end && count < TOKENS_MAX) {
		if (isspace((unsigned char)*text)) {
			text++;
			continue;
		}
		if (*text == '/' && text + 1 < end && text[1] == '/') {
			while (text < end && *text != '\n')
				text++;
			continue;
		}
		if (*text == '/' && text + 1 < end && text[1] == '*') {
			for (text += 2; text + 1 < end && (text[0] != '*' || text[1] != '/'); text++)
				;
			text += 2;
			continue;
		}
		bytes = memphis_c_token_bytes(text);
		if (bytes > (size_t)(end - text))
			break;
		if (strchr(";{}", *text)) {
			*at = text + 1;
			return count;
		}
		tokens[count++] = (struct token){text, bytes};
		text += bytes;
	}
	return count;
}

/* Narrows [*first, *end) to the expression without brackets around the whole of it and without casts before it. */
static void strip_casts(const struct token *tokens, size_t *first, size_t *end)
{
	size_t open, close;

	while (*first + 1 < *end) {
		open = *first;
		if (ends_with(&tokens[open], "_cast"))
			while (open < *end && !is(&tokens[open], "("))
				open++;
		if (open == *end || !is(&tokens[open], "("))
			return;
		close = match_forward(tokens, *end, open);
		if (close + 1 == *end) {
			*first = open + 1;
			*end = close;
		} else if (open == *first && close < *end) {
			*first = close + 1;
		} else {
			return;
		}
	}
}

/* Returns true if the expression in [first, end) is the variable, or an address inside the block to which it points. */
static bool is_variable_or_inside(const struct token *tokens, size_t first, size_t end, const char *name,
				  bool *inside)
{
	size_t at;

	strip_casts(tokens, &first, &end);
	if (first + 2 < end && is(&tokens[first], "&") && is(&tokens[first + 1], name) &&
	    is(&tokens[first + 2], "["))
		return *inside = true;
	for (at = first; at < end; at++) {
		if (is_opening(&tokens[at]))
			at = match_forward(tokens, end, at);
		else if (is(&tokens[at], "?"))
			break;
	}
	/* In `c ? a : b`, either value may be the variable. */
	if (at < end) {
		for (first = ++at; at < end && !is(&tokens[at], ":"); at++)
			;
		return is_variable_or_inside(tokens, first, at, name, inside) ||
		       (at < end && is_variable_or_inside(tokens, at + 1, end, name, inside));
	}
	if (first >= end || !is(&tokens[first], name))
		return false;
	if (first + 1 == end)
		return true;
	/*
	 * A sum or difference with the pointer is an address inside the block. Differences occur for arrays
	 * whose lowest index is not 0: the code returns the pointer minus that index.
	 */
	return is(&tokens[first + 1], "+") || is(&tokens[first + 1], "-") ? *inside = true : false;
}

bool memphis_assigned_returns(const char *body, size_t bytes, const char *name, bool *inside)
{
	struct token tokens[TOKENS_MAX];
	const char *at = body;
	size_t count, first;

	*inside = false;
	while (at) {
		count = read_statement(&at, body + bytes, tokens);
		for (first = 0; first < count && !is(&tokens[first], "return"); first++)
			;
		if (first + 1 < count && is_variable_or_inside(tokens, first + 1, count, name, inside))
			return true;
	}
	return false;
}

bool memphis_assigned_find_copy(const char *body, size_t bytes, const char *name,
				bool (*accept)(void *context, const char *object), void *context)
{
	struct token tokens[TOKENS_MAX];
	struct memphis_assigned assigned;
	const char *at = body;
	size_t count, equals;
	bool inside;

	while (at) {
		count = read_statement(&at, body + bytes, tokens);
		for (equals = 0; equals < count && !is(&tokens[equals], "="); equals++)
			;
		inside = false;
		if (equals + 1 >= count || !is_variable_or_inside(tokens, equals + 1, count, name, &inside) ||
		    inside)
			continue;
		memset(&assigned, 0, sizeof(assigned));
		memphis_assigned_find_left_side(tokens, equals, &assigned);
		if (assigned.kind == MEMPHIS_ASSIGNED_NAME && strcmp(assigned.name, name) != 0 &&
		    accept(context, assigned.name))
			return true;
	}
	return false;
}

bool memphis_assigned_changes(const char *body, size_t bytes, const char *name)
{
	struct token tokens[TOKENS_MAX];
	const char *at = body;
	size_t count, i;

	while (at) {
		count = read_statement(&at, body + bytes, tokens);
		for (i = 0; i + 1 < count; i++) {
			if (!is(&tokens[i], name) ||
			    (i && (is(&tokens[i - 1], ".") || is(&tokens[i - 1], "->") ||
				   is(&tokens[i - 1], "*"))))
				continue;
			if (is(&tokens[i + 1], "=") || is(&tokens[i + 1], "+=") || is(&tokens[i + 1], "-=") ||
			    is(&tokens[i + 1], "++") || is(&tokens[i + 1], "--"))
				return true;
		}
	}
	return false;
}

/* Returns true if the tokens from `at` on are the call `swap(NAME)`, `swap(*this, NAME)` or `swap(NAME, *this)`. */
static bool is_swap(const struct token *tokens, size_t count, size_t at, const char *name)
{
	static const char *const lists[][6] = {
		{"(", "", ")"}, {"(", "*", "this", ",", "", ")"}, {"(", "", ",", "*", "this", ")"}};
	size_t i, k;

	for (i = 0; is(&tokens[at], "swap") && i < sizeof(lists) / sizeof(*lists); i++) {
		for (k = 0; k < 6 && lists[i][k] && at + 1 + k < count; k++)
			if (!is(&tokens[at + 1 + k], *lists[i][k] ? lists[i][k] : name))
				break;
		if (k == 6 || !lists[i][k])
			return true;
	}
	return false;
}

bool memphis_assigned_swaps(const char *body, size_t bytes, const char *name)
{
	struct token tokens[TOKENS_MAX];
	const char *at = body;
	size_t count, i;

	while (at) {
		count = read_statement(&at, body + bytes, tokens);
		for (i = 0; i < count; i++)
			if (is_swap(tokens, count, i, name) &&
			    !(i && (is(&tokens[i - 1], ".") ||
				    (is(&tokens[i - 1], "->") && !(i > 1 && is(&tokens[i - 2], "this"))))))
				return true;
	}
	return false;
}
