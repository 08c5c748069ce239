// SPDX-License-Identifier: BSD-3-Clause
/* JSON writer. Replaces invalid UTF-8 by U+FFFD, as names come from arbitrary files. */
#include "base/json.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Returns the length of the valid UTF-8 sequence at `text`, or 0 if the sequence is invalid. */
static size_t utf8_sequence_bytes(const unsigned char *text)
{
	size_t bytes = *text < 0x80   ? 1
		       : *text < 0xc2 ? 0
		       : *text < 0xe0 ? 2
		       : *text < 0xf0 ? 3
		       : *text < 0xf5 ? 4
				      : 0;
	size_t i;

	for (i = 1; i < bytes; i++)
		if ((text[i] & 0xc0) != 0x80)
			return 0;
	/* Reject overlong encodings, surrogates, and code points beyond U+10FFFF. */
	if ((*text == 0xe0 && text[1] < 0xa0) || (*text == 0xed && text[1] > 0x9f) ||
	    (*text == 0xf0 && text[1] < 0x90) || (*text == 0xf4 && text[1] > 0x8f))
		return 0;
	return bytes;
}

/* Returns how many bytes at the start of `text` need no escaping. This is nearly always the whole text. */
static size_t unescaped_bytes(const unsigned char *text)
{
	size_t bytes = 0;

	while (text[bytes] >= 0x20 && text[bytes] < 0x7f && text[bytes] != '"' && text[bytes] != '\\')
		bytes++;
	return bytes;
}

static void append_quoted(struct memphis_text *text, const char *string)
{
	const unsigned char *at = (const unsigned char *)string;
	size_t bytes;

	memphis_text_add(text, "\"", 1);
	for (;;) {
		bytes = unescaped_bytes(at);
		memphis_text_add(text, (const char *)at, bytes);
		at += bytes;
		if (!*at)
			break;
		bytes = utf8_sequence_bytes(at);
		if (*at == '"' || *at == '\\')
			memphis_text_print(text, "\\%c", *at);
		else if (*at < 0x20 || *at == 0x7f)
			memphis_text_print(text, "\\u%04x", *at);
		else if (bytes)
			memphis_text_add(text, (const char *)at, bytes);
		else
			memphis_text_put(text, "\xef\xbf\xbd");
		at += bytes ? bytes : 1;
	}
	memphis_text_add(text, "\"", 1);
}

static void begin_value(struct memphis_json *json, const char *key)
{
	if (json->comma)
		memphis_text_add(json->text, ",", 1);
	json->comma = true;
	if (key) {
		append_quoted(json->text, key);
		memphis_text_add(json->text, ":", 1);
	}
}

void memphis_json_open(struct memphis_json *json, const char *key, char bracket)
{
	begin_value(json, key);
	memphis_text_add(json->text, &bracket, 1);
	json->comma = false;
}

void memphis_json_close(struct memphis_json *json, char bracket)
{
	memphis_text_add(json->text, &bracket, 1);
	json->comma = true;
}

void memphis_json_string(struct memphis_json *json, const char *key, const char *value)
{
	begin_value(json, key);
	if (value)
		append_quoted(json->text, value);
	else
		memphis_text_put(json->text, "null");
}

void memphis_json_number(struct memphis_json *json, const char *key, uint64_t value)
{
	begin_value(json, key);
	memphis_text_print(json->text, "%" PRIu64, value);
}

void memphis_json_real(struct memphis_json *json, const char *key, double value)
{
	if (!isfinite(value)) {
		memphis_json_null(json, key);
		return;
	}
	begin_value(json, key);
	memphis_text_print(json->text, "%.6f", value);
}

void memphis_json_hex(struct memphis_json *json, const char *key, uint64_t value)
{
	begin_value(json, key);
	memphis_text_print(json->text, "\"0x%" PRIx64 "\"", value);
}

void memphis_json_bool(struct memphis_json *json, const char *key, bool value)
{
	begin_value(json, key);
	memphis_text_put(json->text, value ? "true" : "false");
}

void memphis_json_null(struct memphis_json *json, const char *key)
{
	begin_value(json, key);
	memphis_text_put(json->text, "null");
}

void memphis_json_known(struct memphis_json *json, const char *key, bool known, uint64_t value)
{
	if (known)
		memphis_json_number(json, key, value);
	else
		memphis_json_null(json, key);
}
