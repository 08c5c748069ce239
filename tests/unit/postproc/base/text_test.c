// SPDX-License-Identifier: BSD-3-Clause
/* Parsing and composing text. If this fails, the text chunks of sample files are misread. */
#include "base/text.h"

#include <stdlib.h>

#include "../../tap.h"

static struct memphis_span span(const char *text)
{
	return (struct memphis_span){text, strlen(text)};
}

static bool number(const char *text, bool hex, uint64_t want)
{
	uint64_t value = 0;

	return memphis_span_number(span(text), hex, &value) && value == want;
}

static bool no_number(const char *text, bool hex)
{
	uint64_t value;

	return !memphis_span_number(span(text), hex, &value);
}

int main(void)
{
	struct memphis_span rest = span("a b c d\n\n e"), line, field;
	struct memphis_text text = {0};
	static const double numbers[] = {0, 0.0402, 3, 99.94, 99.95, 144, 1234};
	char *copy;
	size_t i;

	ok(memphis_next_line(&rest, &line) && memphis_span_is(line, "a b c d"),
	   "a line ends before its newline");
	ok(memphis_next_field(&line, &field) && memphis_span_is(field, "a"), "a field ends before its space");
	ok(memphis_span_is(line, "b c d"), "the rest of a line may contain spaces");
	ok(memphis_next_line(&rest, &line) && !line.bytes, "an empty line is a line");
	ok(memphis_next_line(&rest, &line) && memphis_span_is(line, " e"), "the last line needs no newline");
	ok(memphis_next_field(&line, &field) && !field.bytes, "a space at the start ends an empty field");
	ok(!memphis_next_line(&rest, &line), "after the last line there is none");
	ok(number("0", false, 0) && number("18446744073709551615", false, UINT64_MAX),
	   "decimal numbers are read");
	ok(no_number("18446744073709551616", false), "a number of 65 bits is refused");
	ok(no_number("", false) && no_number("-1", false) && no_number("1 ", false) && no_number("1a", false),
	   "text that is no number is refused");
	ok(number("0x0", true, 0) && number("0xffffffffffffffff", true, UINT64_MAX) &&
		   number("0xAb", true, 0xab),
	   "hexadecimal numbers are read");
	ok(no_number("ff", true) && no_number("0x", true) && no_number("0x10000000000000000", true) &&
		   no_number("0xg", true),
	   "hexadecimal numbers need 0x and digits, and have 64 bits at most");
	copy = memphis_span_unescape(span("a\\nb\\\\n\\x\\"));
	is_text(copy, "a\nb\\n\\x\\", "only \\n and \\\\ are escapes");
	free(copy);
	memphis_text_put_plain(&text, "a\tb\x1b[31m\x7f\xc3\xa4\xc2\x9b\xc2\xa0\xc2\x80\xc2\x9f");
	is_text(text.text, "a?b?[31m?\xc3\xa4??\xc2\xa0????",
		"plain text has no control characters, which a terminal would obey");
	memphis_text_close(&text);

	for (i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		memphis_text_put_digits(&text, numbers[i]);
		memphis_text_put(&text, " ");
	}
	is_text(text.text, "0.00 0.0402 3.00 99.9 100 144 1234 ",
		"numbers have three digits, and no point at their end");
	memphis_text_close(&text);

	memphis_text_style(&text, MEMPHIS_BOLD);
	memphis_text_put(&text, "a");
	is_text(text.text, "a", "without colour, styles have no effect");
	text.color = true;
	memphis_text_style(&text, MEMPHIS_BOLD);
	memphis_text_put(&text, "b");
	memphis_text_style(&text, MEMPHIS_PLAIN);
	is_text(text.text, "a\033[1mb\033[0m", "with colour, styles begin and end");
	memphis_text_close(&text);
	return finish();
}
