// SPDX-License-Identifier: BSD-3-Clause
/*
 * Builds the table behind every output from the profile: owners get names, owners of the same name become
 * one variable, instructions get lines, and everything is sorted.
 */
#include "rows.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A cell on its way into the table. */
struct entry {
	uint32_t region, node, variable, code, reason;
	uint64_t pc, count, low, high;
};

struct owner_name {
	struct memphis_owner owner;
	uint32_t variable; /* + 1; 0 = unused slot */
};

struct build {
	struct memphis_rows *rows;
	struct memphis_namer *namer;
	struct owner_name *owners; /* open addressing */
	size_t owner_slots, owner_count;
	struct memphis_strings identities; /* number - 1 = description */
	struct entry *entries;
	size_t entry_count;
};

static struct owner_name *owner_slot(struct owner_name *owners, size_t slots,
				     const struct memphis_owner *owner)
{
	size_t at = memphis_hash(owner, sizeof(*owner)) & (slots - 1);

	while (owners[at].variable && memcmp(&owners[at].owner, owner, sizeof(*owner)) != 0)
		at = (at + 1) & (slots - 1);
	return &owners[at];
}

static int widen_owners(struct build *build)
{
	size_t slots = build->owner_slots ? build->owner_slots * 2 : 256, i;
	struct owner_name *wide = calloc(slots, sizeof(*wide));

	if (!wide)
		return -ENOMEM;
	for (i = 0; i < build->owner_slots; i++)
		if (build->owners[i].variable)
			*owner_slot(wide, slots, &build->owners[i].owner) = build->owners[i];
	free(build->owners);
	build->owners = wide;
	build->owner_slots = slots;
	return 0;
}

/* Variables are the same if everything that is said about them is. */
static int identify(struct build *build, struct memphis_description *description, uint32_t *variable)
{
	struct memphis_rows *rows = build->rows;
	struct memphis_description *kept;
	char *identity;
	uint32_t number;
	int bytes;

	bytes = asprintf(&identity, "%s\n%s\n%s\n%s\n%s", description->segment, description->name,
			 description->qualified ? description->qualified : "",
			 description->site ? description->site : "", description->how);
	if (bytes < 0)
		return -ENOMEM;
	number = memphis_strings_add(&build->identities, identity, (size_t)bytes);
	free(identity);
	if (number == MEMPHIS_NO_STRING)
		return -ENOMEM;
	*variable = number - 1;
	if (*variable < rows->description_count) {
		memphis_description_close(description);
		return 0;
	}
	kept = memphis_append(rows->descriptions, rows->description_count, rows->description_room);
	if (!kept)
		return -ENOMEM;
	*kept = *description;
	return 0;
}

static int variable_of(struct build *build, const struct memphis_owner *owner, uint32_t *variable)
{
	struct memphis_description description;
	struct owner_name *slot;
	int rc;

	if (build->owner_count * 2 >= build->owner_slots && widen_owners(build))
		return -ENOMEM;
	slot = owner_slot(build->owners, build->owner_slots, owner);
	if (slot->variable) {
		*variable = slot->variable - 1;
		return 0;
	}
	rc = memphis_describe(build->namer, owner, &description);
	if (!rc)
		rc = identify(build, &description, variable);
	if (rc) {
		memphis_description_close(&description);
		return rc;
	}
	slot->owner = *owner;
	slot->variable = *variable + 1;
	build->owner_count++;
	return 0;
}

static int compare_entries(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->region != y->region)
		return x->region < y->region ? -1 : 1;
	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	if (x->variable != y->variable)
		return x->variable < y->variable ? -1 : 1;
	if (x->code != y->code)
		return x->code < y->code ? -1 : 1;
	if (x->pc != y->pc)
		return x->pc < y->pc ? -1 : 1;
	return x->reason < y->reason ? -1 : x->reason > y->reason;
}

static bool same_node(const struct entry *a, const struct entry *b)
{
	return a->region == b->region && a->node == b->node;
}

static bool same_instruction(const struct entry *a, const struct entry *b)
{
	return same_node(a, b) && a->variable == b->variable && a->code == b->code && a->pc == b->pc;
}

/* The cells as a sorted list without doubles. */
static int list_entries(struct build *build)
{
	const struct memphis_profile *profile = &build->namer->join->profile;
	const struct memphis_cell *cell;
	struct entry *entry, *last;
	size_t i, kept = 0;
	int rc;

	build->entries = calloc(profile->used + 1, sizeof(*build->entries));
	if (!build->entries)
		return -ENOMEM;
	for (i = 0; i < profile->slots; i++) {
		cell = &profile->cells[i];
		if (!cell->count)
			continue;
		entry = &build->entries[build->entry_count++];
		*entry = (struct entry){.region = cell->key.region,
					.node = cell->key.node,
					.code = cell->key.code,
					.reason = cell->key.owner.reason,
					.pc = cell->key.pc,
					.count = cell->count,
					.low = cell->low,
					.high = cell->high};
		rc = variable_of(build, &cell->key.owner, &entry->variable);
		if (rc)
			return rc;
	}
	qsort(build->entries, build->entry_count, sizeof(*build->entries), compare_entries);
	for (i = 0; i < build->entry_count; i++) {
		entry = &build->entries[i];
		last = kept ? &build->entries[kept - 1] : NULL;
		if (!last || compare_entries(last, entry) != 0) {
			build->entries[kept++] = *entry;
			continue;
		}
		last->count += entry->count;
		last->low = entry->low < last->low ? entry->low : last->low;
		last->high = entry->high > last->high ? entry->high : last->high;
	}
	build->entry_count = kept;
	return 0;
}

static int locate(struct build *build, const struct entry *entry, struct memphis_instruction_row *row)
{
	struct memphis_binaries *binaries = &build->namer->join->processes->binaries;
	struct memphis_rows *rows = build->rows;
	struct memphis_binary *binary;
	struct memphis_location location;
	size_t want;
	int rc;

	*row = (struct memphis_instruction_row){
		.pc = entry->pc, .low = entry->low, .high = entry->high, .count = entry->count};
	if (entry->code == MEMPHIS_NO_BINARY)
		return 0;
	binary = binaries->list[entry->code];
	row->object = binary->path;
	if (!binary->elf)
		return 0;
	rc = memphis_symbols_find(binaries, binary, entry->pc, &location);
	if (rc)
		return rc;
	row->path = location.frames[0].path;
	row->line = location.frames[0].line;
	row->function = location.frames[0].function;
	row->inlined_count = location.count - 1;
	want = rows->frame_count + row->inlined_count;
	if (memphis_grow(&rows->frames, &rows->frame_room, want, sizeof(*rows->frames)))
		return -ENOMEM;
	if (row->inlined_count)
		memcpy(rows->frames + rows->frame_count, location.frames + 1,
		       row->inlined_count * sizeof(*rows->frames));
	rows->frame_count = want;
	return 0;
}

static int compare_text(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

static int compare_instructions(const void *a, const void *b)
{
	const struct memphis_instruction_row *x = a, *y = b;

	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	if (compare_text(x->object, y->object))
		return compare_text(x->object, y->object);
	return x->pc < y->pc ? -1 : x->pc > y->pc;
}

static int compare_variables(const void *a, const void *b)
{
	const struct memphis_variable_row *x = a, *y = b;
	int rc;

	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	rc = strcmp(x->description->name, y->description->name);
	if (!rc)
		rc = strcmp(x->description->segment, y->description->segment);
	if (!rc)
		rc = compare_text(x->description->site, y->description->site);
	if (!rc && x->low != y->low)
		rc = x->low < y->low ? -1 : 1;
	return rc;
}

static void add_range(uint64_t *low, uint64_t *high, const struct entry *entry, bool first)
{
	if (first || entry->low < *low)
		*low = entry->low;
	if (first || entry->high > *high)
		*high = entry->high;
}

static struct memphis_node_row *begin_node(struct memphis_rows *rows, const struct entry *entry,
					   struct memphis_variable_row *variables)
{
	struct memphis_node_row *node = memphis_append(rows->nodes, rows->node_count, rows->node_room);

	if (node) {
		node->node = entry->node;
		node->region = entry->region;
		node->variables = variables;
	}
	return node;
}

/* One more instruction of the variable, or more of its last one. */
static int add_entry(struct build *build, struct memphis_variable_row *variable, const struct entry *entry,
		     bool more)
{
	struct memphis_instruction_row *row = variable->instructions + variable->instruction_count;
	int rc = 0;

	add_range(&variable->low, &variable->high, entry, !variable->instruction_count);
	variable->count += entry->count;
	variable->reasons[entry->reason] += entry->count;
	if (more) {
		row[-1].count += entry->count;
		add_range(&row[-1].low, &row[-1].high, entry, false);
	} else {
		rc = locate(build, entry, row);
		variable->instruction_count++;
		build->rows->instruction_count++;
	}
	return rc;
}

/* Lays the sorted entries out as nodes, variables and instructions. */
static int lay_out(struct build *build)
{
	struct memphis_rows *rows = build->rows;
	struct memphis_variable_row *variable = NULL, *next_variable = rows->variables;
	const struct entry *entry, *last = NULL;
	struct memphis_node_row *node = NULL;
	size_t i, used = 0;
	int rc;

	for (i = 0; i < build->entry_count; i++, last = entry) {
		entry = &build->entries[i];
		if (!last || !same_node(last, entry)) {
			node = begin_node(rows, entry, next_variable);
			if (!node)
				return -ENOMEM;
		}
		if (!last || !same_node(last, entry) || last->variable != entry->variable) {
			variable = next_variable++;
			variable->description = &rows->descriptions[entry->variable];
			variable->instructions = rows->instructions + rows->instruction_count;
			node->variable_count++;
		}
		rc = add_entry(build, variable, entry, last && same_instruction(last, entry));
		if (rc)
			return rc;
		node->total += entry->count;
	}
	/* Frames moved while they grew: hand them out now, in the order in which they were appended. */
	for (i = 0; i < rows->instruction_count; i++) {
		if (rows->instructions[i].inlined_count)
			rows->instructions[i].inlined = rows->frames + used;
		used += rows->instructions[i].inlined_count;
	}
	return 0;
}

static void sort_and_sum(struct memphis_rows *rows)
{
	struct memphis_variable_row *variable;
	struct memphis_node_row *node;
	size_t i, j, k;

	for (i = 0; i < rows->node_count; i++) {
		node = &rows->nodes[i];
		qsort(node->variables, node->variable_count, sizeof(*node->variables), compare_variables);
		rows->selected += node->total;
		for (j = 0; j < node->variable_count; j++) {
			variable = &node->variables[j];
			qsort(variable->instructions, variable->instruction_count,
			      sizeof(*variable->instructions), compare_instructions);
			for (k = 0; k < MEMPHIS_UNATTRIBUTED_REASONS; k++)
				rows->unattributed[k] += variable->reasons[k];
		}
	}
	rows->attributed = rows->unattributed[MEMPHIS_ATTRIBUTED];
	rows->unattributed[MEMPHIS_ATTRIBUTED] = 0;
}

int memphis_rows_build(struct memphis_rows *rows, struct memphis_namer *namer)
{
	struct build build = {.rows = rows, .namer = namer};
	int rc;

	memset(rows, 0, sizeof(*rows));
	rc = memphis_strings_add(&build.identities, "", 0) ? -ENOMEM : 0;
	if (!rc)
		rc = list_entries(&build);
	if (!rc) {
		rows->variables = calloc(build.entry_count + 1, sizeof(*rows->variables));
		rows->instructions = calloc(build.entry_count + 1, sizeof(*rows->instructions));
		rc = rows->variables && rows->instructions ? lay_out(&build) : -ENOMEM;
	}
	if (!rc)
		sort_and_sum(rows);
	memphis_strings_close(&build.identities);
	free(build.owners);
	free(build.entries);
	return rc;
}

void memphis_rows_close(struct memphis_rows *rows)
{
	size_t i;

	for (i = 0; i < rows->description_count; i++)
		memphis_description_close(&rows->descriptions[i]);
	free(rows->descriptions);
	free(rows->nodes);
	free(rows->variables);
	free(rows->instructions);
	free(rows->frames);
	memset(rows, 0, sizeof(*rows));
}
