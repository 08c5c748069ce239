/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Columns and line breaks of the text format. Widths are terminal columns. An escape sequence has width 0,
 * and a UTF-8 character has width 1.
 */
#ifndef MEMPHIS_LAYOUT_H
#define MEMPHIS_LAYOUT_H

#include "base/text.h"

#define MEMPHIS_LAYOUT_WIDTH 100 /* maximum width of a line, unless a single word is longer */
#define MEMPHIS_LAYOUT_LEAST 72  /* limits of the width that memphis_terminal_width() returns */
#define MEMPHIS_LAYOUT_MOST  1000

/* Returns how many of `count` rows are shown if `limit` is the maximum number. A limit of 0 means all rows. */
static inline size_t memphis_shown(size_t count, size_t limit)
{
	return limit && limit < count ? limit : count;
}

/* Appends a section heading as a bold line. */
void memphis_layout_put_head(struct memphis_text *text, const char *words);

/* Returns the width of the text in columns. */
size_t memphis_layout_columns(const char *text, size_t bytes);

/* Appends the cell, padded with spaces on the right to `width`. A wider cell is not truncated. */
void memphis_layout_put_cell(struct memphis_text *text, const struct memphis_text *cell, size_t width);

/* Appends a space and the cell, right-aligned in `width`, and closes the cell. */
void memphis_layout_put_number(struct memphis_text *text, struct memphis_text *cell, int width);

/* Appends the cell. If it is wider than `width`, replaces its middle with "...". */
void memphis_layout_shorten(struct memphis_text *text, const struct memphis_text *cell, size_t width);

/* Returns the maximum width of the lines of the text. */
size_t memphis_layout_width(const struct memphis_text *text);

/* Returns the number of line feeds in the text. */
size_t memphis_layout_lines(const struct memphis_text *text);

/*
 * Append the lines. A line that is wider than memphis_layout_width(text), or `width` in
 * memphis_layout_wrap_at(), is broken at spaces. Continuation lines are indented by `hanging` columns more
 * than the first one.
 */
void memphis_layout_wrap(struct memphis_text *text, const struct memphis_text *lines, size_t hanging);
void memphis_layout_wrap_at(struct memphis_text *text, const struct memphis_text *lines, size_t hanging,
			    size_t width);

/* Appends a note as at most three lines, and ends it with a line feed. Replaces the middle of a longer one with "...". */
void memphis_layout_put_note(struct memphis_text *text, const struct memphis_text *note);

#endif
