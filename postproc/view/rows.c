// SPDX-License-Identifier: BSD-3-Clause
/* Builds the table from which all outputs are made. Groups the cells of a profile into rows, adds them up, and sorts the rows. */
#include "view/rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "profile/heatmap.h"
#include "read/process_name.h"
#include "view/via.h"

/* A selected cell, with the keys by which it is sorted. */
struct entry {
	uint32_t group, node, variable, leaf, reason;
	uint32_t instruction; /* instruction of the cell; the first one in a leaf represents the leaf */
	uint16_t home;
	const struct memphis_cell *cell;
};

struct build {
	struct memphis_rows *rows;
	struct entry *entries;
	size_t entry_count;
	struct memphis_strings leaves; /* each key is a line or a function; its number identifies a leaf */
};

bool memphis_is_estimated(const struct memphis_variable_row *row)
{
	return row->how == MEMPHIS_HOW_ESTIMATED;
}

uint32_t memphis_rows_group_of(const struct memphis_view *view, const struct memphis_cell *cell)
{
	switch (view->group) {
	case MEMPHIS_GROUP_REGION:
		return cell->key.region;
	case MEMPHIS_GROUP_THREAD:
		return cell->key.thread;
	case MEMPHIS_GROUP_HOME:
		return cell->key.access.home;
	case MEMPHIS_GROUP_NONE:
		break;
	}
	return 0;
}

/*
 * Returns the number of the row to which an instruction belongs. If a call of the program reached several instructions
 * in the same library function, they all share a row, whatever calls are between them and the program.
 */
static uint32_t instruction_number(struct build *build, uint32_t number)
{
	const struct memphis_profile *profile = build->rows->profile;
	const struct memphis_instruction *instruction =
		&profile->instructions[memphis_program_instruction(profile, number)];
	const uint64_t key[] = {instruction->object, instruction->pc,
				(uintptr_t)memphis_via(profile, number)};

	if (!profile->chain_count)
		return number;
	number = memphis_strings_add(&build->leaves, key, sizeof(key));
	return number == MEMPHIS_NO_STRING ? MEMPHIS_NONE : number;
}

static bool is_inlined_library_code(const struct memphis_profile *profile, uint32_t number)
{
	return memphis_own_frame(profile, number) != &profile->frames[profile->instructions[number].frame];
}

/*
 * Returns the frame of the function that contains the instruction. Outputs show the callers of this function below it.
 * If functions are inlined at the instruction, returns the function into which they are inlined. For inlined library
 * code, returns the innermost inlined function instead.
 */
static const struct memphis_profile_frame *leaf_frame(const struct memphis_profile *profile, uint32_t number)
{
	const struct memphis_instruction *instruction = &profile->instructions[number];

	return &profile->frames[instruction->frame + (is_inlined_library_code(profile, number)
							      ? 0
							      : instruction->frame_count - 1)];
}

/*
 * Returns the number of the row below a variable to which an instruction belongs. Instructions without line or
 * function have separate rows. Returns MEMPHIS_NONE if memory is exhausted.
 */
static uint32_t leaf_number(struct build *build, uint32_t number)
{
	const struct memphis_profile *profile = build->rows->profile;
	const struct memphis_instruction *instruction =
		&profile->instructions[memphis_program_instruction(profile, number)];
	const struct memphis_profile_frame *frame = memphis_program_frame(profile, number);
	uint32_t key[] = {instruction->object, frame->path, frame->function, frame->line, MEMPHIS_NONE};

	switch (build->rows->view->leaf) {
	case MEMPHIS_LEAF_INSTRUCTION:
		return instruction_number(build, number);
	case MEMPHIS_LEAF_LINE:
		key[2] = 0;
		if (!frame->line)
			key[4] = number;
		break;
	case MEMPHIS_LEAF_FUNCTION:
		key[3] = 0;
		if (!frame->function)
			key[4] = number;
		break;
	case MEMPHIS_LEAF_CALLERS:
		/*
		 * The function is that of the instruction itself, not that of the program's line. Code without a
		 * function name has one row per object.
		 */
		key[0] = profile->instructions[number].object;
		key[1] = 0;
		key[2] = leaf_frame(profile, number)->function;
		key[3] = memphis_copied_by(profile, number);
		break;
	case MEMPHIS_LEAF_FIELD:
		/* Until replace_by_members() adds the members, the variable has a single row. */
		return 0;
	}
	number = memphis_strings_add(&build->leaves, key, sizeof(key));
	return number == MEMPHIS_NO_STRING ? MEMPHIS_NONE : number;
}

static int compare_entries(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	return memphis_order(x->group, y->group) ?:
	       memphis_order(x->node, y->node) ?:
	       memphis_order(x->variable, y->variable) ?:
	       memphis_order(x->leaf, y->leaf) ?:
	       memphis_order(x->instruction, y->instruction);
}

static bool is_same_node(const struct entry *a, const struct entry *b)
{
	return a->group == b->group && a->node == b->node;
}

static bool is_same_variable(const struct entry *a, const struct entry *b)
{
	return is_same_node(a, b) && a->variable == b->variable;
}

static int collect_entries(struct build *build)
{
	const struct memphis_profile *profile = build->rows->profile;
	const struct memphis_cell *cell;
	struct entry *entry;
	uint32_t leaf;
	size_t i;

	build->entries = malloc((profile->cell_count + 1) * sizeof(*build->entries));
	if (!build->entries)
		return -ENOMEM;
	for (i = 0; i < profile->cell_count; i++) {
		cell = &profile->cells[i];
		if (!memphis_profile_takes(profile, build->rows->view->selection, cell))
			continue;
		leaf = leaf_number(build, cell->key.instruction);
		if (leaf == MEMPHIS_NONE)
			return -ENOMEM;
		entry = &build->entries[build->entry_count++];
		*entry = (struct entry){.group = memphis_rows_group_of(build->rows->view, cell),
					.node = cell->key.access.node,
					.variable = cell->key.variable,
					.leaf = leaf,
					.reason = cell->key.reason,
					.instruction = cell->key.instruction,
					.home = cell->key.access.home,
					.cell = cell};
	}
	qsort(build->entries, build->entry_count, sizeof(*build->entries), compare_entries);
	return 0;
}

static int add_to_matrix(struct memphis_rows *rows, const struct entry *entry)
{
	const struct memphis_sum sum = memphis_sum_of(&rows->waiting, entry->cell);
	struct memphis_pair *pair;
	size_t at;

	for (at = 0; at < rows->pair_count; at++) {
		pair = &rows->matrix[at];
		if (pair->node == entry->node && pair->home == entry->home) {
			memphis_sum_add(&pair->sum, &sum);
			return 0;
		}
		if (pair->node > entry->node || (pair->node == entry->node && pair->home > entry->home))
			break;
	}
	if (!memphis_append(rows->matrix, rows->pair_count, rows->pair_room))
		return -ENOMEM;
	pair = &rows->matrix[at];
	memmove(pair + 1, pair, (rows->pair_count - 1 - at) * sizeof(*pair));
	*pair = (struct memphis_pair){.node = (uint16_t)entry->node, .home = entry->home, .sum = sum};
	return 0;
}

static size_t home_index(const struct memphis_rows *rows, uint16_t home)
{
	size_t at = 0;

	while (at < rows->home_count && rows->homes[at] < home)
		at++;
	return at;
}

static int add_home(struct memphis_rows *rows, uint16_t home)
{
	size_t at = home_index(rows, home);

	if (at < rows->home_count && rows->homes[at] == home)
		return 0;
	if (!memphis_append(rows->homes, rows->home_count, rows->home_room))
		return -ENOMEM;
	memmove(&rows->homes[at + 1], &rows->homes[at], (rows->home_count - 1 - at) * sizeof(*rows->homes));
	rows->homes[at] = home;
	return 0;
}

static int allocate_rows(struct build *build)
{
	struct memphis_rows *rows = build->rows;
	size_t variables = 1, leaves = 1, i;
	const struct entry *entry;

	for (i = 0; i < build->entry_count; i++) {
		entry = &build->entries[i];
		if (add_to_matrix(rows, entry) || add_home(rows, entry->home))
			return -ENOMEM;
		variables += !i || !is_same_variable(entry - 1, entry);
		leaves += !i || !is_same_variable(entry - 1, entry) || entry[-1].leaf != entry->leaf;
	}
	rows->variables = calloc(variables, sizeof(*rows->variables));
	rows->leaves = calloc(leaves, sizeof(*rows->leaves));
	rows->chains = calloc(build->entry_count + 1, sizeof(*rows->chains));
	rows->variable_homes = calloc(variables * rows->home_count + 1, sizeof(*rows->variable_homes));
	return rows->variables && rows->leaves && rows->chains && rows->variable_homes ? 0 : -ENOMEM;
}

static struct memphis_node_row *begin_node(struct memphis_rows *rows, const struct entry *entry,
					   struct memphis_variable_row *variables)
{
	struct memphis_node_row *node = memphis_append(rows->nodes, rows->node_count, rows->node_room);

	if (node) {
		node->node = entry->node;
		node->group = entry->group;
		node->variables = variables;
	}
	return node;
}

static void init_variable(struct memphis_rows *rows, struct memphis_variable_row *row,
			  const struct entry *entry)
{
	const struct memphis_variable *variable = &rows->profile->variables[entry->variable];

	row->segment = memphis_profile_text(rows->profile, variable->segment);
	row->name = memphis_profile_text(rows->profile, variable->name);
	row->segment = row->segment ? row->segment : "";
	row->shown = memphis_shown_name(rows->profile, entry->variable);
	row->shown = row->shown ? row->shown : "";
	row->object = memphis_profile_text(rows->profile, variable->object);
	row->declared = memphis_profile_text(rows->profile, variable->declared);
	row->unit = memphis_profile_text(rows->profile, variable->unit);
	row->name = row->name ? row->name : "";
	row->qualified = memphis_profile_text(rows->profile, variable->qualified);
	row->site = memphis_profile_text(rows->profile, variable->site);
	row->how = memphis_how_of(memphis_profile_text(rows->profile, variable->how));
	row->why_not = memphis_no_name_of(memphis_profile_text(rows->profile, variable->why_not));
	row->variable = entry->variable;
	row->homes = rows->variable_homes + (size_t)(row - rows->variables) * rows->home_count;
	row->leaves = rows->leaves + rows->leaf_count;
}

static void init_leaf(const struct memphis_rows *rows, struct memphis_leaf_row *row,
		      const struct entry *entry)
{
	const struct memphis_profile *profile = rows->profile;
	const bool callers = rows->view->leaf == MEMPHIS_LEAF_CALLERS;
	const struct memphis_instruction *instruction =
		&profile->instructions[callers ? entry->instruction
					       : memphis_program_instruction(profile, entry->instruction)];
	const struct memphis_profile_frame *frames = &profile->frames[instruction->frame],
					   *frame = callers ? leaf_frame(profile, entry->instruction)
							    : memphis_program_frame(profile,
										    entry->instruction);

	row->kind = rows->view->leaf;
	row->pc = instruction->pc;
	row->path = memphis_profile_text(profile, frame->path);
	row->function = memphis_profile_text(profile, frame->function);
	row->object_number = instruction->object;
	if (instruction->object != MEMPHIS_NONE)
		row->object = memphis_profile_text(profile, profile->objects[instruction->object].path);
	if (rows->view->leaf != MEMPHIS_LEAF_FUNCTION && !callers) {
		row->line = frame->line;
		row->approximate = frame->approximate;
	}
	if (callers && row->function && instruction->chain != MEMPHIS_NONE &&
	    !is_inlined_library_code(profile, entry->instruction))
		row->function = memphis_leaf_function(profile, entry->instruction);
	if (rows->view->leaf == MEMPHIS_LEAF_INSTRUCTION) {
		row->instruction.library = frames;
		row->instruction.library_count = (size_t)(frame - frames);
		row->instruction.inlined = frame + 1;
		row->instruction.inlined_count =
			instruction->frame_count - row->instruction.library_count - 1;
		row->instruction.via = memphis_via(profile, entry->instruction);
		if (!memphis_known_chain(profile, entry->instruction))
			row->instruction.type = memphis_profile_text(profile, instruction->type);
		if (row->instruction.type)
			row->instruction.member = memphis_profile_text(profile, instruction->member);
	}
	row->chains = rows->chains + rows->chain_count;
}

/* Adds the entry to the counts of call chains, both in its row and over all rows. */
static void add_callers(struct memphis_rows *rows, struct memphis_leaf_row *row, const struct entry *entry)
{
	const struct memphis_profile *profile = rows->profile;
	const uint32_t instruction = rows->view->leaf == MEMPHIS_LEAF_CALLERS &&
						     is_inlined_library_code(profile, entry->instruction)
					     ? entry->instruction
					     : MEMPHIS_NONE;
	uint32_t chain = profile->instructions[entry->instruction].chain;
	size_t i;

	if (chain != MEMPHIS_NONE) {
		rows->callers[profile->chains[chain].reason] += entry->cell->measure.count;
		if (profile->chains[chain].reason)
			chain = MEMPHIS_NONE;
	}
	if (chain == MEMPHIS_NONE && instruction == MEMPHIS_NONE)
		return;
	for (i = 0; i < row->chain_count &&
		    (row->chains[i].chain != chain || row->chains[i].instruction != instruction);
	     i++)
		;
	if (i == row->chain_count) {
		row->chains[row->chain_count++] = (struct memphis_row_chain){instruction, chain, 0};
		rows->chain_count++;
	}
	row->chains[i].count += entry->cell->measure.count;
}

/* Converts the sorted entries to rows of nodes, rows of variables, and rows below variables. */
static int make_rows(struct build *build)
{
	struct memphis_rows *rows = build->rows;
	struct memphis_variable_row *variable = rows->variables - 1;
	struct memphis_leaf_row *leaf = NULL;
	struct memphis_node_row *node = NULL;
	const struct entry *entry, *last = NULL;
	struct memphis_sum sum;
	uint32_t number;
	size_t i;

	for (i = 0; i < build->entry_count; i++, last = entry) {
		entry = &build->entries[i];
		sum = memphis_sum_of(&rows->waiting, entry->cell);
		if (!last || !is_same_node(last, entry)) {
			node = begin_node(rows, entry, variable + 1);
			if (!node)
				return -ENOMEM;
		}
		if (!last || !is_same_variable(last, entry)) {
			init_variable(rows, ++variable, entry);
			node->variable_count++;
		}
		if (!last || !is_same_variable(last, entry) || last->leaf != entry->leaf) {
			leaf = &rows->leaves[rows->leaf_count++];
			init_leaf(rows, leaf, entry);
			variable->leaf_count++;
		}
		/*
		 * The row shows the lowest pc. The numbers of instructions cannot decide, because they depend on the
		 * order of merging.
		 */
		number = rows->view->leaf == MEMPHIS_LEAF_CALLERS
				 ? entry->instruction
				 : memphis_program_instruction(rows->profile, entry->instruction);
		if (rows->profile->instructions[number].pc < leaf->pc)
			leaf->pc = rows->profile->instructions[number].pc;
		add_callers(rows, leaf, entry);
		memphis_sum_add(&leaf->sum, &sum);
		memphis_sum_add(&variable->sum, &sum);
		variable->homes[home_index(rows, entry->home)] += entry->cell->measure.count;
		variable->reasons[entry->reason] += entry->cell->measure.count;
		rows->unattributed[entry->reason] += entry->cell->measure.count;
		if (memphis_is_estimated(variable))
			memphis_sum_add(&rows->estimated, &sum);
		node->total += entry->cell->measure.count;
		rows->selected += entry->cell->measure.count;
	}
	rows->attributed = rows->unattributed[MEMPHIS_ATTRIBUTED];
	rows->unattributed[MEMPHIS_ATTRIBUTED] = 0;
	return 0;
}

static int compare_text(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

/* Compares sums so that the largest comes first. */
static int compare_sums(const struct memphis_sum *a, const struct memphis_sum *b, enum memphis_sort sort)
{
	if (sort == MEMPHIS_SORT_LATENCY && a->measure.latency_cycles != b->measure.latency_cycles)
		return a->measure.latency_cycles > b->measure.latency_cycles ? -1 : 1;
	if (a->measure.count != b->measure.count)
		return a->measure.count > b->measure.count ? -1 : 1;
	return 0;
}

static int compare_leaves(const void *a, const void *b, void *context)
{
	const struct memphis_leaf_row *x = a, *y = b;
	const struct memphis_view *view = context;
	int rc = compare_sums(&x->sum, &y->sum, view->sort);

	if (!rc)
		rc = compare_text(x->object, y->object);
	if (!rc)
		rc = (x->field.offset > y->field.offset) - (x->field.offset < y->field.offset);
	if (!rc)
		rc = (x->pc > y->pc) - (x->pc < y->pc);
	return rc ? rc : compare_text(x->instruction.via, y->instruction.via);
}

static int compare_row_chains(const void *a, const void *b)
{
	const struct memphis_row_chain *x = a, *y = b;

	return memphis_order(y->count, x->count) ?: memphis_order(x->chain, y->chain)
							   ?: memphis_order(x->instruction, y->instruction);
}

static int compare_variables(const void *a, const void *b, void *context)
{
	const struct memphis_variable_row *x = a, *y = b;
	const struct memphis_view *view = context;
	int rc = compare_sums(&x->sum, &y->sum, view->sort);

	if (!rc)
		rc = strcmp(x->name, y->name);
	if (!rc)
		rc = strcmp(x->segment, y->segment);
	if (!rc)
		rc = compare_text(x->site, y->site);
	if (!rc)
		rc = strcmp(x->shown, y->shown);
	return rc ? rc
		  : (x->sum.measure.low > y->sum.measure.low) - (x->sum.measure.low < y->sum.measure.low);
}

static void sort_rows(struct memphis_rows *rows)
{
	void *view = (void *)rows->view;
	struct memphis_variable_row *variable;
	struct memphis_node_row *node;
	size_t i, j;

	for (i = 0; i < rows->leaf_count; i++)
		if (rows->leaves[i].chain_count)
			qsort(rows->leaves[i].chains, rows->leaves[i].chain_count, sizeof(*rows->chains),
			      compare_row_chains);
	for (i = 0; i < rows->node_count; i++) {
		node = &rows->nodes[i];
		qsort_r(node->variables, node->variable_count, sizeof(*node->variables), compare_variables,
			view);
		for (j = 0; j < node->variable_count; j++) {
			variable = &node->variables[j];
			qsort_r(variable->leaves, variable->leaf_count, sizeof(*variable->leaves),
				compare_leaves, view);
		}
	}
}

static struct memphis_leaf_row *find_or_add_member(struct memphis_leaf_row *rows, size_t *count,
						   const char *name, uint32_t offset)
{
	size_t i;

	for (i = 0; i < *count; i++)
		if (rows[i].field.offset == offset && rows[i].field.name == name)
			return &rows[i];
	rows[*count] = (struct memphis_leaf_row){.kind = MEMPHIS_LEAF_FIELD, .field = {name, offset, 0}};
	return &rows[(*count)++];
}

/*
 * Replaces the variable's rows of instructions by rows of the members that the node accessed. Does nothing if the
 * variable has no heatmap.
 */
static void fill_members(struct memphis_rows *rows, uint32_t node, struct memphis_variable_row *variable)
{
	struct memphis_leaf_row *list = rows->fields + rows->field_count, *row;
	const struct memphis_profile *profile = rows->profile;
	const struct memphis_heatmap_field *field;
	const struct memphis_heatmap *heatmap;
	size_t count = 0, i, j;

	for (i = 0; i < profile->heatmap_count; i++) {
		heatmap = &profile->heatmaps[i];
		for (j = 0; heatmap->variable == variable->variable && j < heatmap->field_count; j++) {
			field = &heatmap->fields[j];
			if (field->node != node || !field->selected)
				continue;
			row = find_or_add_member(list, &count, memphis_profile_text(profile, field->name),
						 field->offset);
			row->field.element_bytes = heatmap->element_bytes;
			row->sum.measure.count += field->selected * heatmap->one_in;
			row->sum.stores += field->stores * heatmap->one_in;
			row->sum.hitm += field->hitm * heatmap->one_in;
		}
	}
	if (!count)
		return;
	rows->field_count += count;
	variable->leaves = list;
	variable->leaf_count = count;
}

static int replace_by_members(struct memphis_rows *rows)
{
	size_t count = 1, i, j;

	for (i = 0; i < rows->profile->heatmap_count; i++)
		count += rows->profile->heatmaps[i].field_count;
	/* This is an upper limit, because each row of a node has each field of each heatmap at most once. */
	rows->fields = calloc(count * (rows->node_count + 1), sizeof(*rows->fields));
	if (!rows->fields)
		return -ENOMEM;
	for (i = 0; i < rows->node_count; i++)
		for (j = 0; j < rows->nodes[i].variable_count; j++)
			fill_members(rows, rows->nodes[i].node, &rows->nodes[i].variables[j]);
	return 0;
}

int memphis_rows_build(struct memphis_rows *rows, const struct memphis_profile *profile,
		       const struct memphis_view *view)
{
	struct build build = {.rows = rows};
	int rc;

	memset(rows, 0, sizeof(*rows));
	rows->profile = profile;
	rows->view = view;
	rows->several_hosts = memphis_processes_of_hosts(&profile->processes);
	rc = memphis_waiting_make(&rows->waiting, profile, view->selection, view->measured);
	if (!rc)
		rc = collect_entries(&build);
	if (!rc)
		rc = allocate_rows(&build);
	if (!rc)
		rc = make_rows(&build);
	if (!rc && view->leaf == MEMPHIS_LEAF_FIELD)
		rc = replace_by_members(rows);
	if (!rc)
		sort_rows(rows);
	memphis_strings_close(&build.leaves);
	free(build.entries);
	return rc;
}

size_t memphis_rows_group(const struct memphis_rows *rows, size_t first, uint64_t *total)
{
	size_t count = 0;

	for (*total = 0; first + count < rows->node_count; count++) {
		if (rows->nodes[first + count].group != rows->nodes[first].group)
			break;
		*total += rows->nodes[first + count].total;
	}
	return count;
}

void memphis_rows_close(struct memphis_rows *rows)
{
	memphis_waiting_close(&rows->waiting);
	free(rows->nodes);
	free(rows->matrix);
	free(rows->homes);
	free(rows->variables);
	free(rows->variable_homes);
	free(rows->leaves);
	free(rows->chains);
	free(rows->fields);
	memset(rows, 0, sizeof(*rows));
}

/*
 * ---- the range of elements that has most of a row's samples, from the heatmaps of all processes ----
 */

/*
 * A row has samples of all processes. A profile has heatmaps of only some processes, and only for the samples for
 * which it was made. The part from the heatmaps is therefore used only if the heatmaps with this part have about as
 * many samples as the row.
 */
const struct memphis_heatmap_part *memphis_hot_part(const struct memphis_rows *rows, uint32_t node,
						    const struct memphis_variable_row *row)
{
	const struct memphis_profile *profile = rows->profile;
	const double count = (double)row->sum.measure.count;
	const struct memphis_heatmap_part *found = NULL, *part;
	const struct memphis_heatmap *heatmap;
	double samples = 0;
	size_t i, j;

	if (rows->view->group != MEMPHIS_GROUP_NONE)
		return NULL;
	for (i = 0; i < profile->heatmap_count; i++) {
		heatmap = &profile->heatmaps[i];
		for (j = 0; heatmap->variable == row->variable && j < heatmap->part_count; j++) {
			part = &heatmap->parts[j];
			if (part->node != node)
				continue;
			if (found && (found->name != part->name || found->elements != part->elements))
				return NULL;
			found = part;
			samples += (double)part->count * (double)heatmap->one_in;
		}
	}
	return found && samples > 0.9 * count && samples < 1.1 * count ? found : NULL;
}
