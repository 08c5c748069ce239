/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading the text chunks (lines of fields), and building text to be written. */
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

/* Cuts the next line (without '\n') off `rest`; false when nothing is left. */
bool memphis_next_line(struct memphis_span *rest, struct memphis_span *line);

/* Cuts the next field, ended by one space, off `line`; false when nothing is left. */
bool memphis_next_field(struct memphis_span *line, struct memphis_span *field);

/* The whole field as a number: decimal, or with `hex` "0x..." . */
bool memphis_span_number(struct memphis_span field, bool hex, uint64_t *value);
bool memphis_next_number(struct memphis_span *line, bool hex, uint64_t *value);

bool memphis_span_is(struct memphis_span span, const char *text);

/* A malloc'ed, NUL-terminated copy with "\\n" and "\\\\" undone; NULL without memory. */
char *memphis_span_unescape(struct memphis_span span);

/* A growing text; after a failed allocation `failed` stays set and further appends do nothing. */
struct memphis_text {
	char *text; /* NUL-terminated once anything was appended */
	size_t bytes, room;
	bool failed;
	bool color; /* styles are wanted */
};

enum memphis_style { MEMPHIS_PLAIN, MEMPHIS_BOLD, MEMPHIS_DIM };

void memphis_text_add(struct memphis_text *text, const char *bytes, size_t count);
void memphis_text_put(struct memphis_text *text, const char *string);
void memphis_text_print(struct memphis_text *text, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* 12.3 M accesses, 448 kB: with a word, or with a unit's symbol. */
void memphis_text_put_large(struct memphis_text *text, uint64_t value, const char *word, const char *symbol);
/* As it may go to a terminal: control characters become '?'. */
void memphis_text_put_plain(struct memphis_text *text, const char *string);
/* How what follows looks at a terminal, until MEMPHIS_PLAIN; nothing without `color`. */
void memphis_text_style(struct memphis_text *text, enum memphis_style style);
void memphis_text_close(struct memphis_text *text);

/* The part of a path behind its last slash; the whole path if nothing follows the slash. */
const char *memphis_basename(const char *path);

#endif
