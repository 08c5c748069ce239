// SPDX-License-Identifier: BSD-3-Clause
/*
 * Converts the sample counts of the join to a profile. Owners (see name/names.h) get the names of variables.
 * Instructions get functions and source lines.
 */
#include "name/reduce.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "name/instructions.h"

static int add_objects(struct memphis_profile *profile)
{
	const struct memphis_binaries *binaries = &profile->processes.binaries;
	size_t i;

	for (i = 0; i < binaries->count; i++)
		if (memphis_instructions_add_object(profile, binaries->list[i]) == MEMPHIS_NONE)
			return -ENOMEM;
	return 0;
}

uint32_t memphis_variable_add(struct memphis_profile *profile, const struct memphis_description *description)
{
	struct memphis_variable variable = {
		.segment = memphis_profile_add_string(profile, description->segment),
		.name = memphis_profile_add_string(profile, description->name),
		.qualified = memphis_profile_add_string(profile, description->qualified),
		.site = memphis_profile_add_string(profile, description->site),
		.how = memphis_profile_add_string(profile, memphis_how_names[description->how]),
		.why_not =
			memphis_profile_add_string(profile, memphis_naming_texts[description->why_not].name),
		.object = memphis_profile_add_string(profile, description->object),
		.declared = memphis_profile_add_string(profile, description->declared),
		.unit = memphis_profile_add_string(profile, description->unit)};

	if (variable.segment == MEMPHIS_NONE || variable.name == MEMPHIS_NONE ||
	    variable.qualified == MEMPHIS_NONE || variable.site == MEMPHIS_NONE ||
	    variable.how == MEMPHIS_NONE || variable.why_not == MEMPHIS_NONE ||
	    variable.object == MEMPHIS_NONE || variable.declared == MEMPHIS_NONE ||
	    variable.unit == MEMPHIS_NONE)
		return MEMPHIS_NONE;
	return memphis_profile_add_variable(profile, &variable);
}

/*
 * Returns a copy of the owner without the reason why no variable was found. Owners without a variable share
 * one row, whatever their reasons. The reasons are stored with the samples.
 */
static struct memphis_owner without_reason(const struct memphis_owner *owner)
{
	struct memphis_owner key = *owner;

	key.reason = 0;
	return key;
}

uint32_t memphis_owner_number(const struct memphis_owner_numbers *numbers, const struct memphis_owner *owner)
{
	struct memphis_owner key = without_reason(owner);
	uint32_t number = memphis_strings_find(&numbers->keys, &key, sizeof(key));

	return number == MEMPHIS_NO_STRING ? MEMPHIS_NONE : number - 1;
}

void memphis_owner_numbers_close(struct memphis_owner_numbers *numbers)
{
	memphis_strings_close(&numbers->keys);
	free(numbers->owners);
	free(numbers->variables);
	memset(numbers, 0, sizeof(*numbers));
}

uint32_t memphis_owner_add(struct memphis_namer *namer, struct memphis_owner_numbers *numbers,
			   const struct memphis_owner *owner)
{
	struct memphis_description description;
	struct memphis_owner key = without_reason(owner);
	uint32_t number, variable;
	int rc;

	number = memphis_strings_add(&numbers->keys, &key, sizeof(key));
	if (number == MEMPHIS_NO_STRING)
		return MEMPHIS_NONE;
	if (number <= numbers->count)
		return number - 1;
	if (memphis_grow(&numbers->owners, &numbers->owner_room, number, sizeof(key)) ||
	    memphis_grow(&numbers->variables, &numbers->variable_room, number, sizeof(variable)))
		return MEMPHIS_NONE;
	rc = memphis_describe(namer, owner, &description);
	variable = rc ? MEMPHIS_NONE : memphis_variable_add(namer->join->profile, &description);
	memphis_description_close(&description);
	numbers->owners[numbers->count] = key;
	numbers->variables[numbers->count++] = variable;
	return variable == MEMPHIS_NONE ? MEMPHIS_NONE : number - 1;
}

/* Returns the row of the owner's variable in the profile, or MEMPHIS_NONE if memory is exhausted. */
static uint32_t find_variable(struct memphis_namer *namer, struct memphis_owner_numbers *numbers,
			      const struct memphis_owner *owner)
{
	const uint32_t number = memphis_owner_add(namer, numbers, owner);

	return number == MEMPHIS_NONE ? MEMPHIS_NONE : numbers->variables[number];
}

/* Finds the type that the instruction accesses, unless an earlier call has done so. Returns 0 or -ENOMEM. */
static int set_access_type(struct memphis_namer *namer, uint32_t code, uint64_t pc, uint32_t instruction)
{
	struct memphis_profile *profile = namer->join->profile;
	struct memphis_binaries *binaries = &profile->processes.binaries;
	const struct memphis_instruction *row = &profile->instructions[instruction];
	struct memphis_access_type answer;
	uint32_t type, member;

	if (row->type || row->no_type)
		return 0;
	if (memphis_access_type_of(&namer->types, binaries,
				   code == MEMPHIS_NO_BINARY ? NULL : binaries->list[code], pc, &answer))
		return -ENOMEM;
	type = memphis_profile_add_string(profile, answer.type);
	member = memphis_profile_add_string(profile, answer.member);
	memphis_profile_set_type(profile, instruction, type, member, answer.type ? 0 : answer.reason);
	profile->instructions[instruction].bytes = answer.bytes;
	memphis_access_type_close(&answer);
	return type == MEMPHIS_NONE || member == MEMPHIS_NONE ? -ENOMEM : 0;
}

uint32_t memphis_reduce_instruction(struct memphis_namer *namer, uint32_t code, uint64_t pc, uint32_t callers)
{
	uint32_t chain, instruction;

	if (memphis_chain_find_row(&namer->chains, namer->join, code, pc, callers, &chain))
		return MEMPHIS_NONE;
	instruction = memphis_instructions_add(namer->join->profile, code, pc, chain);
	if (instruction != MEMPHIS_NONE && set_access_type(namer, code, pc, instruction))
		return MEMPHIS_NONE;
	return instruction;
}

static int compare_counts(const void *a, const void *b)
{
	const struct memphis_count *x = *(const struct memphis_count *const *)a,
				   *y = *(const struct memphis_count *const *)b;

	return memphis_order(x->key.code, y->key.code) ?:
	       memphis_order(x->key.pc, y->key.pc) ?:
	       memphis_order(x->key.callers, y->key.callers) ?:
	       memcmp(&x->key, &y->key, sizeof(x->key));
}

static int add_cells(struct memphis_namer *namer, struct memphis_owner_numbers *numbers,
		     const struct memphis_count **sorted, size_t count)
{
	const struct memphis_count *from, *last = NULL;
	uint32_t instruction = MEMPHIS_NONE;
	struct memphis_cell cell;
	size_t i;

	for (i = 0; i < count; i++, last = from) {
		from = sorted[i];
		if (!last || from->key.code != last->key.code || from->key.pc != last->key.pc ||
		    from->key.callers != last->key.callers)
			instruction = memphis_reduce_instruction(namer, from->key.code, from->key.pc,
								 from->key.callers);
		memset(&cell, 0, sizeof(cell));
		cell.key.variable = find_variable(namer, numbers, &from->key.owner);
		cell.key.instruction = instruction;
		cell.key.region = from->key.region;
		cell.key.thread = from->key.thread;
		cell.key.access = from->key.access;
		cell.key.reason = from->key.owner.reason;
		cell.measure = from->measure;
		if (cell.key.variable == MEMPHIS_NONE || instruction == MEMPHIS_NONE ||
		    memphis_profile_add_cell(namer->join->profile, &cell))
			return -ENOMEM;
	}
	return 0;
}

static int name_examples(struct memphis_namer *namer, struct memphis_owner_numbers *numbers)
{
	struct memphis_profile *profile = namer->join->profile;
	struct memphis_examples *examples = &profile->examples;
	struct memphis_example *example;
	unsigned int reason, i;

	for (reason = 0; reason < MEMPHIS_UNATTRIBUTED_REASONS; reason++) {
		for (i = 0; i < examples->count[reason]; i++) {
			example = &examples->list[reason][i];
			example->variable = find_variable(namer, numbers, &example->owner);
			example->code =
				memphis_instructions_add(profile, example->code, example->pc, MEMPHIS_NONE);
			if (example->variable == MEMPHIS_NONE || example->code == MEMPHIS_NONE)
				return -ENOMEM;
		}
	}
	return 0;
}

int memphis_reduce(struct memphis_namer *namer, struct memphis_owner_numbers *numbers)
{
	const struct memphis_counts *counts = &namer->join->counts;
	const struct memphis_count **sorted;
	size_t i;
	int rc;

	/* Sort by instruction, so that consecutive lookups use the same compilation unit. */
	sorted = malloc((counts->count + 1) * sizeof(*sorted));
	if (!sorted)
		return -ENOMEM;
	for (i = 0; i < counts->count; i++)
		sorted[i] = &counts->cells[i];
	qsort(sorted, counts->count, sizeof(*sorted), compare_counts);
	rc = add_objects(namer->join->profile);
	if (!rc)
		rc = add_cells(namer, numbers, sorted, counts->count);
	if (!rc)
		rc = name_examples(namer, numbers);
	/* The lookups may have opened debug information. Update the objects, which state whether a binary has it. */
	if (!rc)
		rc = add_objects(namer->join->profile);
	free(sorted);
	return rc;
}
