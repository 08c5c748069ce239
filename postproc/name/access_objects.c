// SPDX-License-Identifier: BSD-3-Clause
/* Finds the objects that a memory operand may access. */
#include "name/access_objects.h"

#include "dwarf/shape.h"
#include "dwarf/type_leaves.h"
#include "dwarf/type_name.h"
#include "dwarf/types.h"

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

/*
 * The array that an index starts from. The compiler folds constants into addresses ("a[i - 1][j]"), so that the constant part of an indexed address
 * can lie before the array, perhaps in another one. Such constants are small: at most two rows of the array and a few elements.
 */
struct start {
	const struct memphis_access_flow *flow;
	uint64_t at;
	Dwarf_Die around, after; /* the array that contains `at`, and the next one; addr is NULL if there is none */
	uint64_t around_low, after_low, after_rows;
};

static void add_array(struct start *start, const Dwarf_Die *type, uint64_t low)
{
	const bool fortran = start->flow->places.fortran;
	Dwarf_Die element = *type, plain;
	struct memphis_shape shape;
	uint64_t bytes, rows;

	if (!memphis_type_plain(type, &plain) || !memphis_type_to_element(&element))
		return;
	bytes = memphis_type_size(&plain, fortran);
	if (start->at - low < bytes) {
		start->around = *type;
		start->around_low = low;
	} else if (low - start->at < INT64_MAX && (!start->after.addr || low < start->after_low)) {
		memphis_shape_of(&plain, fortran, &shape);
		rows = shape.rank ? shape.extent[fortran ? shape.rank - 1 : 0] : 0;
		start->after = *type;
		start->after_low = low;
		start->after_rows = 2 * (rows ? bytes / rows : bytes) + 64;
	}
}

static void add_start(const struct start *start, uint64_t step, struct found *found)
{
	if (start->around.addr)
		add_object(start->flow, found, &start->around, (int64_t)(start->at - start->around_low),
			   step);
	if (start->after.addr && start->after_low - start->at <= start->after_rows)
		add_object(start->flow, found, &start->after, (int64_t)(start->at - start->after_low), step);
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

static void find_in_frame(const struct memphis_access_flow *flow, const struct memphis_value *address,
			  uint64_t vaddr, struct found *found)
{
	struct start start = {.flow = flow, .at = (uint64_t)address->offset};
	const struct memphis_variable_place *place;
	Dwarf_Die type;
	size_t i;

	for (i = 0; i < flow->places.place_count; i++) {
		place = &flow->places.places[i];
		if (place->place.base == MEMPHIS_AT_CFA && !place->behind && !place->part &&
		    memphis_flow_applies(flow, place->variable, place->from, place->to, vaddr) &&
		    memphis_type_declared(&flow->places.variables[place->variable].die, &type))
			add_array(&start, &type, (uint64_t)place->place.offset);
	}
	found->reason = MEMPHIS_NO_TYPE_STACK;
	add_start(&start, address->step, found);
}

static void find_in_statics(const struct memphis_access_flow *flow, const struct memphis_value *address,
			    struct found *found)
{
	struct start start = {.flow = flow, .at = (uint64_t)address->offset};
	const struct memphis_static *variable;
	Dwarf_Die type;
	size_t i;

	for (i = 0; i < flow->variables->count; i++) {
		variable = &flow->variables->list[i];
		if (!variable->tls && variable->die.addr && memphis_type_declared(&variable->die, &type))
			add_array(&start, &type, variable->low);
	}
	found->reason = MEMPHIS_NO_TYPE_STATIC;
	add_start(&start, address->step, found);
}

static void find_static(const struct memphis_access_flow *flow, const struct memphis_value *address,
			struct found *found)
{
	const uint64_t vaddr = (uint64_t)address->offset;
	const struct memphis_static *variable = memphis_variables_find(flow->variables, vaddr);
	Dwarf_Die type;

	found->reason = MEMPHIS_NO_TYPE_STATIC;
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
			find_in_frame(flow, address, vaddr, found);
		else
			find_frame(flow, address, vaddr, found);
		return;
	case MEMPHIS_VALUE_STATIC:
		if (address->step)
			find_in_statics(flow, address, found);
		else
			find_static(flow, address, found);
		return;
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
		if (flow->seeds[i].reg != reg || flow->seeds[i].value.kind != MEMPHIS_VALUE_POINTER ||
		    !memphis_flow_applies(flow, flow->seeds[i].variable, flow->seeds[i].from, flow->seeds[i].to, vaddr))
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
	struct found found = {.list = objects, .reason = MEMPHIS_NO_TYPE_VARIABLE};
	const uint64_t vaddr = flow->code.list[at].vaddr;
	struct memphis_flow_state state;
	struct memphis_value address;

	if (memory->segment) {
		*reason = MEMPHIS_NO_TYPE_THREAD;
		return 0;
	}
	memphis_flow_state_before(flow, at, &state);
	find_variables(flow, &state, memory, memory->base, vaddr, &found);
	if (memory->scale == 1 && !memory->vector)
		find_variables(flow, &state, memory, memory->index, vaddr, &found);
	if (!found.count || found.says_more) {
		address = memphis_flow_address(&state, memory);
		find_objects(flow, &address, vaddr, &found);
	}
	*reason = found.reason;
	return found.count;
}
