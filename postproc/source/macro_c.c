// SPDX-License-Identifier: BSD-3-Clause
/* Expands a macro by replacing the parameters in its body by the text of the arguments. */
#include "source/macro_c.h"

#include <ctype.h>
#include <string.h>

#include "base/text.h"
#include "source/assigned.h"
#include "source/c_tokens.h"

#define PARAMETERS_MAX 16
#define BODY_MAX       4096 /* maximum length of a definition in bytes */

static const char *skip_blanks(const char *at, const char *end)
{
	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	return at;
}

/* Returns the position after `#word` in the line, or NULL if the line is not this directive. */
static const char *skip_directive(const char *line, size_t bytes, const char *word)
{
	const char *const end = line + bytes, *at = skip_blanks(line, end);
	const size_t length = strlen(word);

	if (at == end || *at != '#')
		return NULL;
	at = skip_blanks(at + 1, end);
	if ((size_t)(end - at) <= length || strncmp(at, word, length) != 0)
		return NULL;
	return skip_blanks(at + length, end);
}

bool memphis_include_find(const struct memphis_source_file *file, unsigned int *line, char *name, size_t size)
{
	const char *start, *at, *close;
	size_t bytes;

	while ((start = memphis_source_line(file, ++*line, &bytes))) {
		at = skip_directive(start, bytes, "include");
		close = at && *at == '"' ? memchr(at + 1, '"', (size_t)(start + bytes - at) - 1) : NULL;
		if (!close || (size_t)(close - at) > size)
			continue;
		memcpy(name, at + 1, (size_t)(close - at) - 1);
		name[close - at - 1] = '\0';
		return true;
	}
	return false;
}

/* Appends the definition that begins at `start`. Joins lines that end with a backslash. */
static void read_definition(const struct memphis_source_file *file, unsigned int line, const char *start,
			    struct memphis_text *definition)
{
	const char *at = start, *whole;
	size_t bytes, length;

	whole = memphis_source_line(file, line, &bytes);
	length = (size_t)(whole + bytes - at);
	while (length && at[length - 1] == '\\' && definition->bytes < BODY_MAX) {
		memphis_text_add(definition, at, length - 1);
		memphis_text_put(definition, " ");
		at = memphis_source_line(file, ++line, &length);
		if (!at)
			return;
	}
	memphis_text_add(definition, at, length);
}

/* Returns the position after the directive and the macro's name, or NULL if the line is not this directive for the macro. */
static const char *skip_macro_name(const char *line, size_t bytes, const char *word, const struct token *name)
{
	const char *at = skip_directive(line, bytes, word);

	if (!at || (size_t)(line + bytes - at) < name->bytes || memcmp(at, name->text, name->bytes) != 0)
		return NULL;
	at += name->bytes;
	return at < line + bytes && (isalnum((unsigned char)*at) || *at == '_') ? NULL : at;
}

/*
 * Decides between two definitions of a macro, and stores the result in *definition. Preprocessor conditions are not
 * evaluated. The definitions must therefore be equal, or only one of them may name the function that was called: this
 * one is chosen. Returns false otherwise.
 */
static bool choose_definition(struct memphis_text *definition, struct memphis_text *other, const char *callee)
{
	const bool names = memphis_has_word(definition->text, definition->bytes, callee);
	struct memphis_text unused = *definition;

	if (!strcmp(other->text, definition->text))
		return true;
	if (!*callee || names == memphis_has_word(other->text, other->bytes, callee))
		return false;
	if (!names) {
		*definition = *other;
		*other = unused;
	}
	return true;
}

/*
 * Finds the definition of the macro, `(a, b) body`. Returns false if it is not certain, or if a definition contains #
 * or ## or a comment.
 */
static bool find_definition(const struct memphis_source_file *file, const struct token *name,
			    const char *callee, struct memphis_text *definition)
{
	struct memphis_text other = {0};
	unsigned int line = 0;
	bool certain = true;
	const char *start, *at;
	size_t bytes;

	while (certain && (start = memphis_source_line(file, ++line, &bytes))) {
		certain = !skip_macro_name(start, bytes, "undef", name);
		at = skip_macro_name(start, bytes, "define", name);
		if (!at)
			continue;
		read_definition(file, line, at, definition->bytes ? &other : definition);
		certain = at < start + bytes && *at == '(' && definition->bytes &&
			  (!other.bytes || choose_definition(definition, &other, callee));
		other.bytes = 0;
	}
	memphis_text_close(&other);
	return certain && definition->bytes && !definition->failed && !strchr(definition->text, '#') &&
	       !strstr(definition->text, "/*") && !strstr(definition->text, "//");
}

struct macro {
	struct token parameters[PARAMETERS_MAX];
	struct token arguments[PARAMETERS_MAX]; /* each entry is the text of all tokens of one argument */
	size_t count;
};

/*
 * Stores the items of the list in the brackets that open at index `open`. Sets *close to the index of the
 * closing bracket. Returns the number of items, or SIZE_MAX if there are too many.
 */
static size_t read_list(const struct token *tokens, size_t count, size_t open, struct token *items,
			size_t *close)
{
	size_t at = open + 1, number = 0, first = at;

	*close = match_forward(tokens, count, open);
	for (; at <= *close && at < count; at++) {
		if (at < *close && is_opening(&tokens[at]))
			at = match_forward(tokens, count, at);
		else if (at == *close || is(&tokens[at], ",")) {
			if (number == PARAMETERS_MAX)
				return SIZE_MAX;
			items[number].text = tokens[first].text;
			items[number++].bytes = first < at
							? (size_t)(tokens[at - 1].text +
								   tokens[at - 1].bytes - tokens[first].text)
							: 0;
			first = at + 1;
		}
	}
	return *close < count ? number : SIZE_MAX;
}

static const struct token *find_parameter(const struct macro *macro, const struct token *token)
{
	size_t i;

	for (i = 0; i < macro->count; i++)
		if (token->bytes == macro->parameters[i].bytes &&
		    !memcmp(token->text, macro->parameters[i].text, token->bytes))
			return &macro->arguments[i];
	return NULL;
}

/*
 * Returns true if the text is an access such as a.b[i]->c, possibly with & before it. Such a text does not
 * need brackets around it.
 */
static bool is_object_access(const struct token *text)
{
	size_t at = text->bytes && *text->text == '&', depth = 0;

	for (; at < text->bytes; at++) {
		depth += text->text[at] == '[';
		if (text->text[at] == ']' && depth)
			depth--;
		else if (at + 1 < text->bytes && !memcmp(text->text + at, "->", 2))
			at++;
		else if (!depth && !isalnum((unsigned char)text->text[at]) && !strchr("_.:", text->text[at]))
			return false;
	}
	return text->bytes;
}

/*
 * Returns true if tokens `at` and `at` + 2 of the body are brackets that only group the parameter between
 * them. The body begins at token `first`.
 */
static bool is_grouped_parameter(const struct macro *macro, const struct token *tokens, size_t count,
				 size_t first, size_t at)
{
	return at + 2 < count && is(&tokens[at], "(") && is(&tokens[at + 2], ")") &&
	       find_parameter(macro, &tokens[at + 1]) &&
	       (at == first || (!is_word(&tokens[at - 1]) && !is_closing(&tokens[at - 1])));
}

/*
 * Appends the argument for the parameter in brackets at index `at`. `(&x)->` becomes `x.`. Brackets around an
 * argument that contains operators remain. Returns the index of the last token that was used.
 */
static size_t append_grouped_parameter(const struct macro *macro, const struct token *tokens, size_t count,
				       size_t at, struct memphis_text *text)
{
	const struct token *argument = find_parameter(macro, &tokens[at + 1]);
	const bool address = argument->bytes && *argument->text == '&';
	const bool plain = is_object_access(argument);
	const bool member = plain && address && at + 3 < count && is(&tokens[at + 3], "->");

	memphis_text_put(text, plain ? "" : "(");
	memphis_text_add(text, argument->text + member, argument->bytes - member);
	memphis_text_put(text, member ? "." : plain ? " " : ") ");
	return at + 2 + member;
}

static void append_body(const struct macro *macro, const struct token *tokens, size_t count, size_t at,
			struct memphis_text *text)
{
	const struct token *argument;
	const size_t first = at;

	for (; at < count; at++) {
		if (is_grouped_parameter(macro, tokens, count, first, at)) {
			at = append_grouped_parameter(macro, tokens, count, at, text);
			continue;
		}
		argument = find_parameter(macro, &tokens[at]);
		argument = argument ? argument : &tokens[at];
		memphis_text_add(text, argument->text, argument->bytes);
		memphis_text_put(text, " ");
	}
}

/* Appends the expansion of the macro call at index `at`. Returns false if the number of arguments is wrong. */
static bool expand_macro(const char *text, const struct token *tokens, size_t count, size_t at,
			 char *definition, struct memphis_text *result)
{
	struct token body[TOKENS_MAX];
	const size_t body_count = memphis_c_tokenize(definition, body);
	struct macro macro;
	size_t close, end;

	macro.count = body_count && is(&body[0], "(")
			      ? read_list(body, body_count, 0, macro.parameters, &close)
			      : SIZE_MAX;
	if (macro.count == SIZE_MAX || read_list(tokens, count, at + 1, macro.arguments, &end) != macro.count)
		return false;
	memphis_text_add(result, text, (size_t)(tokens[at].text - text));
	append_body(&macro, body, body_count, close + 1, result);
	memphis_text_put(result, tokens[end].text + 1);
	return true;
}

char *memphis_macro_expand(const struct memphis_source_file *file, const char *text, const char *callee)
{
	struct memphis_text definition = {0}, result = {0};
	struct token tokens[TOKENS_MAX];
	const size_t count = memphis_c_tokenize(text, tokens);
	bool done = false;
	size_t at;

	for (at = 0; at + 1 < count && !done; at++) {
		if (!is_word(&tokens[at]) || !is(&tokens[at + 1], "(") ||
		    !find_definition(file, &tokens[at], callee, &definition))
			continue;
		done = expand_macro(text, tokens, count, at, definition.text, &result);
		memphis_text_close(&definition);
	}
	memphis_text_close(&definition);
	if (done && !result.failed)
		return result.text;
	memphis_text_close(&result);
	return NULL;
}
