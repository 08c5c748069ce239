// SPDX-License-Identifier: BSD-3-Clause
/* Exports the table of nodes, variables and instructions as CSV (RFC 4180). */
#include "export/export.h"

#include <inttypes.h>
#include <string.h>

#include "base/outfile.h"
#include "read/process_name.h"
#include "view/columns.h"

#define LINE_END "\r\n"

/*
 * Appends a field. If the field contains separators, quotes or line ends, quotes it and doubles its quotes
 * (RFC 4180, section 2).
 */
static void append_text(struct memphis_text *text, const char *value)
{
	const char *quote;

	if (!value)
		value = "";
	if (!value[strcspn(value, "\",\r\n")]) {
		memphis_text_put(text, value);
		return;
	}
	memphis_text_put(text, "\"");
	while ((quote = strchr(value, '"'))) {
		memphis_text_add(text, value, (size_t)(quote + 1 - value));
		memphis_text_put(text, "\"");
		value = quote + 1;
	}
	memphis_text_put(text, value);
	memphis_text_put(text, "\"");
}

static void append_texts(struct memphis_text *text, const char *const *values, size_t count)
{
	for (; count; count--, values++) {
		append_text(text, *values);
		memphis_text_put(text, ",");
	}
}

/* Appends the path of the region, "TimeLoop > Bound", as in the text formats. */
static void append_region_path(const struct memphis_profile *profile, uint32_t row, struct memphis_text *path)
{
	const struct memphis_profile_region *region = &profile->regions[row];

	if (row <= MEMPHIS_REGION_UNKNOWN) {
		memphis_text_put(path, row == MEMPHIS_REGION_OUTSIDE ? "(outside any caliper)"
								     : "(unknown region)");
		return;
	}
	if (region->parent) {
		append_region_path(profile, region->parent, path);
		memphis_text_put(path, " > ");
	}
	memphis_text_put(path, memphis_profile_text(profile, region->name));
}

static void append_group(const struct memphis_rows *rows, uint32_t group, struct memphis_text *text)
{
	const struct memphis_process *process;
	const struct memphis_thread *thread;
	struct memphis_text name = {0};

	switch (rows->view->group) {
	case MEMPHIS_GROUP_NONE:
		return;
	case MEMPHIS_GROUP_REGION:
		append_region_path(rows->profile, group, &name);
		break;
	case MEMPHIS_GROUP_THREAD:
		thread = memphis_profile_thread_of(rows->profile, group, &process);
		if (rows->several_hosts) {
			memphis_process_name(&name, process);
			memphis_text_put(&name, ": ");
		}
		memphis_text_print(&name, "%" PRIu32 ".%" PRIu32, process->pid, thread->tid);
		break;
	case MEMPHIS_GROUP_HOME:
		if (group != MEMPHIS_NODE_UNKNOWN)
			memphis_text_print(&name, "%" PRIu32, group);
		break;
	}
	append_text(text, name.text);
	memphis_text_put(text, ",");
	text->failed |= name.failed;
	memphis_text_close(&name);
}

static bool is_by_member(const struct memphis_rows *rows)
{
	return rows->view->leaf == MEMPHIS_LEAF_FIELD;
}

/* Returns the column after `column` that these rows have. Rows of structure members have only few columns. */
static const struct memphis_column *next_column(const struct memphis_rows *rows,
						const struct memphis_column *column)
{
	do {
		column =
			memphis_column_next(column, is_by_member(rows) ? MEMPHIS_IN_MEMBERS : MEMPHIS_IN_CSV);
	} while (column && !memphis_column_has(column, rows));
	return column;
}

static void append_value(struct memphis_text *text, const struct memphis_column *column,
			 const struct memphis_shown_value *value)
{
	if (!value->known)
		return;
	switch (column->kind) {
	case MEMPHIS_SHOWN_NUMBER:
		memphis_text_print(text, "%" PRIu64, value->number);
		break;
	case MEMPHIS_SHOWN_ADDRESS:
		memphis_text_print(text, "0x%" PRIx64, value->number);
		break;
	case MEMPHIS_SHOWN_REAL:
		memphis_text_print(text, "%.*f", column->decimals, value->real);
		break;
	case MEMPHIS_SHOWN_TEXT:
		append_text(text, value->text);
		break;
	}
}

/* Appends the values of the row, and two columns that distinguish the variable from others of the same name. */
static void append_numbers(const struct memphis_shown *row, const struct memphis_variable_row *variable,
			   struct memphis_text *text)
{
	const struct memphis_column *column = NULL;
	struct memphis_shown_value value;

	while ((column = next_column(row->rows, column))) {
		value = column->get(row);
		memphis_text_put(text, ",");
		append_value(text, column, &value);
	}
	memphis_text_put(text, ",");
	append_text(text, variable->shown);
	memphis_text_put(text, ",");
	append_text(text, variable->declared);
	memphis_text_put(text, LINE_END);
}

/* Appends the columns of the structure member. In a row without a member, which counts the whole variable, they are empty. */
static void append_member(const struct memphis_leaf_row *row, struct memphis_text *text)
{
	append_text(text, row->field.name);
	if (row->field.name)
		memphis_text_print(text, ",%" PRIu32 ",%" PRIu32, row->field.offset,
				   row->field.element_bytes);
	else
		memphis_text_put(text, ",,");
}

static void append_row(const struct memphis_rows *rows, struct memphis_text *text,
		       const struct memphis_node_row *node, const struct memphis_variable_row *variable,
		       const struct memphis_leaf_row *row)
{
	const char *const of_variable[] = {variable->segment, variable->name, variable->qualified,
					   variable->site, memphis_how_names[variable->how]};
	const char *const of_instruction[] = {row->path, row->function, row->object};
	const struct memphis_shown shown = {rows, &row->sum, row, memphis_is_estimated(variable)};

	append_group(rows, node->group, text);
	if (node->node != MEMPHIS_NODE_UNKNOWN)
		memphis_text_print(text, "%" PRIu32, node->node);
	memphis_text_put(text, ",");
	append_texts(text, of_variable, 5);
	if (is_by_member(rows)) {
		append_member(row, text);
	} else {
		append_texts(text, of_instruction, 3);
		if (row->line)
			memphis_text_print(text, "%u", row->line);
		memphis_text_print(text, ",0x%" PRIx64, row->pc);
	}
	append_numbers(&shown, variable, text);
}

static void append_head(const struct memphis_rows *rows, struct memphis_text *text)
{
	const struct memphis_column *column = NULL;

	memphis_text_print(text, "%snode,segment,variable,holder,site,how,%s",
			   rows->view->group != MEMPHIS_GROUP_NONE ? "group," : "",
			   is_by_member(rows) ? "member,offset,element_bytes"
					      : "path,function,object,line,pc");
	while ((column = next_column(rows, column)))
		memphis_text_print(text, ",%s", column->key);
	memphis_text_put(text, ",shown,declared" LINE_END);
}

void memphis_csv_put(const struct memphis_rows *rows, struct memphis_text *text)
{
	const struct memphis_variable_row *variable;
	const struct memphis_node_row *node;
	size_t i, j, k;

	append_head(rows, text);
	for (i = 0; i < rows->node_count; i++) {
		node = &rows->nodes[i];
		for (j = 0; j < node->variable_count; j++) {
			variable = &node->variables[j];
			for (k = 0; k < variable->leaf_count; k++)
				append_row(rows, text, node, variable, &variable->leaves[k]);
		}
	}
}

int memphis_export_csv(const struct memphis_export *export, const char *path, struct memphis_error *error)
{
	struct memphis_text text = {0};

	memphis_csv_put(export->rows, &text);
	return memphis_outfile_write(path, &text, error);
}
