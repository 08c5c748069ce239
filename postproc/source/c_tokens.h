/* SPDX-License-Identifier: BSD-3-Clause */
/* Splits C and C++ text into tokens: names, numbers, strings, operators and brackets. */
#ifndef MEMPHIS_C_TOKENS_H
#define MEMPHIS_C_TOKENS_H

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define TOKENS_MAX 512

struct token {
	const char *text;
	size_t bytes;
};

/* Returns the length in bytes of the token that begins at `text`. */
size_t memphis_c_token_bytes(const char *text);

/* Stores the tokens of the text. Returns their number, at most TOKENS_MAX. */
size_t memphis_c_tokenize(const char *text, struct token *tokens);

static inline bool is_word_start(char c)
{
	return isalpha((unsigned char)c) || c == '_' || c == '$';
}

static inline bool is_word(const struct token *token)
{
	return is_word_start(*token->text);
}

static inline bool is(const struct token *token, const char *text)
{
	return token->bytes == strlen(text) && !memcmp(token->text, text, token->bytes);
}

static inline bool is_opening(const struct token *token)
{
	return is(token, "(") || is(token, "[") || is(token, "{");
}

static inline bool is_closing(const struct token *token)
{
	return is(token, ")") || is(token, "]") || is(token, "}");
}

static inline bool ends_with(const struct token *token, const char *end)
{
	const size_t bytes = strlen(end);

	return token->bytes > bytes && !memcmp(token->text + token->bytes - bytes, end, bytes);
}

/* Returns the index of the opening bracket that matches the closing bracket at index `at`, or 0 if there is none. */
static inline size_t match_back(const struct token *tokens, size_t at)
{
	int depth = 0;

	for (;; at--) {
		if (is_closing(&tokens[at]))
			depth++;
		else if (is_opening(&tokens[at]) && !--depth)
			return at;
		if (!at)
			return 0;
	}
}

/* Returns the index of the bracket that closes the bracket at index `at`, or `count` if there is none. */
static inline size_t match_forward(const struct token *tokens, size_t count, size_t at)
{
	int depth = 0;

	for (; at < count; at++) {
		if (is_opening(&tokens[at]))
			depth++;
		else if (is_closing(&tokens[at]) && !--depth)
			break;
	}
	return at;
}

/* Returns the index of the innermost bracket that is open at index `at`, or SIZE_MAX if there is none. */
static inline size_t find_open(const struct token *tokens, size_t at)
{
	int depth = 0;

	while (at--) {
		if (is_closing(&tokens[at]))
			depth++;
		else if (is_opening(&tokens[at]) && !depth--)
			return at;
	}
	return SIZE_MAX;
}

#endif
