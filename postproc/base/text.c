// SPDX-License-Identifier: BSD-3-Clause
/* Parses text chunks, which consist of lines of fields. Also implements text buffers that grow. */
#include "base/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

static bool cut_at_separator(struct memphis_span *rest, char separator, struct memphis_span *part)
{
	const char *end;

	if (!rest->bytes)
		return false;
	end = memchr(rest->text, separator, rest->bytes);
	part->text = rest->text;
	part->bytes = end ? (size_t)(end - rest->text) : rest->bytes;
	rest->text += part->bytes + (end != NULL);
	rest->bytes -= part->bytes + (end != NULL);
	return true;
}

bool memphis_next_line(struct memphis_span *rest, struct memphis_span *line)
{
	return cut_at_separator(rest, '\n', line);
}

bool memphis_next_field(struct memphis_span *line, struct memphis_span *field)
{
	return cut_at_separator(line, ' ', field);
}

static int digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 16;
}

bool memphis_span_number(struct memphis_span field, bool hex, uint64_t *value)
{
	unsigned int base = hex ? 16 : 10, digit;
	uint64_t result = 0;
	size_t i = 0;

	if (hex && field.bytes > 2 && field.text[0] == '0' && field.text[1] == 'x')
		i = 2;
	else if (hex)
		return false;
	if (i == field.bytes)
		return false;
	for (; i < field.bytes; i++) {
		digit = (unsigned int)digit_value(field.text[i]);
		if (digit >= base || result > (UINT64_MAX - digit) / base)
			return false;
		result = result * base + digit;
	}
	*value = result;
	return true;
}

bool memphis_next_number(struct memphis_span *line, bool hex, uint64_t *value)
{
	struct memphis_span field;

	return memphis_next_field(line, &field) && memphis_span_number(field, hex, value);
}

bool memphis_span_is(struct memphis_span span, const char *text)
{
	return span.bytes == strlen(text) && !memcmp(span.text, text, span.bytes);
}

char *memphis_span_unescape(struct memphis_span span)
{
	char *copy = malloc(span.bytes + 1), *to = copy;
	size_t i;

	if (!copy)
		return NULL;
	for (i = 0; i < span.bytes; i++) {
		if (span.text[i] == '\\' && i + 1 < span.bytes &&
		    (span.text[i + 1] == 'n' || span.text[i + 1] == '\\'))
			*to++ = span.text[++i] == 'n' ? '\n' : '\\';
		else
			*to++ = span.text[i];
	}
	*to = 0;
	return copy;
}

void memphis_text_add(struct memphis_text *text, const char *bytes, size_t count)
{
	if (text->failed || memphis_grow(&text->text, &text->room, text->bytes + count + 1, 1)) {
		text->failed = true;
		return;
	}
	memcpy(text->text + text->bytes, bytes, count);
	text->bytes += count;
	text->text[text->bytes] = 0;
}

void memphis_text_put(struct memphis_text *text, const char *string)
{
	memphis_text_add(text, string, strlen(string));
}

/* Replaces control characters in the bytes [from, to) of the text by '?'. */
static void replace_control_characters(struct memphis_text *text, size_t from, size_t to)
{
	unsigned char *at;

	for (; !text->failed && from < to; from++) {
		at = (unsigned char *)&text->text[from];
		if (*at < 0x20 || *at == 0x7f)
			*at = '?';
		else if (*at == 0xc2 && from + 1 < to && at[1] >= 0x80 && at[1] < 0xa0)
			at[0] = at[1] = '?';
	}
}

void memphis_text_put_plain(struct memphis_text *text, const char *string)
{
	const size_t from = text->bytes;

	memphis_text_put(text, string);
	replace_control_characters(text, from, text->bytes);
}

static void append_formatted(struct memphis_text *text, const char *format, va_list arguments)
{
	char *line = NULL;
	const int bytes = vasprintf(&line, format, arguments);

	if (bytes < 0) {
		text->failed = true;
		return;
	}
	memphis_text_add(text, line, (size_t)bytes);
	free(line);
}

void memphis_text_print(struct memphis_text *text, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	append_formatted(text, format, arguments);
	va_end(arguments);
}

void memphis_text_print_plain(struct memphis_text *text, const char *format, ...)
{
	const size_t from = text->bytes, length = strlen(format);
	va_list arguments;

	va_start(arguments, format);
	append_formatted(text, format, arguments);
	va_end(arguments);
	replace_control_characters(text, from, text->bytes - (length && format[length - 1] == '\n'));
}

void memphis_text_style(struct memphis_text *text, enum memphis_style style)
{
	/* Escape sequences of the styles: "select graphic rendition" in ECMA-48, section 8.3.117. */
	static const char *const codes[] = {"\033[0m", "\033[1m", "\033[2m"};

	if (text->color)
		memphis_text_put(text, codes[style]);
}

void memphis_text_cut(struct memphis_text *text, size_t bytes)
{
	text->bytes = bytes;
	if (text->text)
		text->text[bytes] = 0;
}

void memphis_text_close(struct memphis_text *text)
{
	free(text->text);
	memset(text, 0, sizeof(*text));
}

void memphis_text_put_digits(struct memphis_text *text, double value)
{
	memphis_text_print(text, fabs(value) < 99.95 ? "%#.3g" : "%.0f", value);
}

void memphis_text_put_large(struct memphis_text *text, uint64_t value, const char *word, const char *symbol)
{
	static const char prefixes[] = " kMGTPE";
	const char *prefix = prefixes;
	double scaled = (double)value;

	for (; scaled >= 1000 && prefix[1]; prefix++)
		scaled /= 1000;
	if (prefix == prefixes)
		memphis_text_print(text, "%" PRIu64, value);
	else
		memphis_text_print(text, "%.*f %c", scaled < 10 ? 2 : scaled < 100 ? 1 : 0, scaled, *prefix);
	if (word || prefix == prefixes)
		memphis_text_put(text, " ");
	memphis_text_put(text, word ? word : symbol);
}

const char *memphis_basename(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

bool memphis_is_system_source(const char *path)
{
	/*
	 * The publishers of Rust compile its standard library in /rustc/, and its dependencies in
	 * /rust/deps/. Distributions compile it elsewhere.
	 */
	if (!strncmp(path, "/rustc/", 7) || !strncmp(path, "/rust/deps/", 11) ||
	    (strstr(path, "/rustc-") && strstr(path, "/library/")) || strstr(path, "/include/c++/") ||
	    strstr(path, "/lib/gcc/"))
		return true;
	return !strncmp(path, "/usr/", 5) && strncmp(path, "/usr/src/", 9) &&
	       strncmp(path, "/usr/local/src/", 15);
}

bool memphis_ends_with(const char *name, const char *suffix)
{
	const size_t bytes = strlen(name), end = strlen(suffix);

	return bytes > end && !strcmp(name + bytes - end, suffix);
}
