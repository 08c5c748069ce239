/* SPDX-License-Identifier: BSD-3-Clause */
/* Parsing of text chunks (lines of fields), and growing text buffers for output. */
#ifndef MEMPHIS_TEXT_H
#define MEMPHIS_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Part of a payload; not NUL-terminated. */
struct memphis_span {
	const char *text;
	size_t bytes;
};

/*
 * Splits the next line (without '
 * ') off `rest`; false at the end.
 */
bool memphis_next_line(struct memphis_span *rest, struct memphis_span *line);

/* Splits the next field, terminated by one space, off `line`; false at the end. */
bool memphis_next_field(struct memphis_span *line, struct memphis_span *field);

/* Converts the entire field to a number: decimal, or "0x..." with `hex`. */
bool memphis_span_number(struct memphis_span field, bool hex, uint64_t *value);
bool memphis_next_number(struct memphis_span *line, bool hex, uint64_t *value);

bool memphis_span_is(struct memphis_span span, const char *text);

/*
 * Returns a malloc'ed, NUL-terminated copy with the escapes "\
 * " and "\\\\" replaced; NULL if memory runs out.
 */
char *memphis_span_unescape(struct memphis_span span);

/* A growing text buffer. After a failed allocation `failed` stays set and further appends do nothing. */
struct memphis_text {
	char *text; /* NUL-terminated after the first append */
	size_t bytes, room;
	bool failed;
	bool color; /* emit style codes */
};

enum memphis_style { MEMPHIS_PLAIN, MEMPHIS_BOLD, MEMPHIS_DIM };

void memphis_text_add(struct memphis_text *text, const char *bytes, size_t count);
void memphis_text_put(struct memphis_text *text, const char *string);
void memphis_text_print(struct memphis_text *text, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Appends a scaled number: with `word` "12.3 M accesses", else with the unit's symbol "448 kB". */
void memphis_text_put_large(struct memphis_text *text, uint64_t value, const char *word, const char *symbol);
/* Appends a string made safe for terminals: control characters become '?'. */
void memphis_text_put_plain(struct memphis_text *text, const char *string);
/* Sets the style of the following text, until MEMPHIS_PLAIN; does nothing without `color`. */
void memphis_text_style(struct memphis_text *text, enum memphis_style style);
void memphis_text_close(struct memphis_text *text);

/* The part of a path behind its last slash; the whole path if nothing follows the slash. */
const char *memphis_basename(const char *path);

#endif
