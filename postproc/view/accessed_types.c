// SPDX-License-Identifier: BSD-3-Clause
/* Finds the types and members that the selected samples access, for each variable and for all variables together. */
#include "view/accessed_types.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "profile/heatmap.h"

static int compare_numbers(uint64_t a, uint64_t b)
{
	return memphis_order(a, b);
}

/* Compares two texts. An unknown text (NULL) comes last. */
static int compare_texts(const char *a, const char *b)
{
	if (a == b)
		return 0;
	return !a ? 1 : !b ? -1 : strcmp(a, b);
}

static int compare_rows(const struct memphis_variable_type *x, const struct memphis_variable_type *y)
{
	int rc = compare_numbers(x->group, y->group);

	if (!rc)
		rc = compare_numbers(x->node, y->node);
	return rc ? rc : compare_numbers(x->variable, y->variable);
}

static int compare_keys(const void *a, const void *b)
{
	const struct memphis_variable_type *x = a, *y = b;
	int rc = compare_rows(x, y);

	if (!rc)
		rc = compare_texts(x->member, y->member);
	if (!rc)
		rc = compare_texts(x->type, y->type);
	return rc ? rc : compare_numbers(x->no_type, y->no_type);
}

static int compare_counts(const void *a, const void *b)
{
	const struct memphis_variable_type *x = a, *y = b;
	int rc = compare_rows(x, y);

	if (!rc)
		rc = !x->member - !y->member;
	if (!rc)
		rc = compare_numbers(y->count, x->count);
	return rc ? rc : compare_keys(a, b);
}

static int compare_members(const void *a, const void *b)
{
	const struct memphis_variable_type *x = a, *y = b;
	int rc = compare_texts(x->member, y->member);

	return rc ? rc : compare_numbers(x->variable, y->variable);
}

static int compare_types(const void *a, const void *b)
{
	const struct memphis_variable_type *x = a, *y = b;
	int rc = compare_texts(x->type, y->type);

	return rc ? rc : compare_texts(x->member, y->member);
}

/* Makes an entry for each selected cell, and merges entries with the same key. */
static int collect_entries(struct memphis_types *types, const struct memphis_rows *rows)
{
	const struct memphis_profile *profile = rows->profile;
	const struct memphis_instruction *instruction;
	struct memphis_variable_type *entry;
	const struct memphis_cell *cell;
	size_t count = 0, i;

	types->list = calloc(profile->cell_count + 1, sizeof(*types->list));
	if (!types->list)
		return -ENOMEM;
	for (i = 0; i < profile->cell_count; i++) {
		cell = &profile->cells[i];
		if (!memphis_profile_takes(profile, rows->view->selection, cell))
			continue;
		instruction = &profile->instructions[cell->key.instruction];
		types->list[count++] = (struct memphis_variable_type){
			.group = memphis_rows_group_of(rows->view, cell),
			.node = cell->key.access.node,
			.variable = cell->key.variable,
			.type = memphis_profile_text(profile, instruction->type),
			.member = memphis_profile_text(profile, instruction->member),
			.no_type = instruction->member ? 0 : instruction->no_type,
			.count = cell->measure.count,
			.stores = cell->key.access.flags & MEMPHIS_FLAG_STORE ? cell->measure.count : 0};
	}
	qsort(types->list, count, sizeof(*types->list), compare_keys);
	for (i = 0; i < count; i++) {
		entry = &types->list[types->count - !!types->count];
		if (types->count && !compare_keys(entry, &types->list[i])) {
			entry->count += types->list[i].count;
			entry->stores += types->list[i].stores;
		} else {
			types->list[types->count++] = types->list[i];
		}
	}
	return 0;
}

static int compare_parts(const void *a, const void *b)
{
	const struct memphis_type_part *x = a, *y = b;
	int rc = compare_numbers(y->count, x->count);

	if (!rc)
		rc = compare_texts(x->name, y->name);
	return rc ? rc : compare_numbers(x->variable, y->variable);
}

static int compare_groups(const void *a, const void *b)
{
	const struct memphis_type_group *x = a, *y = b;
	int rc = compare_numbers(y->count, x->count);

	return rc ? rc : compare_texts(x->name, y->name);
}

/* Sums the entries by type and member if `by_type` is true, or by member and variable otherwise. */
static int sum_groups(struct memphis_type_groups *groups, const struct memphis_types *types, bool by_type)
{
	struct memphis_variable_type *sorted = malloc((types->count + 1) * sizeof(*sorted));
	const struct memphis_variable_type *entry;
	struct memphis_type_group *group = NULL;
	struct memphis_type_part *part = NULL;
	const char *name;
	size_t parts = 0, i;

	groups->list = calloc(types->count + 1, sizeof(*groups->list));
	groups->parts = calloc(types->count + 1, sizeof(*groups->parts));
	if (!sorted || !groups->list || !groups->parts) {
		free(sorted);
		return -ENOMEM;
	}
	memcpy(sorted, types->list, types->count * sizeof(*sorted));
	qsort(sorted, types->count, sizeof(*sorted), by_type ? compare_types : compare_members);
	for (i = 0; i < types->count && sorted[i].member; i++) {
		entry = &sorted[i];
		name = by_type ? entry->type : entry->member;
		if (!group || strcmp(group->name, name)) {
			group = &groups->list[groups->count++];
			*group = (struct memphis_type_group){.name = name, .parts = &groups->parts[parts]};
			part = NULL;
		}
		if (!part ||
		    (by_type ? strcmp(part->name, entry->member) != 0 : part->variable != entry->variable)) {
			part = &groups->parts[parts++];
			part->name = by_type ? entry->member : NULL;
			part->variable = by_type ? MEMPHIS_NONE : entry->variable;
			group->part_count++;
		}
		part->count += entry->count;
		part->stores += entry->stores;
		group->count += entry->count;
		group->stores += entry->stores;
	}
	free(sorted);
	for (i = 0; i < groups->count; i++)
		qsort((void *)groups->list[i].parts, groups->list[i].part_count, sizeof(*part),
		      compare_parts);
	qsort(groups->list, groups->count, sizeof(*groups->list), compare_groups);
	return 0;
}

int memphis_types_build(struct memphis_types *types, const struct memphis_rows *rows)
{
	const struct memphis_profile *profile = rows->profile;
	size_t i;
	int rc;

	memset(types, 0, sizeof(*types));
	rc = collect_entries(types, rows);
	if (!rc)
		rc = sum_groups(&types->types, types, true);
	if (!rc)
		rc = sum_groups(&types->members, types, false);
	if (rc)
		return rc;
	qsort(types->list, types->count, sizeof(*types->list), compare_counts);
	for (i = 0; i < types->count; i++) {
		if (types->list[i].member)
			types->known += types->list[i].count;
		else
			types->unknown[types->list[i].no_type] += types->list[i].count;
	}
	for (i = 0; i < profile->heatmap_count; i++) {
		types->compared += profile->heatmaps[i].typed;
		types->contradicted += profile->heatmaps[i].contradicted;
	}
	return 0;
}

void memphis_types_close(struct memphis_types *types)
{
	free(types->list);
	free(types->types.list);
	free(types->types.parts);
	free(types->members.list);
	free(types->members.parts);
	memset(types, 0, sizeof(*types));
}

const struct memphis_variable_type *memphis_types_of(const struct memphis_types *types,
						     const struct memphis_node_row *node,
						     const struct memphis_variable_row *row, size_t *count)
{
	const struct memphis_variable_type wanted = {
		.group = node->group, .node = node->node, .variable = row->variable};
	const size_t low = memphis_bisect(at, types->count, compare_rows(&types->list[at], &wanted) < 0);

	for (*count = 0; low + *count < types->count && !compare_rows(&types->list[low + *count], &wanted);)
		(*count)++;
	return types->list + low;
}
