// SPDX-License-Identifier: BSD-3-Clause
/* Columns and line breaks of the text format. */
#include "base/layout.h"

#include <string.h>

#define NOTE_LINES 3  /* maximum number of lines of a note */
#define NOTE_SPARE 28 /* columns of these lines that may stay empty, because lines are broken between words */

#define ELLIPSIS "..."

void memphis_layout_put_head(struct memphis_text *text, const char *words)
{
	memphis_text_style(text, MEMPHIS_BOLD);
	memphis_text_put(text, words);
	memphis_text_style(text, MEMPHIS_PLAIN);
	memphis_text_put(text, "\n");
}

/* Returns the length of the escape sequence ("\033[1m") at `text`; 0 if there is none. */
static size_t escape_sequence_bytes(const char *text, size_t bytes)
{
	const char *end;

	if (bytes < 2 || text[0] != '\033' || text[1] != '[')
		return 0;
	end = memchr(text, 'm', bytes);
	return end ? (size_t)(end - text) + 1 : 0;
}

size_t memphis_layout_columns(const char *text, size_t bytes)
{
	size_t columns = 0, at = 0, escape;

	while (at < bytes) {
		escape = escape_sequence_bytes(text + at, bytes - at);
		/* Bytes 0x80 to 0xbf are UTF-8 continuation bytes. */
		columns += !escape && ((unsigned char)text[at] & 0xc0) != 0x80;
		at += escape ? escape : 1;
	}
	return columns;
}

static void append_spaces(struct memphis_text *text, size_t count)
{
	memphis_text_print(text, "%*s", (int)count, "");
}

void memphis_layout_put_cell(struct memphis_text *text, const struct memphis_text *cell, size_t width)
{
	size_t columns = cell->bytes ? memphis_layout_columns(cell->text, cell->bytes) : 0;

	if (cell->bytes)
		memphis_text_add(text, cell->text, cell->bytes);
	if (columns < width)
		append_spaces(text, width - columns);
}

void memphis_layout_put_number(struct memphis_text *text, struct memphis_text *cell, int width)
{
	memphis_text_print(text, " %*s", width, cell->bytes ? cell->text : "");
	text->failed |= cell->failed;
	memphis_text_close(cell);
}

/* Returns the offset of the column `count` columns after offset `at`. */
static size_t skip_columns(const struct memphis_text *cell, size_t at, size_t count)
{
	while (at < cell->bytes && count--)
		do
			at++;
		while (at < cell->bytes && ((unsigned char)cell->text[at] & 0xc0) == 0x80);
	return at;
}

void memphis_layout_shorten(struct memphis_text *text, const struct memphis_text *cell, size_t width)
{
	const size_t columns = cell->bytes ? memphis_layout_columns(cell->text, cell->bytes) : 0;
	const size_t kept = width - strlen(ELLIPSIS), last = kept / 2, first = kept - last;
	size_t at;

	text->failed |= cell->failed;
	if (columns <= width) {
		memphis_layout_put_cell(text, cell, 0);
		return;
	}
	memphis_text_add(text, cell->text, skip_columns(cell, 0, first));
	memphis_text_put(text, ELLIPSIS);
	at = skip_columns(cell, 0, columns - last);
	memphis_text_add(text, cell->text + at, cell->bytes - at);
}

size_t memphis_layout_width(const struct memphis_text *text)
{
	return text->width ? text->width : MEMPHIS_LAYOUT_WIDTH;
}

size_t memphis_layout_lines(const struct memphis_text *text)
{
	size_t count = 0, i;

	for (i = 0; i < text->bytes; i++)
		count += text->text[i] == '\n';
	return count;
}

static size_t count_leading_spaces(struct memphis_span line)
{
	size_t count = 0;

	while (count < line.bytes && line.text[count] == ' ')
		count++;
	return count;
}

/* Returns the length of the word at `at`. A per cent sign belongs to its number: "5.9 %" is one word. */
static size_t word_bytes(struct memphis_span line, size_t at)
{
	size_t end = at;

	while (end < line.bytes &&
	       (line.text[end] != ' ' || (end + 1 < line.bytes && line.text[end + 1] == '%')))
		end++;
	return end - at;
}

static void wrap_line(struct memphis_text *text, struct memphis_span line, size_t hanging, size_t width)
{
	const size_t indent = count_leading_spaces(line);
	size_t column = indent, at = indent, bytes, columns;
	bool first = true;

	append_spaces(text, indent);
	while (at < line.bytes) {
		bytes = word_bytes(line, at);
		columns = memphis_layout_columns(line.text + at, bytes);
		if (!first && column + 1 + columns > width) {
			memphis_text_put(text, "\n");
			column = indent + hanging;
			append_spaces(text, column);
		} else if (!first) {
			memphis_text_put(text, " ");
			column++;
		}
		memphis_text_add(text, line.text + at, bytes);
		column += columns;
		at += bytes + (at + bytes < line.bytes);
		first = false;
	}
	memphis_text_put(text, "\n");
}

void memphis_layout_wrap(struct memphis_text *text, const struct memphis_text *lines, size_t hanging)
{
	memphis_layout_wrap_at(text, lines, hanging, memphis_layout_width(text));
}

void memphis_layout_wrap_at(struct memphis_text *text, const struct memphis_text *lines, size_t hanging,
			    size_t width)
{
	struct memphis_span rest = {lines->text, lines->bytes}, line;

	while (memphis_next_line(&rest, &line))
		wrap_line(text, line, hanging, width);
	text->failed |= lines->failed;
}

void memphis_layout_put_note(struct memphis_text *text, const struct memphis_text *note)
{
	struct memphis_text shown = {0};

	/* A word that moves to the next line leaves columns of the previous line empty. */
	memphis_layout_shorten(&shown, note, NOTE_LINES * memphis_layout_width(text) - NOTE_SPARE);
	memphis_text_put(&shown, "\n");
	memphis_layout_wrap(text, &shown, strlen("note: "));
	text->failed |= shown.failed;
	memphis_text_close(&shown);
}
