// SPDX-License-Identifier: BSD-3-Clause
/*
 * Adds the rows of a profile to another one. Tables to which others refer are added first. References in a row are
 * replaced by the new numbers before the row is compared and added. Two references are then equal if their numbers are
 * equal, so there is no need to compare contents.
 */
#include "profile/numbers.h"

#include <errno.h>
#include <stdlib.h>

#include "base/order.h"
#include "base/preorder.h"

struct moving {
	struct memphis_numbers *numbers;
	struct memphis_profile *to, *from;
	bool sorted;
};

int memphis_numbers_open(struct memphis_numbers *numbers, const struct memphis_profile *profile)
{
	*numbers = (struct memphis_numbers){
		.strings = calloc(profile->strings.count + 1, sizeof(uint32_t)),
		.objects = calloc(profile->object_count + 1, sizeof(uint32_t)),
		.variables = calloc(profile->variable_count + 1, sizeof(uint32_t)),
		.instructions = calloc(profile->instruction_count + 1, sizeof(uint32_t)),
		.chains = calloc(profile->chain_count + 1, sizeof(uint32_t)),
		.regions = calloc(profile->region_count + 2, sizeof(uint32_t)),
	};
	return numbers->strings && numbers->objects && numbers->variables && numbers->instructions &&
			       numbers->chains && numbers->regions
		       ? 0
		       : -ENOMEM;
}

void memphis_numbers_close(struct memphis_numbers *numbers)
{
	free(numbers->strings);
	free(numbers->objects);
	free(numbers->variables);
	free(numbers->instructions);
	free(numbers->chains);
	free(numbers->regions);
}

uint32_t *memphis_numbers_sorted(uint32_t first, size_t count, memphis_compare_rows *compare, void *context)
{
	uint32_t *numbers = malloc((count + 1) * sizeof(*numbers));
	size_t i;

	if (!numbers)
		return NULL;
	for (i = 0; i < count; i++)
		numbers[i] = first + (uint32_t)i;
	if (compare)
		qsort_r(numbers, count, sizeof(*numbers), compare, context);
	return numbers;
}

int memphis_numbers_compare(const uint32_t *a, const uint32_t *b, size_t count)
{
	for (; count; count--, a++, b++)
		if (*a != *b)
			return *a < *b ? -1 : 1;
	return 0;
}

static uint32_t *sort_moved_rows(const struct moving *moving, uint32_t first, size_t count,
				 memphis_compare_rows *compare)
{
	return memphis_numbers_sorted(first, count, moving->sorted ? compare : NULL, moving->from);
}

void memphis_object_renumber(struct memphis_object *object, const uint32_t *strings)
{
	object->path = strings[object->path];
	object->build_id = strings[object->build_id];
	object->found = strings[object->found];
	object->debug_path = strings[object->debug_path];
	object->split_missing = strings[object->split_missing];
}

static int compare_objects(const void *a, const void *b, void *context)
{
	const struct memphis_object *objects = ((struct memphis_profile *)context)->objects,
				    *x = &objects[*(const uint32_t *)a], *y = &objects[*(const uint32_t *)b];
	const uint32_t first[] = {x->path, x->build_id}, second[] = {y->path, y->build_id};

	return memphis_numbers_compare(first, second, 2);
}

static int move_objects(const struct moving *moving)
{
	struct memphis_object *objects = moving->from->objects;
	const size_t count = moving->from->object_count;
	uint32_t *order, number = 0;
	size_t i;

	for (i = 0; i < count; i++)
		memphis_object_renumber(&objects[i], moving->numbers->strings);
	order = sort_moved_rows(moving, 0, count, compare_objects);
	for (i = 0; order && number != MEMPHIS_NONE && i < count; i++)
		number = moving->numbers->objects[order[i]] =
			memphis_profile_add_object(moving->to, &objects[order[i]]);
	free(order);
	return order && number != MEMPHIS_NONE ? 0 : -ENOMEM;
}

void memphis_variable_renumber(struct memphis_variable *variable, const uint32_t *strings)
{
	variable->segment = strings[variable->segment];
	variable->name = strings[variable->name];
	variable->qualified = strings[variable->qualified];
	variable->site = strings[variable->site];
	variable->how = strings[variable->how];
	variable->why_not = strings[variable->why_not];
	variable->object = strings[variable->object];
	variable->declared = strings[variable->declared];
	variable->unit = strings[variable->unit];
}

static int compare_variables(const void *a, const void *b, void *context)
{
	const struct memphis_variable *variables = ((struct memphis_profile *)context)->variables,
				      *x = &variables[*(const uint32_t *)a],
				      *y = &variables[*(const uint32_t *)b];

	return memphis_numbers_compare(&x->segment, &y->segment, sizeof(*x) / sizeof(uint32_t));
}

static int move_variables(const struct moving *moving)
{
	struct memphis_variable *variables = moving->from->variables;
	const size_t count = moving->from->variable_count;
	uint32_t *order, number = 0;
	size_t i;

	for (i = 0; i < count; i++)
		memphis_variable_renumber(&variables[i], moving->numbers->strings);
	order = sort_moved_rows(moving, 0, count, compare_variables);
	for (i = 0; order && number != MEMPHIS_NONE && i < count; i++)
		number = moving->numbers->variables[order[i]] =
			memphis_profile_add_variable(moving->to, &variables[order[i]]);
	free(order);
	return order && number != MEMPHIS_NONE ? 0 : -ENOMEM;
}

static int compare_instructions(const void *a, const void *b, void *context)
{
	const struct memphis_instruction *list = ((struct memphis_profile *)context)->instructions,
					 *x = &list[*(const uint32_t *)a], *y = &list[*(const uint32_t *)b];

	if (x->object != y->object)
		return x->object < y->object ? -1 : 1;
	if (x->pc != y->pc)
		return x->pc < y->pc ? -1 : 1;
	return memphis_numbers_compare(&x->chain, &y->chain, 1);
}

/*
 * Replaces the numbers of objects and strings in all instructions and frames. Does not change the numbers of chains,
 * which are not known yet.
 */
static void renumber_instructions(const struct moving *moving)
{
	const struct memphis_numbers *numbers = moving->numbers;
	struct memphis_profile *from = moving->from;
	struct memphis_instruction *instruction;
	struct memphis_profile_frame *frame;

	for (frame = from->frames; frame < from->frames + from->frame_count; frame++) {
		frame->function = numbers->strings[frame->function];
		frame->path = numbers->strings[frame->path];
	}
	for (instruction = from->instructions; instruction < from->instructions + from->instruction_count;
	     instruction++) {
		if (instruction->object != MEMPHIS_NONE)
			instruction->object = numbers->objects[instruction->object];
		instruction->type = numbers->strings[instruction->type];
		instruction->member = numbers->strings[instruction->member];
		instruction->called = numbers->strings[instruction->called];
	}
}

static int compare_chains(const void *a, const void *b, void *context)
{
	const struct memphis_profile *profile = context;
	const struct memphis_chain *x = &profile->chains[*(const uint32_t *)a],
				   *y = &profile->chains[*(const uint32_t *)b];
	const uint32_t first[] = {x->reason, x->program, x->call_count},
		       second[] = {y->reason, y->program, y->call_count};
	int rc = memphis_numbers_compare(first, second, 3);

	return rc ? rc
		  : memphis_numbers_compare(profile->calls + x->call, profile->calls + y->call,
					    x->call_count);
}

static int move_chains(const struct moving *moving)
{
	struct memphis_profile *from = moving->from;
	const struct memphis_chain *chain;
	uint32_t *order, number = 0;
	size_t i;

	for (i = 0; i < from->call_count; i++)
		from->calls[i] = moving->numbers->instructions[from->calls[i]];
	order = sort_moved_rows(moving, 0, from->chain_count, compare_chains);
	for (i = 0; order && number != MEMPHIS_NONE && i < from->chain_count; i++) {
		chain = &from->chains[order[i]];
		number = moving->numbers->chains[order[i]] =
			memphis_profile_add_chain(moving->to, chain->reason, chain->program,
						  from->calls + chain->call, chain->call_count);
	}
	free(order);
	if (!order || number == MEMPHIS_NONE)
		return -ENOMEM;
	for (i = 0; i < from->instruction_count; i++)
		if (from->instructions[i].chain != MEMPHIS_NONE)
			from->instructions[i].chain = moving->numbers->chains[from->instructions[i].chain];
	return 0;
}

/*
 * Adds the instructions that have a chain, or those that have none. Those without a chain must be added first, because
 * all calls of chains are among them.
 */
static int move_instructions(const struct moving *moving, bool with_chain)
{
	struct memphis_profile *to = moving->to, *from = moving->from;
	const size_t count = from->instruction_count;
	uint32_t *order = sort_moved_rows(moving, 0, count, compare_instructions), number = 0;
	const struct memphis_instruction *instruction;
	size_t i;

	for (i = 0; order && i < count; i++) {
		instruction = &from->instructions[order[i]];
		if ((instruction->chain != MEMPHIS_NONE) != with_chain)
			continue;
		number = moving->numbers->instructions[order[i]] = memphis_profile_add_called_instruction(
			to, instruction->object, instruction->pc, instruction->chain,
			from->frames + instruction->frame, instruction->frame_count);
		if (number == MEMPHIS_NONE)
			break;
		memphis_profile_set_type(to, number, instruction->type, instruction->member,
					 instruction->no_type);
		memphis_profile_set_called(to, number, instruction->called);
	}
	free(order);
	return order && number != MEMPHIS_NONE ? 0 : -ENOMEM;
}

/* Sorts a region before the regions nested in it, and siblings by name. */
static int compare_regions(const void *a, const void *b, void *context)
{
	const struct memphis_profile_region *list = ((struct memphis_profile *)context)->regions;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	const int rc = memphis_preorder(list, sizeof(*list), &x, &y);

	return rc ? rc : memphis_numbers_compare(&list[x].name, &list[y].name, 1);
}

/* Adds the regions. The first two regions, which have no name, keep their numbers. */
static int move_regions(const struct moving *moving)
{
	uint32_t *numbers = moving->numbers->regions, *order, number;
	struct memphis_profile *to = moving->to, *from = moving->from;
	const size_t count = from->region_count < 2 ? 0 : from->region_count - 2;
	size_t i;

	for (i = 0; i < from->region_count; i++)
		from->regions[i].name = moving->numbers->strings[from->regions[i].name];
	order = sort_moved_rows(moving, 2, count, compare_regions);
	number = memphis_profile_add_region(to, 0, 0);
	numbers[1] = 1;
	for (i = 0; order && number != MEMPHIS_NONE && i < count; i++)
		number = numbers[order[i]] = memphis_profile_add_region(
			to, from->regions[order[i]].name, numbers[from->regions[order[i]].parent]);
	free(order);
	if (!order || number == MEMPHIS_NONE)
		return -ENOMEM;
	for (i = 0; i < from->region_count; i++)
		to->regions[numbers[i]].written += from->regions[i].written;
	return 0;
}

int memphis_numbers_move(struct memphis_numbers *numbers, struct memphis_profile *to,
			 struct memphis_profile *from, bool sorted)
{
	const struct moving moving = {numbers, to, from, sorted};
	int rc = move_objects(&moving);

	if (!rc)
		rc = move_variables(&moving);
	renumber_instructions(&moving);
	if (!rc)
		rc = move_instructions(&moving, false);
	if (!rc)
		rc = move_chains(&moving);
	if (!rc && from->chain_count)
		rc = move_instructions(&moving, true);
	return rc ? rc : move_regions(&moving);
}

void memphis_finding_renumber(struct memphis_finding *finding, const struct memphis_numbers *numbers)
{
	size_t i;

	finding->variable = numbers->variables[finding->variable];
	if (finding->reused_of != MEMPHIS_NONE)
		finding->reused_of = numbers->variables[finding->reused_of];
	if (finding->initialised_at != MEMPHIS_NONE)
		finding->initialised_at = numbers->instructions[finding->initialised_at];
	if (finding->usual != MEMPHIS_NONE)
		finding->usual = numbers->instructions[finding->usual];
	if (finding->instruction != MEMPHIS_NONE)
		finding->instruction = numbers->instructions[finding->instruction];
	for (i = 0; i < finding->region_count; i++)
		finding->regions[i].region = numbers->regions[finding->regions[i].region];
	for (i = 0; i < sizeof(finding->fields) / sizeof(*finding->fields); i++)
		finding->fields[i] = numbers->strings[finding->fields[i]];
}

/* Compares two rows by the 32-bit number with which they begin. */
static int compare_numbers(const void *a, const void *b)
{
	return memphis_numbers_compare(a, b, 1);
}

/* Compares by instruction, tick and node, which are the first three members. */
static int compare_moments(const void *a, const void *b)
{
	return memphis_numbers_compare(a, b, 3);
}

void memphis_heatmap_renumber(struct memphis_heatmap *heatmap, const struct memphis_numbers *numbers)
{
	size_t i;

	heatmap->variable = numbers->variables[heatmap->variable];
	for (i = 0; i < heatmap->field_count; i++)
		heatmap->fields[i].name = numbers->strings[heatmap->fields[i].name];
	for (i = 0; i < heatmap->part_count; i++)
		heatmap->parts[i].name = numbers->strings[heatmap->parts[i].name];
	for (i = 0; i < heatmap->use_count; i++)
		if (heatmap->uses[i].first_store != MEMPHIS_NONE)
			heatmap->uses[i].first_store = numbers->instructions[heatmap->uses[i].first_store];
	for (i = 0; i < heatmap->store_count; i++)
		heatmap->stores[i].instruction = numbers->instructions[heatmap->stores[i].instruction];
	memphis_sort(heatmap->stores, heatmap->store_count, compare_numbers);
	for (i = 0; i < heatmap->load_count; i++)
		heatmap->loads[i].instruction = numbers->instructions[heatmap->loads[i].instruction];
	for (i = 0; i < heatmap->moment_count; i++)
		heatmap->moments[i].instruction = numbers->instructions[heatmap->moments[i].instruction];
	memphis_sort(heatmap->moments, heatmap->moment_count, compare_moments);
	for (i = 0; i < heatmap->region_count; i++)
		heatmap->regions[i].region = numbers->regions[heatmap->regions[i].region];
	memphis_sort(heatmap->regions, heatmap->region_count, compare_numbers);
}
