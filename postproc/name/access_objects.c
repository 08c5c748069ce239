// SPDX-License-Identifier: BSD-3-Clause
/* Finds the objects that a memory operand may access. */
#include "name/access_objects.h"

#include "dwarf/type/type_leaves.h"
#include "dwarf/type/type_name.h"
#include "name/access_arrays.h"

/* The objects that were found so far. */
struct found {
	struct memphis_flow_object *list;
	size_t count;
	enum memphis_no_type reason;
	bool says_more; /* the code says more than a variable */
};

/* Returns true if `inner` is a part of `outer`. */
static bool is_part_of(const struct memphis_access_flow *flow, const struct memphis_flow_object *inner,
		       const struct memphis_flow_object *outer)
{
	if (memphis_flow_is_any(&inner->type))
		return true;
	return outer->offset >= inner->offset &&
	       memphis_type_contains(&outer->type, flow->places.fortran,
				     (uint64_t)(outer->offset - inner->offset), &inner->type);
}

/* Adds an object, unless it is a part of one that was found before; one that is a part of it is replaced. */
static void add_object(const struct memphis_access_flow *flow, struct found *found, const Dwarf_Die *type,
		       int64_t offset, uint64_t step)
{
	const struct memphis_flow_object object = {*type, offset, step};
	size_t i, kept = 0;

	for (i = 0; i < found->count; i++)
		if (memphis_type_same(&found->list[i].type, type) ||
		    is_part_of(flow, &object, &found->list[i]))
			return;
	for (i = 0; i < found->count; i++)
		if (!is_part_of(flow, &found->list[i], &object))
			found->list[kept++] = found->list[i];
	found->count = kept;
	if (found->count < MEMPHIS_FLOW_OBJECTS)
		found->list[found->count++] = object;
}

static void take_slot_object(const struct memphis_access_flow *flow,
			     const struct memphis_variable_place *place, uint64_t part, void *context)
{
	struct found *found = context;
	Dwarf_Die type;

	/* The slot with the address of a variable is the compiler's own. */
	if (!place->behind && memphis_type_declared(&flow->places.variables[place->variable].die, &type))
		add_object(flow, found, &type, (int64_t)part, 0);
}

static void find_frame(const struct memphis_access_flow *flow, const struct memphis_value *address,
		       uint64_t vaddr, struct found *found)
{
	found->reason = MEMPHIS_NO_TYPE_STACK;
	memphis_flow_visit_slots(flow, address->offset, vaddr, take_slot_object, found);
}

static void find_arrays(const struct memphis_access_flow *flow, const struct memphis_value *address,
			uint64_t vaddr, struct found *found)
{
	struct memphis_flow_object arrays[MEMPHIS_FLOW_ARRAYS];
	size_t count = memphis_flow_arrays(flow, address, vaddr, arrays), i;

	found->reason = address->kind == MEMPHIS_VALUE_FRAME    ? MEMPHIS_NO_TYPE_STACK
			: address->kind == MEMPHIS_VALUE_THREAD ? MEMPHIS_NO_TYPE_THREAD
								: MEMPHIS_NO_TYPE_STATIC;
	for (i = 0; i < count; i++)
		add_object(flow, found, &arrays[i].type, arrays[i].offset, arrays[i].step);
}

static void find_static(const struct memphis_access_flow *flow, const struct memphis_value *address,
			struct found *found)
{
	const uint64_t vaddr = (uint64_t)address->offset;
	const bool tls = address->kind == MEMPHIS_VALUE_THREAD;
	const struct memphis_static *variable = tls ? memphis_variables_find_tls(flow->variables, vaddr)
						    : memphis_variables_find(flow->variables, vaddr);
	Dwarf_Die type;

	found->reason = tls ? MEMPHIS_NO_TYPE_THREAD : MEMPHIS_NO_TYPE_STATIC;
	if (!variable || !variable->die.addr || !memphis_type_declared(&variable->die, &type))
		return;
	add_object(flow, found, &type, (int64_t)(vaddr - variable->low), 0);
}

static void find_objects(const struct memphis_access_flow *flow, const struct memphis_value *address,
			 uint64_t vaddr, struct found *found)
{
	switch (address->kind) {
	case MEMPHIS_VALUE_POINTER:
		if (address->object.addr)
			add_object(flow, found, &address->object, address->offset, address->step);
		else
			found->reason = MEMPHIS_NO_TYPE_VOID;
		return;
	case MEMPHIS_VALUE_FRAME:
		if (address->step)
			find_arrays(flow, address, vaddr, found);
		else
			find_frame(flow, address, vaddr, found);
		return;
	case MEMPHIS_VALUE_STATIC:
	case MEMPHIS_VALUE_THREAD:
		if (address->step)
			find_arrays(flow, address, vaddr, found);
		else
			find_static(flow, address, found);
		return;
	case MEMPHIS_VALUE_THREAD_POINTER:
		found->reason = MEMPHIS_NO_TYPE_THREAD;
		return;
	case MEMPHIS_VALUE_THREAD_DISTANCE:
	case MEMPHIS_VALUE_NUMBER:
	case MEMPHIS_VALUE_UNKNOWN:
		break;
	}
}

/* Adds the objects that the variables in register `reg` point to. */
static void find_variables(const struct memphis_access_flow *flow, const struct memphis_flow_state *before,
			   const struct memphis_code_memory *memory, int reg, uint64_t vaddr,
			   struct found *found)
{
	struct memphis_flow_state state;
	struct memphis_value address;
	bool says_more;
	size_t i;

	for (i = 0; reg != MEMPHIS_NO_REGISTER && i < flow->seed_count; i++) {
		if (flow->seeds[i].place->place.offset != reg ||
		    flow->seeds[i].value.kind != MEMPHIS_VALUE_POINTER ||
		    !memphis_variable_place_applies(&flow->places, flow->seeds[i].place, vaddr))
			continue;
		says_more = memphis_flow_says_more(&before->registers[reg], &flow->seeds[i].value);
		/* A variable that points into an object does not say which objects are around its own. */
		found->says_more |= says_more || flow->seeds[i].value.offset;
		if (says_more)
			continue;
		state = *before;
		state.registers[reg] = flow->seeds[i].value;
		address = memphis_flow_address(&state, memory);
		find_objects(flow, &address, vaddr, found);
	}
}

size_t memphis_access_flow_objects(struct memphis_access_flow *flow, size_t at,
				   const struct memphis_code_memory *memory,
				   struct memphis_flow_object *objects, enum memphis_no_type *reason)
{
	struct found found = {.list = objects,
			      .reason = memory->thread ? MEMPHIS_NO_TYPE_THREAD : MEMPHIS_NO_TYPE_VARIABLE};
	const uint64_t vaddr = flow->code.list[at].vaddr;
	struct memphis_flow_state state;
	struct memphis_value address;

	if (memory->segment) {
		*reason = MEMPHIS_NO_TYPE_THREAD;
		return 0;
	}
	memphis_flow_state_before(flow, at, &state);
	if (!memory->thread)
		find_variables(flow, &state, memory, memory->base, vaddr, &found);
	if (!memory->thread && memory->scale == 1 && !memory->vector)
		find_variables(flow, &state, memory, memory->index, vaddr, &found);
	if (!found.count || found.says_more) {
		address = memphis_flow_thread_address(flow, memphis_flow_address(&state, memory));
		find_objects(flow, &address, vaddr, &found);
	}
	*reason = found.reason;
	return found.count;
}
