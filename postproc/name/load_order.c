// SPDX-License-Identifier: BSD-3-Clause
/*
 * Traces the registers of an address back through the innermost loop. A register is assumed to get its value
 * from the nearest earlier write in the loop. If there is none before the instruction, it gets the value from
 * the last write in the loop (in the previous iteration). Values without a known source do not affect the
 * order.
 */
#include "name/load_order.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "dwarf/symbols.h"

#define DEPTH 64   /* maximum number of instructions on a path from an address back to its sources */
#define STEPS 4096 /* maximum number of instructions that are visited for one access */

struct search {
	const struct memphis_code_op *ops;
	size_t first, last; /* first and last instruction of the loop */
	size_t path[DEPTH]; /* chain of instructions from the access to the current instruction */
	size_t depth;
	unsigned int steps;
	enum memphis_load_order order;
};

static void trace_register(struct search *search, size_t before, int8_t number, bool scaled);

/* Returns the previous instruction in the loop. The instruction before the first one is the last one. */
static size_t previous_instruction(const struct search *search, size_t at)
{
	return at == search->first ? search->last : at - 1;
}

static bool writes_register(const struct memphis_code_op *op, int8_t number)
{
	if (op->written >> number & 1)
		return true;
	return op->to == number && op->effect != MEMPHIS_CODE_OTHER && op->effect != MEMPHIS_CODE_STORE;
}

static bool writes_slot(const struct memphis_code_op *op, const struct memphis_code_memory *slot)
{
	return op->effect == MEMPHIS_CODE_STORE && op->memory[0].in_frame &&
	       op->memory[0].offset == slot->offset;
}

/*
 * Returns the instruction of the loop that writes the register, or the stack slot if `slot` is not NULL.
 * Returns SIZE_MAX if there is none.
 */
static size_t find_source(const struct search *search, size_t before, int8_t number,
			  const struct memphis_code_memory *slot)
{
	size_t at = before;

	do {
		at = previous_instruction(search, at);
		if (slot ? writes_slot(&search->ops[at], slot) : writes_register(&search->ops[at], number))
			return at;
	} while (at != before);
	return SIZE_MAX;
}

/* Returns true if the register, or the stack slot if `slot` is not NULL, may change from iteration to iteration. */
static bool may_vary(struct search *search, size_t before, int8_t number,
		     const struct memphis_code_memory *slot, unsigned int depth)
{
	const size_t at = find_source(search, before, number, slot);
	const struct memphis_code_memory *memory;
	const struct memphis_code_op *op;

	if (at == SIZE_MAX)
		return false;
	op = &search->ops[at];
	if (slot || depth == DEPTH || ++search->steps >= STEPS || op->next == MEMPHIS_CODE_CALLS)
		return true;
	/* If the instruction updates its own result and has no other source, the recursion ends at the maximum depth. */
	if (op->updates && (op->to == MEMPHIS_NO_REGISTER || may_vary(search, at, op->to, NULL, depth + 1)))
		return true;
	if (op->converts ||
	    (op->reads != MEMPHIS_NO_REGISTER && may_vary(search, at, op->reads, NULL, depth + 1)) ||
	    (op->multiple_of != MEMPHIS_NO_REGISTER &&
	     may_vary(search, at, op->multiple_of, NULL, depth + 1)))
		return true;
	if (!op->memory_count)
		return false;
	memory = &op->memory[0];
	if (memory->in_frame && op->effect != MEMPHIS_CODE_ADDRESS)
		return may_vary(search, at, MEMPHIS_NO_REGISTER, memory, depth + 1);
	return (memory->base != MEMPHIS_NO_REGISTER && may_vary(search, at, memory->base, NULL, depth + 1)) ||
	       (memory->index != MEMPHIS_NO_REGISTER && may_vary(search, at, memory->index, NULL, depth + 1));
}

static void trace_address(struct search *search, size_t at, const struct memphis_code_memory *memory,
			  bool scaled)
{
	if (memory->base != MEMPHIS_NO_REGISTER)
		trace_register(search, at, memory->base, scaled);
	if (memory->index != MEMPHIS_NO_REGISTER)
		trace_register(search, at, memory->index, scaled || memory->scale > 1);
}

static void trace_result(struct search *search, size_t at, bool scaled);

/* Traces the sources of the value that the instruction loads from memory. */
static void trace_content(struct search *search, size_t at, bool scaled)
{
	const struct memphis_code_memory *memory = &search->ops[at].memory[0];
	size_t source;

	if (memory->in_frame) {
		source = find_source(search, at, MEMPHIS_NO_REGISTER, memory);
		if (source != SIZE_MAX)
			trace_result(search, source, scaled);
		return;
	}
	if ((memory->base == MEMPHIS_NO_REGISTER || !may_vary(search, at, memory->base, NULL, 0)) &&
	    (memory->index == MEMPHIS_NO_REGISTER || !may_vary(search, at, memory->index, NULL, 0)))
		return;
	if (scaled)
		search->order = MEMPHIS_ORDER_INDIRECT;
	else
		trace_address(search, at, memory, false);
}

static bool loads_from_memory(const struct memphis_code_op *op)
{
	return op->memory_count && op->effect != MEMPHIS_CODE_ADDRESS && op->effect != MEMPHIS_CODE_STORE;
}

static void set_random_order(struct search *search)
{
	if (search->order == MEMPHIS_ORDER_COUNTED)
		search->order = MEMPHIS_ORDER_RANDOM;
}

/*
 * Handles a path that has returned to an earlier instruction. The result of that instruction depends on its
 * own result in the previous iteration.
 */
static void judge_cycle(struct search *search, size_t first)
{
	const struct memphis_code_op *op;
	size_t i;

	for (i = first; i < search->depth; i++) {
		op = &search->ops[search->path[i]];
		if (loads_from_memory(op) && !op->memory[0].in_frame &&
		    (op->memory[0].base != MEMPHIS_NO_REGISTER || op->memory[0].index != MEMPHIS_NO_REGISTER))
			search->order = MEMPHIS_ORDER_INDIRECT;
		else if (op->irregular)
			set_random_order(search);
	}
}

/*
 * Returns true if bits are combined, for example by a mask or a shift, between the current instruction and the
 * address.
 */
static bool has_combined_bits(const struct search *search)
{
	size_t i;

	for (i = 0; i < search->depth; i++)
		if (search->ops[search->path[i]].combines)
			return true;
	return false;
}

/* Traces the values from which the instruction computes its result. */
static void trace_result(struct search *search, size_t at, bool scaled)
{
	const struct memphis_code_op *op = &search->ops[at];
	size_t i;

	for (i = 0; i < search->depth; i++)
		if (search->path[i] == at) {
			judge_cycle(search, i);
			return;
		}
	if (search->depth == DEPTH || ++search->steps >= STEPS)
		return;
	/* Hash functions combine the bits of a product. So does a division by a constant, which is rare in an index. */
	if (op->multiplies && has_combined_bits(search))
		set_random_order(search);
	search->path[search->depth++] = at;
	scaled |= op->effect == MEMPHIS_CODE_MULTIPLY;
	if (op->effect == MEMPHIS_CODE_STORE && op->updates)
		trace_content(search, at, scaled);
	else if (op->updates && op->to != MEMPHIS_NO_REGISTER)
		trace_register(search, at, op->to, scaled);
	if (op->converts)
		set_random_order(search);
	if (op->reads != MEMPHIS_NO_REGISTER)
		trace_register(search, at, op->reads, scaled);
	if (op->multiple_of != MEMPHIS_NO_REGISTER)
		trace_register(search, at, op->multiple_of, true);
	if (op->effect == MEMPHIS_CODE_ADDRESS)
		trace_address(search, at, &op->memory[0], scaled);
	else if (loads_from_memory(op))
		trace_content(search, at, scaled);
	search->depth--;
}

/*
 * Traces the value of a register before an instruction. `scaled` means that the address contains a multiple
 * of the value. The value is then an index, not an address.
 */
static void trace_register(struct search *search, size_t before, int8_t number, bool scaled)
{
	const size_t at = find_source(search, before, number, NULL);

	if (at == SIZE_MAX || search->order == MEMPHIS_ORDER_INDIRECT)
		return;
	if (search->ops[at].next != MEMPHIS_CODE_CALLS)
		trace_result(search, at, scaled);
	else if (number == MEMPHIS_REG_AX)
		set_random_order(search); /* the register holds the result of a called function */
}

/* Finds the smallest loop around the instruction: from the target of a backward jump to the jump. */
static bool find_loop(const struct memphis_function_code *code, size_t at, struct search *search)
{
	size_t i, target;
	bool found = false;

	for (i = at; i < code->count; i++) {
		if ((code->list[i].next != MEMPHIS_CODE_BRANCHES &&
		     code->list[i].next != MEMPHIS_CODE_JUMPS) ||
		    code->list[i].target > code->list[at].vaddr)
			continue;
		target = memphis_function_code_at(code, code->list[i].target);
		if (target == SIZE_MAX || (found && i - target >= search->last - search->first))
			continue;
		search->first = target;
		search->last = i;
		found = true;
	}
	return found;
}

static void find_order(const struct memphis_function_code *code, size_t at, enum memphis_load_order *order)
{
	struct search search = {.ops = code->list, .order = MEMPHIS_ORDER_COUNTED};
	const struct memphis_code_op *op = &code->list[at];
	unsigned int i;

	if (!find_loop(code, at, &search))
		return;
	for (i = 0; i < op->memory_count; i++) {
		if (op->memory[i].in_frame)
			continue;
		if (op->memory[i].vector)
			search.order = MEMPHIS_ORDER_INDIRECT;
		else
			trace_address(&search, at, &op->memory[i], false);
	}
	*order = search.order;
}

/*
 * Reads the code of the function that contains the instruction into orders->code. The code is empty if the
 * function is unknown. Returns 0 or -ENOMEM.
 */
static int read_function(struct memphis_load_orders *orders, struct memphis_binaries *binaries,
			 struct memphis_binary *binary, uint64_t pc)
{
	struct memphis_location location;
	int rc;

	if (orders->binary == binary && pc >= orders->low && pc < orders->high)
		return 0;
	memphis_function_code_close(&orders->code);
	orders->binary = NULL;
	if (memphis_symbols_find(binaries, binary, pc, &location))
		return -ENOMEM;
	if (pc < location.function_low || pc >= location.function_high)
		return 0;
	rc = memphis_function_code_read(binaries, binary, location.function_low, location.function_high,
					&orders->code);
	if (rc)
		return rc == -ENOTSUP ? 0 : rc;
	orders->binary = binary;
	orders->low = location.function_low;
	orders->high = location.function_high;
	return 0;
}

int memphis_load_order_find(struct memphis_load_orders *orders, struct memphis_binaries *binaries,
			    struct memphis_binary *binary, uint64_t pc, enum memphis_load_order *order)
{
	const uint64_t key[2] = {(uintptr_t)binary, pc};
	uint32_t number;
	uint8_t *known;
	size_t at;

	*order = MEMPHIS_ORDER_COUNTED;
	if (!binary->elf)
		return 0;
	number = memphis_strings_add(&orders->keys, key, sizeof(key));
	if (number == MEMPHIS_NO_STRING)
		return -ENOMEM;
	if (number <= orders->count) {
		*order = (enum memphis_load_order)orders->list[number - 1];
		return 0;
	}
	known = memphis_append(orders->list, orders->count, orders->room);
	if (!known || read_function(orders, binaries, binary, pc))
		return -ENOMEM;
	at = orders->binary ? memphis_function_code_at(&orders->code, pc) : SIZE_MAX;
	if (at != SIZE_MAX)
		find_order(&orders->code, at, order);
	*known = (uint8_t)*order;
	return 0;
}

void memphis_load_orders_close(struct memphis_load_orders *orders)
{
	memphis_strings_close(&orders->keys);
	memphis_function_code_close(&orders->code);
	free(orders->list);
	memset(orders, 0, sizeof(*orders));
}
