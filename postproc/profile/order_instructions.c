// SPDX-License-Identifier: BSD-3-Clause
/*
 * Sorts the instructions of a profile and the chains of calls that led to them. Calls are instructions without a chain, so these
 * come first, then the chains, and then the instructions with chains.
 */
#include "profile/order_instructions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

uint32_t *memphis_order_sorted(uint32_t first, size_t count, memphis_order_compare_rows *compare,
			       void *context)
{
	uint32_t *numbers = malloc((count + 1) * sizeof(*numbers));
	size_t i;

	if (!numbers)
		return NULL;
	for (i = 0; i < count; i++)
		numbers[i] = first + (uint32_t)i;
	qsort_r(numbers, count, sizeof(*numbers), compare, context);
	return numbers;
}

int memphis_order_compare(const uint32_t *a, const uint32_t *b, size_t count)
{
	for (; count; count--, a++, b++)
		if (*a != *b)
			return *a < *b ? -1 : 1;
	return 0;
}

static int compare_instructions(const void *a, const void *b, void *context)
{
	const struct memphis_order *order = context;
	const struct memphis_instruction *x = &order->profile->instructions[*(const uint32_t *)a],
					 *y = &order->profile->instructions[*(const uint32_t *)b];
	const uint32_t first = x->object == MEMPHIS_NONE ? MEMPHIS_NONE : order->objects[x->object],
		       second = y->object == MEMPHIS_NONE ? MEMPHIS_NONE : order->objects[y->object];

	if (first != second)
		return first < second ? -1 : 1;
	if (x->pc != y->pc)
		return x->pc < y->pc ? -1 : 1;
	if (x->chain == y->chain || x->chain == MEMPHIS_NONE || y->chain == MEMPHIS_NONE)
		return (x->chain == MEMPHIS_NONE) - (y->chain == MEMPHIS_NONE);
	return memphis_order_compare(&order->chains[x->chain], &order->chains[y->chain], 1);
}

/* Compares chains whose calls have their new numbers. */
static int compare_chains(const void *a, const void *b, void *context)
{
	const struct memphis_profile *profile = ((struct memphis_order *)context)->profile;
	const struct memphis_chain *x = &profile->chains[*(const uint32_t *)a],
				   *y = &profile->chains[*(const uint32_t *)b];
	const uint32_t first[] = {x->reason, x->program, x->call_count},
		       second[] = {y->reason, y->program, y->call_count};
	int rc = memphis_order_compare(first, second, 3);

	return rc ? rc
		  : memphis_order_compare(profile->calls + x->call, profile->calls + y->call, x->call_count);
}

static int order_chains(struct memphis_order *order)
{
	const struct memphis_profile *profile = order->profile;
	const size_t count = profile->chain_count;
	const struct memphis_chain *chain;
	uint32_t *numbers, number;
	size_t i;

	for (i = 0; i < profile->call_count; i++)
		profile->calls[i] = order->instructions[profile->calls[i]];
	numbers = memphis_order_sorted(0, count, compare_chains, order);
	for (i = 0; numbers && i < count; i++) {
		chain = &profile->chains[numbers[i]];
		number = memphis_profile_chain(&order->ordered, chain->reason, chain->program,
					       profile->calls + chain->call, chain->call_count);
		order->chains[numbers[i]] = number;
		if (number == MEMPHIS_NONE)
			break;
	}
	free(numbers);
	return numbers && i == count ? 0 : -ENOMEM;
}

/* Adds the instructions with a chain, or those without one. The latter, among them all calls of chains, are added first. */
static int order_instructions(struct memphis_order *order, bool with_chain)
{
	const struct memphis_profile *profile = order->profile;
	const size_t count = profile->instruction_count;
	uint32_t *numbers = memphis_order_sorted(0, count, compare_instructions, order), number;
	const struct memphis_instruction *instruction;
	size_t i;

	for (i = 0; numbers && i < count; i++) {
		instruction = &profile->instructions[numbers[i]];
		if ((instruction->chain != MEMPHIS_NONE) != with_chain)
			continue;
		number = memphis_profile_called_instruction(
			&order->ordered,
			instruction->object == MEMPHIS_NONE ? MEMPHIS_NONE
							    : order->objects[instruction->object],
			instruction->pc, with_chain ? order->chains[instruction->chain] : MEMPHIS_NONE,
			profile->frames + instruction->frame, instruction->frame_count);
		order->instructions[numbers[i]] = number;
		if (number == MEMPHIS_NONE)
			break;
		memphis_profile_set_type(&order->ordered, number, order->strings[instruction->type],
					 order->strings[instruction->member], instruction->no_type);
		memphis_profile_set_called(&order->ordered, number, order->strings[instruction->called]);
	}
	free(numbers);
	return numbers && i == count ? 0 : -ENOMEM;
}

static void renumber_frames(struct memphis_order *order)
{
	const struct memphis_profile *profile = order->profile;
	size_t i;

	for (i = 0; i < profile->frame_count; i++) {
		profile->frames[i].function = order->strings[profile->frames[i].function];
		profile->frames[i].path = order->strings[profile->frames[i].path];
	}
}

int memphis_order_instructions(struct memphis_order *order)
{
	int rc;

	renumber_frames(order);
	rc = order_instructions(order, false);
	if (!rc)
		rc = order_chains(order);
	return rc || !order->profile->chain_count ? rc : order_instructions(order, true);
}
