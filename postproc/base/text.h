/* SPDX-License-Identifier: BSD-3-Clause */
/* Parses text chunks, which consist of lines of fields. Also implements text buffers that grow. */
#ifndef MEMPHIS_TEXT_H
#define MEMPHIS_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A part of a chunk's payload. It is not NUL-terminated. */
struct memphis_span {
	const char *text;
	size_t bytes;
};

/* Removes the first line from `rest` and stores it, without its '\n', in *line. Returns false at the end of the text. */
bool memphis_next_line(struct memphis_span *rest, struct memphis_span *line);

/* Removes the first field, which ends at a space, from `line` and stores it in *field. Returns false at the end of the line. */
bool memphis_next_field(struct memphis_span *line, struct memphis_span *field);

/* Converts the whole field to a number, decimal or (with `hex`) of the form 0x... Returns false if it is not a number. */
bool memphis_span_number(struct memphis_span field, bool hex, uint64_t *value);
bool memphis_next_number(struct memphis_span *line, bool hex, uint64_t *value);

bool memphis_span_is(struct memphis_span span, const char *text);

/* Returns a malloc'ed, NUL-terminated copy with the escapes \n and \\ replaced; NULL if memory is exhausted. */
char *memphis_span_unescape(struct memphis_span span);

/* A text buffer that grows. After an allocation has failed, `failed` remains set and further appends do nothing. */
struct memphis_text {
	char *text; /* NUL-terminated after the first append; NULL before */
	size_t bytes, room;
	bool failed;
	bool color;   /* write the escape sequences of styles */
	size_t width; /* maximum width of lines in columns; 0: MEMPHIS_LAYOUT_WIDTH (base/layout.h) */
};

enum memphis_style { MEMPHIS_PLAIN, MEMPHIS_BOLD, MEMPHIS_DIM };

void memphis_text_add(struct memphis_text *text, const char *bytes, size_t count);
void memphis_text_put(struct memphis_text *text, const char *string);
void memphis_text_print(struct memphis_text *text, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Appends a number with a metric prefix. With `word`: "12.3 M accesses". If `word` is NULL, with `symbol`: "448 kB". */
void memphis_text_put_large(struct memphis_text *text, uint64_t value, const char *word, const char *symbol);
/* Appends a number with three significant digits, also where they are zeros: "3.00", "0.0402", "144". */
void memphis_text_put_digits(struct memphis_text *text, double value);
/* Appends a string with its control characters (C0, DEL, C1 in UTF-8) replaced by '?', so that it is safe for terminals. */
void memphis_text_put_plain(struct memphis_text *text, const char *string);
/*
 * Formats and appends a string as memphis_text_print(), with control characters replaced by '?'. Keeps only a
 * line feed at the end of the format.
 */
void memphis_text_print_plain(struct memphis_text *text, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Sets the style of all text appended until MEMPHIS_PLAIN is set. Does nothing unless `color` is set. */
void memphis_text_style(struct memphis_text *text, enum memphis_style style);
/* Shortens the text to `bytes` bytes. */
void memphis_text_cut(struct memphis_text *text, size_t bytes);
void memphis_text_close(struct memphis_text *text);

/* Returns the part of the path after its last slash, or the whole path if it ends in a slash. */
const char *memphis_basename(const char *path);

/*
 * Returns true if the source file is not part of the program: a header of the system or of a compiler, or the
 * standard library of Rust. Sources below /usr/src and /usr/local/src are part of the program.
 */
bool memphis_is_system_source(const char *path);

/* Suffix of the files in which memphis node --save stores what it measured on a host. */
#define MEMPHIS_NODE_SUFFIX ".node"

/* Returns true if the name ends with the suffix and is longer than the suffix. */
bool memphis_ends_with(const char *name, const char *suffix);

#endif
