/* SPDX-License-Identifier: BSD-3-Clause */
/* Columns and line breaks of the text format. Widths are in columns of a terminal: a style takes none, a UTF-8 character one. */
#ifndef MEMPHIS_LAYOUT_H
#define MEMPHIS_LAYOUT_H

#include "base/text.h"

#define MEMPHIS_LAYOUT_WIDTH 100 /* of a line, unless a word is longer */

/* Appends the head of a section: a bold line. */
void memphis_layout_head(struct memphis_text *text, const char *words);

/* Returns the columns that the text takes. */
size_t memphis_layout_columns(const char *text, size_t bytes);

/* Appends the cell, padded with spaces on the right to `width`. A wider cell is not cut. */
void memphis_layout_cell(struct memphis_text *text, const struct memphis_text *cell, size_t width);

/*
 * Appends the lines. Lines longer than MEMPHIS_LAYOUT_WIDTH are broken at spaces; continuation lines are indented by `hanging` columns more than
 * the first one.
 */
void memphis_layout_wrap(struct memphis_text *text, const struct memphis_text *lines, size_t hanging);

#endif
