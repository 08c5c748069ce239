// SPDX-License-Identifier: BSD-3-Clause
/* Applies the effect of each instruction to the known values of registers and stack slots. */
#include "name/access_state.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>

#include "base/error.h"
#include "dwarf/loader.h"
#include "dwarf/type/definitions.h"
#include "dwarf/type/die.h"
#include "dwarf/type/shape.h"
#include "dwarf/type/type_leaves.h"
#include "dwarf/type/types.h"
#include "name/function_code.h"

/* ---- arithmetic on known values ---- */

/* Limit for factors and steps. Addresses of members do not have larger ones. */
#define FACTOR_MAX (1u << 30)

static struct memphis_value make_number(int64_t offset, uint64_t step)
{
	return (struct memphis_value){.kind = MEMPHIS_VALUE_NUMBER, .offset = offset, .step = step};
}

static uint64_t absolute_factor(int64_t factor)
{
	return factor < 0 ? -(uint64_t)factor : (uint64_t)factor;
}

static bool is_valid_factor(int64_t factor)
{
	return factor > -(int64_t)FACTOR_MAX && factor < (int64_t)FACTOR_MAX;
}

/* Adds the varying part of `number` (its step, origin and factor) to the result, or subtracts it if `minus` is set. */
static void add_varying_part(struct memphis_value *result, const struct memphis_value *number, bool minus)
{
	const int64_t factor = minus ? -number->factor : number->factor;

	if (number->origin && number->origin == result->origin && number->factor &&
	    is_valid_factor(result->factor + factor)) {
		result->factor += factor;
		result->step =
			number->step / absolute_factor(number->factor) * absolute_factor(result->factor);
		result->origin = result->factor ? result->origin : 0;
		return;
	}
	if (!result->step) {
		result->origin = number->origin;
		result->factor = factor;
	} else if (number->step) {
		result->origin = 0;
	}
	result->step = memphis_gcd(result->step, number->step);
}

static struct memphis_value add_number(const struct memphis_value *address,
				       const struct memphis_value *number, bool minus)
{
	struct memphis_value result = *address;
	const uint64_t offset = (uint64_t)number->offset;

	result.offset = (int64_t)((uint64_t)address->offset + (minus ? -offset : offset));
	add_varying_part(&result, number, minus);
	return result;
}

/*
 * Returns true if `a` is the thread pointer, and `b` the distance of a thread-local variable from it. Their
 * sum is the address of the variable.
 */
static bool is_thread_address(const struct memphis_value *a, const struct memphis_value *b)
{
	return a->kind == MEMPHIS_VALUE_THREAD_POINTER && b->kind == MEMPHIS_VALUE_THREAD_DISTANCE;
}

/* Returns the sum of two values. It is unknown if it has no meaning, like the sum of two addresses. */
static struct memphis_value add_values(const struct memphis_value *a, const struct memphis_value *b)
{
	struct memphis_value result;

	if (is_thread_address(a, b) || is_thread_address(b, a)) {
		result = add_number(a, b, false);
		result.kind = MEMPHIS_VALUE_THREAD;
		return result;
	}
	if (b->kind == MEMPHIS_VALUE_NUMBER && a->kind != MEMPHIS_VALUE_UNKNOWN)
		return add_number(a, b, false);
	if (a->kind == MEMPHIS_VALUE_NUMBER && b->kind != MEMPHIS_VALUE_UNKNOWN)
		return add_number(b, a, false);
	return (struct memphis_value){0};
}

static struct memphis_value subtract_values(const struct memphis_value *a, const struct memphis_value *b)
{
	if (b->kind == MEMPHIS_VALUE_NUMBER && a->kind != MEMPHIS_VALUE_UNKNOWN)
		return add_number(a, b, true);
	return (struct memphis_value){0};
}

/*
 * Returns the product of a value and a positive number. The product of an unknown value is a number, because
 * programs do not multiply addresses.
 */
static struct memphis_value multiply_value(const struct memphis_value *a, uint64_t factor)
{
	const int64_t most = INT64_MAX / FACTOR_MAX;
	struct memphis_value result;

	if (factor > FACTOR_MAX)
		return make_number(0, 1);
	if (a->kind != MEMPHIS_VALUE_NUMBER || a->offset <= -most || a->offset >= most ||
	    a->step >= FACTOR_MAX)
		return make_number(0, factor);
	result = make_number(a->offset * (int64_t)factor, a->step * factor);
	if (a->origin && is_valid_factor(a->factor) && is_valid_factor(a->factor * (int64_t)factor)) {
		result.origin = a->origin;
		result.factor = a->factor * (int64_t)factor;
	}
	return result;
}

static bool is_null_pointer(const struct memphis_value *value)
{
	return value->kind == MEMPHIS_VALUE_NUMBER && !value->offset && !value->step;
}

struct memphis_value memphis_value_join(const struct memphis_value *a, const struct memphis_value *b)
{
	struct memphis_value result = *a;
	uint64_t between;

	if (is_null_pointer(a) && b->kind == MEMPHIS_VALUE_POINTER)
		return *b;
	if (is_null_pointer(b) && a->kind == MEMPHIS_VALUE_POINTER)
		return *a;
	if (a->kind != b->kind || a->kind == MEMPHIS_VALUE_UNKNOWN ||
	    (a->kind == MEMPHIS_VALUE_POINTER && !memphis_type_same(&a->object, &b->object)))
		return (struct memphis_value){0};
	between = (uint64_t)a->offset - (uint64_t)b->offset;
	if (a->offset < b->offset)
		between = -between;
	result.step = memphis_gcd(memphis_gcd(a->step, b->step), between);
	if (a->origin != b->origin || a->factor != b->factor || between)
		result.origin = 0;
	return result;
}

bool memphis_value_same(const struct memphis_value *a, const struct memphis_value *b)
{
	return a->kind == b->kind && a->offset == b->offset && a->step == b->step && a->origin == b->origin &&
	       (!a->origin || a->factor == b->factor) && a->object.addr == b->object.addr;
}

#define POINTER_SIZE 8

static struct memphis_value loaded_value(const struct memphis_access_flow *flow, const Dwarf_Die *type,
					 int64_t offset, uint64_t step)
{
	const struct memphis_type_span span = {offset, step, POINTER_SIZE, 0};
	struct memphis_value value = {0};

	switch (memphis_type_loaded(type, flow->places.fortran, &span, &value.object)) {
	case MEMPHIS_LOADED_POINTER:
		value.kind = MEMPHIS_VALUE_POINTER;
		return value;
	case MEMPHIS_LOADED_NUMBER:
		return make_number(0, 1);
	case MEMPHIS_LOADED_OTHER:
		break;
	}
	return (struct memphis_value){0};
}

/*
 * Returns the value of a register or stack slot that holds a variable, or a pointer to the variable. `place`
 * is the variable's location from the debug information.
 */
static struct memphis_value value_of_variable(const struct memphis_access_flow *flow,
					      const struct memphis_variable_place *place, uint64_t part)
{
	struct memphis_value value = {.kind = MEMPHIS_VALUE_POINTER};
	Dwarf_Die type;

	if (!memphis_type_declared(&flow->places.variables[place->variable].die, &type))
		return (struct memphis_value){0};
	if (!place->behind) {
		value = loaded_value(flow, &type, (int64_t)part, 0);
		if (place->plus && value.kind != MEMPHIS_VALUE_POINTER)
			return (struct memphis_value){0};
		value.offset -= place->plus;
		return value;
	}
	value.object = type;
	return value;
}

int memphis_flow_add_seeds(struct memphis_access_flow *flow)
{
	const struct memphis_variable_place *place;
	struct memphis_flow_seed *seed;
	struct memphis_value value;
	size_t i;

	for (i = 0; i < flow->places.place_count; i++) {
		place = &flow->places.places[i];
		if (place->place.base != MEMPHIS_IN_REGISTER)
			continue;
		value = value_of_variable(flow, place, place->part);
		if (value.kind == MEMPHIS_VALUE_UNKNOWN)
			continue;
		seed = memphis_append(flow->seeds, flow->seed_count, flow->seed_room);
		if (!seed)
			return -ENOMEM;
		*seed = (struct memphis_flow_seed){place, value};
	}
	return 0;
}

bool memphis_flow_is_any(const Dwarf_Die *object)
{
	Dwarf_Die plain;
	Dwarf_Word bytes;

	/*
	 * Structures of one byte count, too. Such a structure is an empty class, for example an allocator,
	 * which may share its address with another object.
	 */
	return !memphis_type_plain(object, &plain) || (dwarf_tag(&plain) != DW_TAG_array_type &&
						       !dwarf_aggregate_size(&plain, &bytes) && bytes == 1);
}

/* Returns true if the known value of the register describes the object at least as exactly as the variable's type does. */
bool memphis_flow_says_more(const struct memphis_value *known, const struct memphis_value *variable)
{
	if (known->kind >= MEMPHIS_VALUE_STATIC)
		return !known->step || variable->kind != MEMPHIS_VALUE_POINTER;
	if (known->kind != MEMPHIS_VALUE_POINTER)
		return known->kind == MEMPHIS_VALUE_NUMBER && variable->kind != MEMPHIS_VALUE_POINTER;
	if (variable->kind != MEMPHIS_VALUE_POINTER)
		return true;
	if (memphis_type_same(&known->object, &variable->object))
		return known->offset == variable->offset && !known->step;
	if (!known->object.addr ||
	    (memphis_flow_is_any(&known->object) && !memphis_flow_is_any(&variable->object)))
		return false;
	if (memphis_flow_is_any(&variable->object))
		return true;
	return !known->step && known->offset >= variable->offset &&
	       memphis_type_contains(&known->object, false, (uint64_t)(known->offset - variable->offset),
				     &variable->object);
}

/*
 * Sets the registers of the variables whose locations begin at the instruction. At a leader (start of a
 * block), sets the registers of all variables that have a location there.
 */
void memphis_flow_apply(const struct memphis_access_flow *flow, struct memphis_flow_state *state,
			const struct memphis_code_op *op)
{
	const struct memphis_flow_seed *seed;
	struct memphis_value *known;
	size_t i;

	for (i = 0; i < flow->seed_count; i++) {
		seed = &flow->seeds[i];
		if (seed->place->from != op->vaddr &&
		    (!op->leader || !memphis_variable_place_applies(&flow->places, seed->place, op->vaddr)))
			continue;
		known = &state->registers[seed->place->place.offset];
		/*
		 * Keep the known value if the variable points into the middle of an object. The type of such
		 * a variable does not describe the other members of the object.
		 */
		if (!seed->value.offset && !memphis_flow_says_more(known, &seed->value))
			*known = seed->value;
	}
}

static struct memphis_value register_value(const struct memphis_flow_state *state, int reg)
{
	return reg == MEMPHIS_NO_REGISTER || reg == MEMPHIS_REG_SP ? (struct memphis_value){0}
								   : state->registers[reg];
}

struct memphis_value memphis_flow_address(const struct memphis_flow_state *state,
					  const struct memphis_code_memory *memory)
{
	struct memphis_value address = {.offset = memory->offset}, index;

	if (memory->segment)
		return (struct memphis_value){0};
	if (memory->thread) {
		address.kind = MEMPHIS_VALUE_THREAD_POINTER;
		index = register_value(state, memory->base);
		if (memory->base != MEMPHIS_NO_REGISTER)
			address = add_values(&address, &index);
	} else if (memory->in_frame || memory->fixed) {
		address.kind = memory->in_frame ? MEMPHIS_VALUE_FRAME : MEMPHIS_VALUE_STATIC;
	} else {
		address = make_number(memory->offset, 0);
		index = register_value(state, memory->base);
		if (memory->base != MEMPHIS_NO_REGISTER)
			address = add_values(&index, &address);
	}
	if (memory->index == MEMPHIS_NO_REGISTER && !memory->vector)
		return address;
	index = register_value(state, memory->index);
	if (memory->scale > 1 || memory->vector)
		index = multiply_value(&index, memory->scale);
	return add_values(&address, &index);
}

/* Calls visit() for each variable whose location in the frame contains that offset from the CFA. */
void memphis_flow_visit_slots(const struct memphis_access_flow *flow, int64_t offset, uint64_t vaddr,
			      void (*visit)(const struct memphis_access_flow *flow,
					    const struct memphis_variable_place *place, uint64_t part,
					    void *context),
			      void *context)
{
	const struct memphis_variable_place *place;
	uint64_t distance;
	size_t i;

	for (i = 0; i < flow->places.place_count; i++) {
		place = &flow->places.places[i];
		distance = (uint64_t)offset - (uint64_t)place->place.offset;
		if (place->place.base == MEMPHIS_AT_CFA &&
		    distance < (place->behind ? POINTER_SIZE : place->bytes) &&
		    memphis_variable_place_applies(&flow->places, place, vaddr))
			visit(flow, place, place->part + distance, context);
	}
}

struct slot_value {
	struct memphis_value value;
	bool found;
};

static void take_slot_value(const struct memphis_access_flow *flow,
			    const struct memphis_variable_place *place, uint64_t part, void *context)
{
	struct slot_value *slot = context;
	struct memphis_value value = value_of_variable(flow, place, part);

	if (!slot->found || !memphis_flow_says_more(&slot->value, &value))
		slot->value = value;
	slot->found = true;
}

const struct memphis_flow_slot *memphis_flow_slot_at(const struct memphis_flow_state *state, int64_t offset)
{
	size_t i;

	for (i = 0; i < state->slot_count; i++)
		if (state->slots[i].offset == offset)
			return &state->slots[i];
	return NULL;
}

static struct memphis_value load_from_frame(const struct memphis_access_flow *flow,
					    const struct memphis_flow_state *state, int64_t offset,
					    uint64_t vaddr)
{
	const struct memphis_flow_slot *kept = memphis_flow_slot_at(state, offset);
	struct slot_value slot = {.found = false};

	memphis_flow_visit_slots(flow, offset, vaddr, take_slot_value, &slot);
	if (kept && (!slot.found || memphis_flow_says_more(&kept->value, &slot.value)))
		return kept->value;
	return slot.value;
}

static struct memphis_value load_from_variable(const struct memphis_access_flow *flow,
					       const struct memphis_static *variable, uint64_t at)
{
	Dwarf_Die type;

	if (!variable || !variable->die.addr || !memphis_type_declared(&variable->die, &type))
		return (struct memphis_value){0};
	return loaded_value(flow, &type, (int64_t)(at - variable->start), 0);
}

static struct memphis_value load_from_static(const struct memphis_access_flow *flow, uint64_t vaddr)
{
	struct memphis_value value = {0};
	struct memphis_slot slot;

	/* A word of the global offset table contains the address of a variable, or its distance from the thread pointer. */
	if (!memphis_loader_slot(flow->binary, vaddr, &slot))
		return load_from_variable(flow, memphis_variables_find(flow->variables, vaddr), vaddr);
	value.offset = (int64_t)slot.value;
	if (slot.kind == MEMPHIS_SLOT_ADDRESS)
		value.kind = MEMPHIS_VALUE_STATIC;
	else if (slot.kind == MEMPHIS_SLOT_THREAD_DISTANCE)
		value.kind = MEMPHIS_VALUE_THREAD_DISTANCE;
	return value;
}

struct memphis_value memphis_flow_thread_address(const struct memphis_access_flow *flow,
						 struct memphis_value address)
{
	uint64_t distance;

	if (address.kind == MEMPHIS_VALUE_THREAD_POINTER &&
	    memphis_loader_thread_pointer(flow->binary, &distance)) {
		address.kind = MEMPHIS_VALUE_THREAD;
		address.offset = (int64_t)((uint64_t)address.offset + distance);
	}
	return address;
}

static struct memphis_value load_from_memory(const struct memphis_access_flow *flow,
					     const struct memphis_flow_state *state,
					     const struct memphis_code_memory *memory, uint64_t vaddr)
{
	struct memphis_value address = memphis_flow_address(state, memory);
	struct memphis_flow_object arrays[MEMPHIS_FLOW_ARRAYS];

	/* In the x86-64 TLS layout, the word at the thread pointer contains the thread pointer itself. */
	if (address.kind == MEMPHIS_VALUE_THREAD_POINTER && !address.offset && !address.step)
		return address;
	address = memphis_flow_thread_address(flow, address);
	if (address.kind == MEMPHIS_VALUE_POINTER && address.object.addr)
		return loaded_value(flow, &address.object, address.offset, address.step);
	if (address.kind != MEMPHIS_VALUE_FRAME && address.kind != MEMPHIS_VALUE_STATIC &&
	    address.kind != MEMPHIS_VALUE_THREAD)
		return (struct memphis_value){0};
	if (address.step)
		return memphis_flow_arrays(flow, &address, vaddr, arrays) == 1
			       ? loaded_value(flow, &arrays[0].type, arrays[0].offset, arrays[0].step)
			       : (struct memphis_value){0};
	if (address.kind == MEMPHIS_VALUE_FRAME)
		return load_from_frame(flow, state, address.offset, vaddr);
	if (address.kind == MEMPHIS_VALUE_STATIC)
		return load_from_static(flow, (uint64_t)address.offset);
	return load_from_variable(flow, memphis_variables_find_tls(flow->variables, (uint64_t)address.offset),
				  (uint64_t)address.offset);
}

static void remove_slots(struct memphis_flow_state *state, int64_t offset, uint64_t bytes)
{
	size_t i, kept = 0;

	for (i = 0; i < state->slot_count; i++)
		if (state->slots[i].offset + POINTER_SIZE <= offset ||
		    state->slots[i].offset >= offset + (int64_t)bytes)
			state->slots[kept++] = state->slots[i];
	state->slot_count = kept;
}

static void store_to_memory(const struct memphis_access_flow *flow, struct memphis_flow_state *state,
			    const struct memphis_code_op *op)
{
	const struct memphis_code_memory *memory = &op->memory[0];
	const struct memphis_value address = memphis_flow_address(state, memory);

	size_t i;

	/* The store may change a slot whose address the function has taken, so the slots lose their common origins. */
	for (i = 0; address.kind != MEMPHIS_VALUE_FRAME && flow->code.shows_frame && i < state->slot_count;
	     i++)
		state->slots[i].value.origin = 0;
	if (address.kind != MEMPHIS_VALUE_FRAME)
		return;
	if (address.step) {
		state->slot_count = 0;
		return;
	}
	remove_slots(state, address.offset, memory->bytes);
	if (op->from != MEMPHIS_NO_REGISTER && state->slot_count < MEMPHIS_FLOW_SLOTS)
		state->slots[state->slot_count++] =
			(struct memphis_flow_slot){address.offset, register_value(state, op->from)};
}

static struct memphis_value operand_value(const struct memphis_access_flow *flow,
					  const struct memphis_flow_state *state,
					  const struct memphis_code_op *op)
{
	if (op->from != MEMPHIS_NO_REGISTER)
		return register_value(state, op->from);
	if (op->memory_count)
		return load_from_memory(flow, state, &op->memory[0], op->vaddr);
	return make_number(op->number, 0);
}

/* In a program that is not relocated, an immediate operand may be a link-time address. */
static struct memphis_value immediate_value(const struct memphis_access_flow *flow, int64_t number)
{
	struct memphis_value value = make_number(number, 0);

	if (flow->binary->low && (uint64_t)number >= flow->binary->low &&
	    (uint64_t)number < flow->binary->high)
		value.kind = MEMPHIS_VALUE_STATIC;
	return value;
}

/* Returns the value that the register op->to has after the instruction. */
static struct memphis_value result_value(const struct memphis_access_flow *flow,
					 const struct memphis_flow_state *state,
					 const struct memphis_code_op *op)
{
	const struct memphis_value old = register_value(state, op->to);
	struct memphis_value other;

	switch (op->effect) {
	case MEMPHIS_CODE_NUMBER:
		return make_number(0, 1);
	case MEMPHIS_CODE_MULTIPLE:
		return make_number(0, (uint64_t)op->number);
	case MEMPHIS_CODE_COPY:
		return register_value(state, op->from);
	case MEMPHIS_CODE_CONSTANT:
		return immediate_value(flow, op->number);
	case MEMPHIS_CODE_ADDRESS:
		return memphis_flow_address(state, &op->memory[0]);
	case MEMPHIS_CODE_LOAD:
		return load_from_memory(flow, state, &op->memory[0], op->vaddr);
	case MEMPHIS_CODE_CHOOSE:
		other = operand_value(flow, state, op);
		return memphis_value_join(&old, &other);
	case MEMPHIS_CODE_ADD:
		other = operand_value(flow, state, op);
		return add_values(&old, &other);
	case MEMPHIS_CODE_SUBTRACT:
		other = operand_value(flow, state, op);
		return subtract_values(&old, &other);
	case MEMPHIS_CODE_MULTIPLY:
		return multiply_value(&old, (uint64_t)op->number);
	case MEMPHIS_CODE_ARITHMETIC:
		return old.kind == MEMPHIS_VALUE_NUMBER ? make_number(0, 1) : (struct memphis_value){0};
	case MEMPHIS_CODE_OTHER:
	case MEMPHIS_CODE_STORE:
		break;
	}
	return (struct memphis_value){0};
}

/* Gives the number in a register an origin. Values that are computed from the number can then be compared with it. */
static void mark_origin(struct memphis_flow_state *state, int reg, uint64_t origin)
{
	struct memphis_value *value;
	size_t i;

	if (reg == MEMPHIS_NO_REGISTER || reg == MEMPHIS_REG_SP)
		return;
	value = &state->registers[reg];
	if (value->kind != MEMPHIS_VALUE_NUMBER || !value->step || value->origin)
		return;
	/*
	 * The same instruction may have given this origin to another number in an earlier iteration of a
	 * loop. Remove it there.
	 */
	for (i = 0; i < MEMPHIS_GENERAL_REGISTERS; i++)
		if (state->registers[i].origin == origin)
			state->registers[i].origin = 0;
	for (i = 0; i < state->slot_count; i++)
		if (state->slots[i].value.origin == origin)
			state->slots[i].value.origin = 0;
	value->origin = origin;
	value->factor = 1;
}

static void mark_operands(struct memphis_flow_state *state, const struct memphis_code_op *op)
{
	switch (op->effect) {
	case MEMPHIS_CODE_COPY:
	case MEMPHIS_CODE_ADD:
	case MEMPHIS_CODE_SUBTRACT:
	case MEMPHIS_CODE_STORE:
		mark_origin(state, op->from, 2 * op->vaddr);
		break;
	case MEMPHIS_CODE_ADDRESS:
		mark_origin(state, op->memory[0].base, 2 * op->vaddr);
		mark_origin(state, op->memory[0].index, 2 * op->vaddr + 1);
		break;
	default:
		break;
	}
}

/*
 * Returns the address of a thread-local variable if the instruction is one of the compiler's calls for it.
 * __tls_get_addr() gets the address of an index in rdi. The function of a descriptor gets the address of the
 * descriptor in rax. No other call has such arguments.
 */
static struct memphis_value call_result(const struct memphis_access_flow *flow,
					const struct memphis_flow_state *state,
					const struct memphis_code_op *op)
{
	static const struct {
		int reg;
		enum memphis_slot_kind slot;
		enum memphis_value_kind value;
	} calls[] = {
		{MEMPHIS_REG_DI, MEMPHIS_SLOT_THREAD_INDEX, MEMPHIS_VALUE_THREAD},
		{MEMPHIS_REG_AX, MEMPHIS_SLOT_THREAD_DESCRIPTOR, MEMPHIS_VALUE_THREAD_DISTANCE},
	};
	const struct memphis_value *argument;
	struct memphis_slot slot;
	size_t i;

	for (i = 0; op->next == MEMPHIS_CODE_CALLS && i < sizeof(calls) / sizeof(*calls); i++) {
		argument = &state->registers[calls[i].reg];
		if (argument->kind == MEMPHIS_VALUE_STATIC && !argument->step &&
		    memphis_loader_slot(flow->binary, (uint64_t)argument->offset, &slot) &&
		    slot.kind == calls[i].slot)
			return (struct memphis_value){.kind = calls[i].value, .offset = (int64_t)slot.value};
	}
	return (struct memphis_value){0};
}

void memphis_flow_execute(const struct memphis_access_flow *flow, struct memphis_flow_state *state,
			  const struct memphis_code_op *op)
{
	const struct memphis_value returned = call_result(flow, state, op);
	int i;

	mark_operands(state, op);
	if (op->effect == MEMPHIS_CODE_STORE)
		store_to_memory(flow, state, op);
	else if (op->effect != MEMPHIS_CODE_OTHER)
		state->registers[op->to] = result_value(flow, state, op);
	/* A TLS descriptor's function preserves all registers except rax. */
	for (i = 0;
	     op->written && returned.kind != MEMPHIS_VALUE_THREAD_DISTANCE && i < MEMPHIS_GENERAL_REGISTERS;
	     i++)
		if (op->written >> i & 1)
			state->registers[i] = (struct memphis_value){0};
	if (returned.kind != MEMPHIS_VALUE_UNKNOWN)
		state->registers[MEMPHIS_REG_AX] = returned;
	/* The called function may write to slots whose addresses it has got. */
	if (op->next == MEMPHIS_CODE_CALLS && flow->code.shows_frame)
		state->slot_count = 0;
}

/* ---- the array in static or thread-local memory or in the frame that an indexed address belongs to ---- */

#define DEPTH_MAX 16 /* maximum nesting of structures */

/*
 * Search for the array that an indexed access belongs to. The compiler adds constants to the start of an
 * array: the address in "a[i - 1][j]" has a constant part before `a`, possibly inside another array. Such
 * constants are assumed to be small: at most two rows of the array and a few elements. If the constant part
 * is in the first element of an array, it is taken as the start of that array. The array may be a member of a
 * variable.
 */
struct start {
	const struct memphis_access_flow *flow;
	uint64_t at;
	/*
	 * The variable whose array contains `at`, and the variable whose array is the next one after `at`.
	 * addr is NULL if there is none.
	 */
	Dwarf_Die around, after;
	bool around_first; /* `at` is in the first element of the array that contains it */
	uint64_t around_low, after_low, after_array, after_rows;
};

/* Compares `at` with an array at address `low`, which is the variable or a member of it. */
static void add_array(struct start *start, const Dwarf_Die *variable, uint64_t variable_low,
		      const Dwarf_Die *type, uint64_t low)
{
	const bool fortran = start->flow->places.fortran;
	Dwarf_Die element = *type, plain, first;
	struct memphis_shape shape;
	uint64_t bytes, rows;

	if (!memphis_type_plain(type, &plain) || !memphis_type_to_element(&element) ||
	    !memphis_type_plain(&element, &first))
		return;
	bytes = memphis_type_size(&plain, fortran);
	if (start->at - low < bytes) {
		start->around = *variable;
		start->around_low = variable_low;
		start->around_first = start->at - low < memphis_type_size(&first, fortran);
	} else if (low - start->at < INT64_MAX && (!start->after.addr || low < start->after_array)) {
		memphis_shape_read(&plain, fortran, &shape);
		rows = shape.rank ? shape.extent[fortran ? shape.rank - 1 : 0] : 0;
		start->after = *variable;
		start->after_low = variable_low;
		start->after_array = low;
		start->after_rows = 2 * (rows ? bytes / rows : bytes) + 64;
	}
}

/* Compares `at` with all arrays in a variable, which is an array or a structure. */
static void add_variable(struct start *start, const Dwarf_Die *variable, uint64_t variable_low,
			 const Dwarf_Die *type, uint64_t low, unsigned int depth)
{
	const bool fortran = start->flow->places.fortran;
	Dwarf_Die plain, member, part, ignored;
	uint64_t place, bytes;

	if (depth == DEPTH_MAX || !memphis_type_plain(type, &plain))
		return;
	if (dwarf_tag(&plain) == DW_TAG_array_type) {
		add_array(start, variable, variable_low, type, low);
		return;
	}
	if (!memphis_die_is_structure(&plain) || dwarf_child(&plain, &member))
		return;
	do {
		if (memphis_type_part(&member, &ignored, fortran, &place, &bytes) &&
		    memphis_type_declared(&member, &part))
			add_variable(start, variable, variable_low, &part, low + place, depth + 1);
	} while (!dwarf_siblingof(&member, &member));
}

static void add_locals(struct start *start, uint64_t vaddr)
{
	const struct memphis_access_flow *flow = start->flow;
	const struct memphis_variable_place *place;
	Dwarf_Die type;
	size_t i;

	for (i = 0; i < flow->places.place_count; i++) {
		place = &flow->places.places[i];
		if (place->place.base == MEMPHIS_AT_CFA && !place->behind && !place->part &&
		    memphis_variable_place_applies(&flow->places, place, vaddr) &&
		    memphis_type_declared(&flow->places.variables[place->variable].die, &type))
			add_variable(start, &type, (uint64_t)place->place.offset, &type,
				     (uint64_t)place->place.offset, 0);
	}
}

static void add_statics(struct start *start, bool tls)
{
	const struct memphis_variables *variables = start->flow->variables;
	const struct memphis_static *variable;
	Dwarf_Die type;
	size_t i;

	for (i = 0; i < variables->count; i++) {
		variable = &variables->list[i];
		if (variable->tls == tls && variable->die.addr &&
		    memphis_type_declared(&variable->die, &type))
			add_variable(start, &type, variable->low, &type, variable->low, 0);
	}
}

size_t memphis_flow_arrays(const struct memphis_access_flow *flow, const struct memphis_value *address,
			   uint64_t vaddr, struct memphis_flow_object arrays[MEMPHIS_FLOW_ARRAYS])
{
	struct start start = {.flow = flow, .at = (uint64_t)address->offset};
	size_t count = 0;

	if (address->kind == MEMPHIS_VALUE_FRAME)
		add_locals(&start, vaddr);
	else
		add_statics(&start, address->kind == MEMPHIS_VALUE_THREAD);
	if (start.around.addr)
		arrays[count++] = (struct memphis_flow_object){
			start.around, (int64_t)(start.at - start.around_low), address->step};
	if (start.after.addr && !start.around_first && start.after_array - start.at <= start.after_rows)
		arrays[count++] = (struct memphis_flow_object){
			start.after, (int64_t)(start.at - start.after_low), address->step};
	return count;
}
