// SPDX-License-Identifier: BSD-3-Clause
/* Splits C and C++ text into tokens. */
#include "source/c_tokens.h"

static size_t string_bytes(const char *text)
{
	size_t bytes = 1;

	while (text[bytes] && text[bytes] != *text)
		bytes += text[bytes] == '\\' && text[bytes + 1] ? 2 : 1;
	return bytes + (text[bytes] != 0);
}

size_t memphis_c_token_bytes(const char *text)
{
	static const char *const operators[] = {
		"<<=", ">>=", "...", "->*", "->", "::", "==", "!=", "<=", ">=", "+=", "-=",
		"*=",  "/=",  "%=",  "&=",  "|=", "^=", "&&", "||", "++", "--", "<<"};
	size_t bytes = 0, i;

	if (is_word_start(*text) || isdigit((unsigned char)*text)) {
		while (is_word_start(text[bytes]) || isdigit((unsigned char)text[bytes]))
			bytes++;
		return bytes;
	}
	if (*text == '"' || *text == '\'')
		return string_bytes(text);
	for (i = 0; i < sizeof(operators) / sizeof(*operators); i++)
		if (!strncmp(text, operators[i], strlen(operators[i])))
			return strlen(operators[i]);
	return 1;
}

size_t memphis_c_tokenize(const char *text, struct token *tokens)
{
	size_t count = 0;

	while (count < TOKENS_MAX) {
		text += strspn(text, " \t\r\n\v\f");
		if (!*text)
			break;
		tokens[count].text = text;
		tokens[count].bytes = memphis_c_token_bytes(text);
		text += tokens[count++].bytes;
	}
	return count;
}
