// SPDX-License-Identifier: BSD-3-Clause
/* The report as one HTML page. The page contains the JSON report, and excerpts of source files around the lines in the report. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "output/output.h"
#include "source/source.h"
#include "view/columns.h"

#define LINES_AROUND 12
/* Longer lines are truncated; they are usually generated code. */
#define LINE_BYTES_MAX 400

struct place {
	const char *path;
	unsigned int line;
};

struct places {
	struct place *list;
	size_t count, buffer;
};

static int add_place(struct places *places, const char *path, unsigned int line)
{
	struct place *place;

	if (!path || !line)
		return 0;
	place = memphis_append(places->list, places->count, places->buffer);
	if (!place)
		return -1;
	*place = (struct place){path, line};
	return 0;
}

static int compare_places(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	int order = strcmp(x->path, y->path);

	return order ? order : x->line < y->line ? -1 : x->line > y->line;
}

/* Collects the source lines of instructions, of calls that are inlined there, and of findings. */
static int collect_places(struct places *places, const struct memphis_report *report)
{
	const struct memphis_findings *findings = &report->findings;
	const struct memphis_profile *profile = report->profile;
	const struct memphis_rows *rows = report->rows;
	const struct memphis_profile_frame *frame;
	const struct memphis_leaf_row *row;
	size_t i, j;
	int rc = 0;

	for (i = 0; !rc && i < rows->leaf_count; i++) {
		row = &rows->leaves[i];
		rc = add_place(places, row->path, row->line);
		for (j = 0; !rc && j < row->instruction.inlined_count; j++)
			rc = add_place(places,
				       memphis_profile_text(profile, row->instruction.inlined[j].path),
				       row->instruction.inlined[j].line);
	}
	for (i = 0; !rc && i < findings->count; i++) {
		frame = findings->list[i].instruction == MEMPHIS_NONE
				? NULL
				: memphis_program_frame(profile, findings->list[i].instruction);
		if (frame)
			rc = add_place(places, memphis_profile_text(profile, frame->path), frame->line);
	}
	if (places->count)
		qsort(places->list, places->count, sizeof(*places->list), compare_places);
	return rc;
}

static void put_line(struct memphis_json *json, const struct memphis_source_file *file, unsigned int number)
{
	char buffer[LINE_BYTES_MAX + 1];
	const char *text;
	size_t bytes;

	text = memphis_source_line(file, number, &bytes);
	if (bytes && text[bytes - 1] == '\r')
		bytes--;
	bytes = bytes < LINE_BYTES_MAX ? bytes : LINE_BYTES_MAX;
	memcpy(buffer, text, bytes);
	buffer[bytes] = 0;
	memphis_json_string(json, NULL, buffer);
}

/* Writes the source text around the places in one file. Merges overlapping and adjacent excerpts. */
static void put_file(struct memphis_json *json, const struct memphis_source_file *file,
		     const struct place *places, size_t count)
{
	unsigned int first, last, end = (unsigned int)file->line_count;
	size_t i;

	memphis_json_open(json, NULL, '{');
	memphis_json_string(json, "path", file->path);
	memphis_json_string(json, "found", file->found);
	memphis_json_open(json, "parts", '[');
	for (i = 0; i < count && places[i].line <= end;) {
		first = places[i].line > LINES_AROUND ? places[i].line - LINES_AROUND : 1;
		last = places[i].line;
		while (i < count && places[i].line <= end && places[i].line <= last + 2 * LINES_AROUND + 1)
			last = places[i++].line;
		last = last + LINES_AROUND < end ? last + LINES_AROUND : end;
		memphis_json_open(json, NULL, '{');
		memphis_json_number(json, "line", first);
		memphis_json_open(json, "text", '[');
		for (; first <= last; first++)
			put_line(json, file, first);
		memphis_json_close(json, ']');
		memphis_json_close(json, '}');
	}
	memphis_json_close(json, ']');
	memphis_json_close(json, '}');
}

static void put_sources(struct memphis_text *text, const struct memphis_report *report,
			struct memphis_sources *sources)
{
	struct memphis_json json = {text, false};
	const struct memphis_source_file *file;
	struct places places = {0};
	size_t i, count;

	if (collect_places(&places, report))
		text->failed = true;
	memphis_json_open(&json, NULL, '[');
	for (i = 0; i < places.count && !text->failed; i += count) {
		for (count = 1; i + count < places.count; count++)
			if (strcmp(places.list[i + count].path, places.list[i].path))
				break;
		file = memphis_source_file(sources, places.list[i].path);
		if (file)
			put_file(&json, file, &places.list[i], count);
	}
	memphis_json_close(&json, ']');
	free(places.list);
}

/* Writes the descriptions of the columns that the page shows. */
static void put_columns(struct memphis_text *text)
{
	struct memphis_json json = {text, false};
	const struct memphis_column *column = NULL;

	memphis_json_open(&json, NULL, '[');
	while ((column = memphis_column_next(column, MEMPHIS_IN_PAGE))) {
		memphis_json_open(&json, NULL, '{');
		memphis_json_string(&json, "key", column->key);
		memphis_json_string(&json, "path", column->path ? column->path : column->key);
		memphis_json_string(&json, "title", column->heading);
		memphis_json_string(&json, "help", column->help);
		memphis_json_string(&json, "unit", column->unit);
		memphis_json_string(&json, "combined", column->combined);
		memphis_json_bool(&json, "estimate", column->needs == MEMPHIS_NEEDS_WAITING);
		memphis_json_number(&json, "order", column->order);
		memphis_json_close(&json, '}');
	}
	memphis_json_close(&json, ']');
}

void memphis_output_html(const struct memphis_report *report, struct memphis_text *text)
{
	struct memphis_text json = {0}, texts = {0}, columns = {0};
	struct memphis_sources sources = {.directories = report->source_directories,
					  .directory_count = report->source_directory_count};

	struct memphis_report page = *report;
	struct memphis_job job;

	text->failed |= memphis_job_make(&job, report->profile, report->selection) != 0;
	page.job = &job;
	memphis_output_json(&page, &json);
	memphis_job_close(&job);
	put_sources(&texts, report, &sources);
	put_columns(&columns);
	if (json.failed || texts.failed || columns.failed)
		text->failed = true;
	else
		memphis_page_put(text, json.text, texts.text, columns.text);
	memphis_text_close(&columns);
	memphis_text_close(&json);
	memphis_text_close(&texts);
	memphis_sources_close(&sources);
}
