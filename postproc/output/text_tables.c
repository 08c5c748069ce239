// SPDX-License-Identifier: BSD-3-Clause
/* The tables of the text format: variables and instructions by node, and accesses between nodes. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/statistics.h"
#include "dwarf/demangle.h"
#include "name/names.h"
#include "base/layout.h"
#include "output/section/parts.h"
#include "output/output.h"
#include "output/section/waiting.h"
#include "sharing/pairs.h"
#include "view/call_tree.h"
#include "view/rows.h"

#define WAITED    8  /* width of a column of cycles */
#define NAMES_MIN 30 /* minimum width of the column of names, even if lines become wider than the terminal */
#define GAP       2  /* spaces before the columns of names, code and addresses */

/* A line in a node's table: a variable, a row below a variable, or the sum of omitted rows. */
struct line {
	const struct memphis_sum *sum; /* NULL for omitted rows, of which only the count is shown */
	uint64_t count;
	double weight; /* negative: no weight */
	struct memphis_text name, code;
	bool addresses;
};

struct table {
	const struct memphis_report *report;
	const struct memphis_node_row *node;
	struct line *lines;
	size_t count, capacity;
	size_t names, codes, addresses; /* widths of the columns; 0: no column */
	size_t left;                    /* width that remains for the columns after the numbers */
	bool waiting;                   /* true: show the columns of estimated waiting */
	bool failed;
};

static struct line *add_line(struct table *table, uint64_t count, const struct memphis_sum *sum)
{
	static struct line none = {.name.failed = true, .code.failed = true};
	struct line *line = memphis_append(table->lines, table->count, table->capacity);

	if (!line) {
		table->failed = true;
		return &none;
	}
	*line = (struct line){.sum = sum, .count = count, .weight = -1};
	return line;
}

/* Appends the code location of a row: "model.c:44 (step)", "libc.so.6 (memcpy)", "model.c:44 (step) via memcpy". */
static void put_code_place(struct memphis_text *name, const struct memphis_leaf_row *row)
{
	const char *file = row->path ? row->path : row->object;

	if (row->kind >= MEMPHIS_LEAF_FUNCTION && row->function) {
		memphis_put_function(name, row->function);
		memphis_text_print_plain(name, " (%s)", file ? memphis_basename(file) : "?");
		return;
	}
	memphis_text_put_plain(name, file ? memphis_basename(file) : "?");
	if (row->line)
		memphis_text_print(name, row->approximate ? ":%u~" : ":%u", row->line);
	if (row->function && row->kind == MEMPHIS_LEAF_INSTRUCTION) {
		memphis_text_put(name, " (");
		memphis_put_function(name, row->function);
		memphis_text_put(name, ")");
	}
	memphis_put_via(name, row);
}

static void add_leaf(struct table *table, const struct memphis_leaf_row *row)
{
	struct line *line = add_line(table, row->sum.measure.count, &row->sum);

	memphis_text_put(&line->name, "  ");
	if (row->field.name) {
		memphis_text_print_plain(&line->name, "%s, byte %" PRIu32 " of %" PRIu32, row->field.name,
					 row->field.offset, row->field.element_bytes);
		return;
	}
	if (row->kind == MEMPHIS_LEAF_FIELD) {
		memphis_text_put(&line->name, "<members not known>");
		return;
	}
	put_code_place(&line->name, row);
	line->addresses = true;
	if (row->kind == MEMPHIS_LEAF_INSTRUCTION || !(row->line || row->function))
		memphis_text_print(&line->code, "0x%" PRIx64, row->pc);
}

static const struct leaf_name {
	const char *one, *several;
} leaf_names[] = {
	[MEMPHIS_LEAF_INSTRUCTION] = {"instruction", "instructions"},
	[MEMPHIS_LEAF_LINE] = {"line", "lines"},
	[MEMPHIS_LEAF_FUNCTION] = {"function", "functions"},
	[MEMPHIS_LEAF_FIELD] = {"member", "members"},
	[MEMPHIS_LEAF_CALLERS] = {"function", "functions and their callers"},
};

static void add_left_out(struct table *table, size_t left_out, uint64_t count, const char *indent,
			 const struct leaf_name *name)
{
	struct line *line = add_line(table, count, NULL);

	memphis_text_print(&line->name, "%s... %zu more %s", indent, left_out,
			   left_out > 1 ? name->several : name->one);
}

static void add_more_callers(struct table *table, size_t count, uint64_t samples, size_t depth)
{
	struct line *line = add_line(table, samples, NULL);

	memphis_text_print(&line->name, "%*s... %zu more caller%s", (int)(2 * depth), "", count,
			   count > 1 ? "s" : "");
}

/* Adds the callers of a node of the call tree. Each caller is followed by its own callers. */
static void add_callers(struct table *table, const struct memphis_call_tree *tree, uint32_t node,
			size_t depth)
{
	const size_t limit = table->report->view->instructions;
	const struct memphis_call_node *at;
	size_t shown = 0, left_out = 0;
	uint64_t samples = 0;
	struct line *line;
	uint32_t child;

	for (child = tree->nodes[node].child; child != MEMPHIS_NO_NODE; child = at->next) {
		at = &tree->nodes[child];
		if (limit && shown++ >= limit) {
			left_out++;
			samples += at->count;
			continue;
		}
		line = add_line(table, at->count, NULL);
		memphis_text_print(&line->name, "%*s", (int)(2 * depth), "");
		memphis_put_call_node(&line->name, tree->profile, at->object, at->frame);
		add_callers(table, tree, child, depth + 1);
	}
	if (left_out)
		add_more_callers(table, left_out, samples, depth);
}

static void add_call_tree(struct table *table, const struct memphis_leaf_row *row)
{
	struct memphis_call_tree tree;

	if (memphis_call_tree_build(&tree, table->report->profile, row->chains, row->chain_count))
		table->failed = true;
	else
		add_callers(table, &tree, 0, 2);
	memphis_call_tree_close(&tree);
}

/* For a variable without a name, adds a line with the members that the instructions access. */
static void add_accessed_members(struct table *table, const struct memphis_variable_row *row)
{
	struct memphis_text accessed = {0};
	struct line *line;

	memphis_put_accessed(table->report, &accessed, table->node, row);
	table->failed |= accessed.failed;
	if (accessed.bytes) {
		line = add_line(table, row->sum.measure.count, NULL);
		memphis_text_print(&line->name, "  %s", accessed.text);
	}
	memphis_text_close(&accessed);
}

static void add_variable(struct table *table, const struct memphis_variable_row *row)
{
	const struct memphis_report *report = table->report;
	size_t leaves = memphis_shown(row->leaf_count, report->view->instructions), i;
	struct line *line = add_line(table, row->sum.measure.count, &row->sum);
	const struct memphis_heatmap_part *part = memphis_hot_part(report->rows, table->node->node, row);
	uint64_t left_out = 0;

	memphis_text_print_plain(&line->name, "[%s]:%s", row->segment, row->shown);
	if (part)
		memphis_text_put(&line->name, memphis_profile_text(report->profile, part->name));
	memphis_put_certainty(&line->name, row);
	line->addresses = true;
	if (report->weights.known)
		line->weight =
			memphis_weight_of_variable(&report->weights, report->rows, table->node->node, row);
	if (*row->name == '<')
		add_accessed_members(table, row);
	for (i = 0; i < leaves; i++) {
		add_leaf(table, &row->leaves[i]);
		if (row->leaves[i].kind == MEMPHIS_LEAF_CALLERS)
			add_call_tree(table, &row->leaves[i]);
	}
	for (; i < row->leaf_count; i++)
		left_out += row->leaves[i].sum.measure.count;
	if (leaves < row->leaf_count)
		add_left_out(table, row->leaf_count - leaves, left_out, "  ",
			     &leaf_names[report->view->leaf]);
}

static void fill_table(struct table *table)
{
	static const struct leaf_name variable = {"variable", "variables"};
	const struct memphis_node_row *node = table->node;
	size_t variables = memphis_shown(node->variable_count, table->report->view->top), i;
	uint64_t left_out = 0;

	for (i = 0; i < variables; i++)
		add_variable(table, &node->variables[i]);
	for (; i < node->variable_count; i++)
		left_out += node->variables[i].sum.measure.count;
	if (variables < node->variable_count)
		add_left_out(table, node->variable_count - variables, left_out, "", &variable);
}

static void put_range(struct memphis_text *text, const struct line *line)
{
	if (line->addresses)
		memphis_text_print(text, "0x%" PRIx64 "-0x%" PRIx64, line->sum->measure.low,
				   line->sum->measure.high);
}

static void widen_column(size_t *width, const struct memphis_text *cell)
{
	const size_t columns = cell->bytes ? memphis_layout_columns(cell->text, cell->bytes) : 0;

	if (columns > *width)
		*width = columns;
}

static void measure_cells(struct table *table)
{
	struct memphis_text range = {0};
	size_t i;

	for (i = 0; i < table->count; i++) {
		widen_column(&table->names, &table->lines[i].name);
		widen_column(&table->codes, &table->lines[i].code);
		memphis_text_cut(&range, 0);
		put_range(&range, &table->lines[i]);
		widen_column(&table->addresses, &range);
	}
	table->failed |= range.failed;
	memphis_text_close(&range);
}

/*
 * Computes the widths of the columns after the numbers, which take `before` characters. If names, code and
 * addresses do not fit, omits the addresses. Names that are still too long are shortened. If a name would
 * become shorter than NAMES_MIN, omits the code.
 */
static void choose_widths(struct table *table, const struct memphis_text *text, size_t before)
{
	const size_t width = memphis_layout_width(text);
	size_t left = before + NAMES_MIN < width ? width - before : NAMES_MIN;

	table->left = left;
	measure_cells(table);
	if (table->names + GAP + table->codes + GAP + table->addresses > left)
		table->addresses = 0;
	if (table->names + GAP + table->codes > left && NAMES_MIN + GAP + table->codes > left)
		table->codes = 0;
	if (table->codes)
		left -= GAP + table->codes;
	if (!table->addresses && table->names > left)
		table->names = left;
}

/* Returns the column after `column` in this table. */
static const struct memphis_column *next_column(const struct table *table,
						const struct memphis_column *column)
{
	const bool latencies = table->report->view->sort == MEMPHIS_SORT_LATENCY;

	do {
		column =
			memphis_column_next(column, MEMPHIS_IN_TEXT | (latencies ? MEMPHIS_IN_LATENCIES : 0));
	} while (column && column->needs == MEMPHIS_NEEDS_WAITING && !table->waiting);
	return column;
}

/* Appends the titles of the numeric columns. Returns their total width. */
static size_t put_titles(const struct table *table, struct memphis_text *text)
{
	const struct memphis_column *column = NULL;
	const size_t before = text->bytes;

	memphis_text_print(text, "%9s %8s", "samples", "share");
	if (table->report->weights.known)
		memphis_text_print(text, " %11s", "est. weight");
	while ((column = next_column(table, column)))
		memphis_text_print(text, " %*s", column->width, column->title);
	memphis_text_put(text, "  ");
	return text->bytes - before;
}

/*
 * Appends a cell. `sum` is NULL for a line without numbers. Shows "-" for unknown values and for the number 0:
 * stores and loads sampled by source have no latency.
 */
static void put_cell(const struct table *table, struct memphis_text *text,
		     const struct memphis_column *column, const struct memphis_sum *sum)
{
	const struct memphis_shown shown = {.rows = table->report->rows, .sum = sum};
	struct memphis_text cell = {0};
	struct memphis_shown_value value;

	if (sum) {
		value = column->get(&shown);
		if (!value.known || (column->kind == MEMPHIS_SHOWN_NUMBER && !value.number))
			memphis_text_put(&cell, "-");
		else if (column->needs == MEMPHIS_NEEDS_WAITING)
			memphis_put_number(&cell, value.real);
		else
			memphis_text_print(&cell, "%.0f", value.real);
	}
	memphis_layout_put_number(text, &cell, column->width);
}

static void put_numbers(const struct table *table, struct memphis_text *text, const struct line *line)
{
	const struct memphis_column *column = NULL;

	memphis_put_count(text, 9, line->count, table->node->total);
	if (table->report->weights.known && line->weight >= 0)
		memphis_text_print(text, " %11.1f", line->weight);
	else if (table->report->weights.known)
		memphis_text_print(text, "%12s", "");
	while ((column = next_column(table, column)))
		put_cell(table, text, column, line->sum);
	memphis_text_put(text, "  ");
}

static void put_gap(struct memphis_text *text)
{
	memphis_text_print(text, "%*s", GAP, "");
}

static void put_line(const struct table *table, struct memphis_text *text, const struct line *line)
{
	const bool more = line->addresses && (table->addresses || (table->codes && line->code.bytes));
	struct memphis_text name = {0};

	put_numbers(table, text, line);
	memphis_layout_shorten(&name, &line->name, more ? table->names : table->left);
	memphis_layout_put_cell(text, &name, more ? table->names : 0);
	text->failed |= name.failed;
	memphis_text_close(&name);
	if (more && table->codes) {
		put_gap(text);
		memphis_layout_put_cell(text, &line->code, table->addresses ? table->codes : 0);
	}
	if (more && table->addresses) {
		put_gap(text);
		put_range(text, line);
	}
	memphis_text_put(text, "\n");
}

static void put_total(const struct memphis_report *report, struct memphis_text *text, uint64_t total)
{
	memphis_text_print(
		text, ": %" PRIu64 " sample%s, %.1f %% of those selected", total, total == 1 ? "" : "s",
		report->rows->selected ? 100.0 * (double)total / (double)report->rows->selected : 0.0);
	memphis_text_style(text, MEMPHIS_PLAIN);
	memphis_text_put(text, "\n");
}

/* Appends the titles of the columns of names, code and addresses. Makes each column at least as wide as its title. */
static void put_names_title(struct table *table, struct memphis_text *text)
{
	struct memphis_text title = {0};

	memphis_text_print(&title, "variable, below it its %s",
			   leaf_names[table->report->view->leaf].several);
	widen_column(&table->names, &title);
	memphis_layout_put_cell(text, &title, table->codes || table->addresses ? table->names : 0);
	memphis_text_cut(&title, 0);
	if (table->codes) {
		memphis_text_put(&title, "code");
		widen_column(&table->codes, &title);
		put_gap(text);
		memphis_layout_put_cell(text, &title, table->addresses ? table->codes : 0);
	}
	if (table->addresses) {
		put_gap(text);
		memphis_text_put(text, "addresses");
	}
	memphis_text_put(text, "\n");
	text->failed |= title.failed;
	memphis_text_close(&title);
}

static void put_node(const struct memphis_report *report, struct memphis_text *text,
		     const struct memphis_node_row *node)
{
	const bool waiting = memphis_shows_waiting(report) && report->view->leaf != MEMPHIS_LEAF_FIELD;
	struct table table = {.report = report, .node = node, .waiting = waiting};
	size_t i;

	memphis_text_style(text, MEMPHIS_BOLD);
	memphis_text_put(text, "NODE ");
	memphis_put_node_number(text, node->node);
	put_total(report, text, node->total);
	fill_table(&table);
	choose_widths(&table, text, put_titles(&table, text));
	put_names_title(&table, text);
	for (i = 0; i < table.count; i++) {
		put_line(&table, text, &table.lines[i]);
		text->failed |= table.lines[i].name.failed || table.lines[i].code.failed;
		memphis_text_close(&table.lines[i].name);
		memphis_text_close(&table.lines[i].code);
	}
	memphis_text_put(text, "\n");
	text->failed |= table.failed;
	free(table.lines);
}

static void put_large_cell(struct memphis_text *text, uint64_t value, const char *symbol, int width)
{
	struct memphis_text cell = {0};

	if (value)
		memphis_text_put_large(&cell, value, NULL, symbol);
	else
		memphis_text_put(&cell, "-");
	memphis_layout_put_number(text, &cell, width);
}

/*
 * The optional columns of the table of pairs of nodes. If lines are too long, the number of accesses is
 * omitted first, and then the bytes.
 */
struct pair_columns {
	bool accesses, moved;
};

/* width of the table without the optional columns and without the columns of waiting and weights */
#define PAIR_LEAST 54
#define ACCESSES   11
#define MOVED      9
#define WEIGHT     11

static struct pair_columns choose_pair_columns(const struct memphis_report *report,
					       const struct memphis_text *text)
{
	const size_t least = PAIR_LEAST + (memphis_shows_waiting(report) ? 1 + WAITED : 0) +
			     (report->weights.known ? 1 + WEIGHT : 0),
		     width = memphis_layout_width(text);

	return (struct pair_columns){.moved = least + 1 + MOVED <= width,
				     .accesses = least + 1 + MOVED + 1 + ACCESSES <= width};
}

static void put_pair(const struct memphis_report *report, struct memphis_text *text,
		     const struct memphis_pair *pair, struct pair_columns columns)
{
	const struct memphis_share share = memphis_share_of(pair->sum.measure.count, report->rows->selected);
	char node[16] = "?", home[16] = "?", interval[32];

	if (pair->node != MEMPHIS_NODE_UNKNOWN)
		snprintf(node, sizeof(node), "%u", pair->node);
	if (pair->home != MEMPHIS_NODE_UNKNOWN)
		snprintf(home, sizeof(home), "%u", pair->home);
	snprintf(interval, sizeof(interval), "%.1f to %.1f", 100 * share.low, 100 * share.high);
	memphis_text_print(text, "%9" PRIu64 " ", pair->sum.measure.count);
	memphis_text_style(text, MEMPHIS_DIM);
	memphis_text_print(text, "%6.1f %% %16s", 100 * share.share, interval);
	memphis_text_style(text, MEMPHIS_PLAIN);
	if (columns.accesses)
		put_large_cell(text, pair->sum.measure.accesses, "", ACCESSES);
	if (columns.moved)
		put_large_cell(text, pair->sum.lines * MEMPHIS_LINE_BYTES, "B", MOVED);
	if (memphis_shows_waiting(report))
		memphis_put_waited(report, text, &pair->sum.waits, WAITED);
	if (report->weights.known)
		memphis_text_print(text, " %*.2f", WEIGHT,
				   memphis_weight_of_pair(&report->weights, pair->node, pair->home));
	memphis_text_print(text, "  %6s  %6s\n", node, home);
}

/* Appends the table of pairs. The weight of a pair is its latency relative to a local access. */
static void put_pairs(const struct memphis_report *report, struct memphis_text *text)
{
	const struct pair_columns columns = choose_pair_columns(report, text);
	size_t i;

	if (!report->rows->pair_count)
		return;
	memphis_layout_put_head(text, "ACCESSES BETWEEN NODES");
	memphis_text_print(text, "%9s %8s %16s", "samples", "share", "95 % CI");
	if (columns.accesses)
		memphis_text_print(text, " %*s", ACCESSES, "accesses");
	if (columns.moved)
		memphis_text_print(text, " %*s", MOVED, "moved");
	if (memphis_shows_waiting(report))
		memphis_text_print(text, " %*s", WAITED, "waited");
	if (report->weights.known)
		memphis_text_print(text, " %*s", WEIGHT, "est. weight");
	memphis_text_print(text, "  %6s  %s\n", "from", "memory of");
	for (i = 0; i < report->rows->pair_count; i++)
		put_pair(report, text, &report->rows->matrix[i], columns);
	memphis_text_put(text, "\n");
}

void memphis_put_tables(const struct memphis_report *report, struct memphis_text *text)
{
	if (report->view->processes) {
		memphis_layout_put_head(text, "PROCESSES");
		memphis_output_processes_text(report, text);
	}
	memphis_output_mpi_text(report, text);
	if (report->view->sharing)
		memphis_thread_pairs_text(text, &report->sharing, report->profile, report->selection,
					  report->view->top, report->view->instructions);
	memphis_output_types_text(report, text);
	if (report->view->group == MEMPHIS_GROUP_REGION) {
		memphis_output_region_times_text(report, text);
		memphis_layout_put_head(text, "REGIONS");
		memphis_put_region_table(report, text);
	}
	memphis_put_nodes(report, text, "", put_total, put_node);
	put_pairs(report, text);
	memphis_put_waiting_table(report, text);
	memphis_output_limits_text(report, text);
	memphis_output_counters_text(report, text);
}
