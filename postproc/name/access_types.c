// SPDX-License-Identifier: BSD-3-Clause
/* Finds the type and member that an instruction accesses, from its machine code and the debug information. */
#include "name/access_types.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf/symbols.h"
#include "dwarf/type/die.h"
#include "dwarf/type/type_leaves.h"
#include "dwarf/type/type_name.h"
#include "name/function_code.h"

/*
 * ---- data-flow analysis of a function ----
 * The analysis follows blocks of instructions again and again until no state changes any more. Instructions
 * without a specific rule make the registers that they write unknown. Calls make the registers that they may
 * change unknown. Where two paths meet, only what both states have in common remains known. Exception: a
 * pointer that is null on one of the paths remains known.
 */

#define ROUNDS_MAX 64 /* limit for the average number of times that a block is analysed */

/* Converts the variables' locations in the frame to offsets from the CFA. */
static void place_in_frame(struct memphis_access_flow *flow, struct memphis_binaries *binaries)
{
	struct memphis_variable_place *place;
	struct memphis_cfa cfa;
	size_t i;

	for (i = 0; i < flow->places.place_count; i++) {
		place = &flow->places.places[i];
		cfa = (struct memphis_cfa){.known = flow->code.has_bp,
					   .reg = MEMPHIS_REG_BP,
					   .offset = flow->code.bp_offset,
					   .has_bp = true};
		if (place->place.base == MEMPHIS_AT_SP)
			memphis_cfa_find(binaries, flow->binary, place->from, &cfa);
		place->place = memphis_place_in_frame(place->place, &cfa);
	}
}

/*
 * Joins the state at the end of a path with the state before instruction `at`. Returns 1 if the state before
 * `at` changed, 0 if not, or -ENOMEM.
 */
static int join_state(struct memphis_access_flow *flow, const struct memphis_flow_state *from, size_t at)
{
	struct memphis_flow_state *state, before;
	const struct memphis_flow_slot *other;
	struct memphis_value value;
	size_t i, kept = 0;
	int changed = 0;

	if (at >= flow->code.count)
		return 0;
	state = flow->states[at];
	if (!state) {
		state = flow->states[at] = malloc(sizeof(*state));
		if (!state)
			return -ENOMEM;
		*state = *from;
		return 1;
	}
	before = *state;
	for (i = 0; i < MEMPHIS_GENERAL_REGISTERS; i++) {
		value = memphis_value_join(&before.registers[i], &from->registers[i]);
		changed |= !memphis_value_same(&value, &before.registers[i]);
		state->registers[i] = value;
	}
	for (i = 0; i < before.slot_count; i++) {
		other = memphis_flow_slot_at(from, before.slots[i].offset);
		value = other ? memphis_value_join(&before.slots[i].value, &other->value)
			      : (struct memphis_value){0};
		changed |= !memphis_value_same(&value, &before.slots[i].value);
		if (value.kind != MEMPHIS_VALUE_UNKNOWN)
			state->slots[kept++] = (struct memphis_flow_slot){before.slots[i].offset, value};
	}
	changed |= kept != before.slot_count;
	state->slot_count = kept;
	return changed;
}

struct work {
	size_t *list; /* leaders (starts of blocks) that must be analysed again */
	bool *waits;
	size_t count;
};

static int queue_block(struct memphis_access_flow *flow, struct work *work,
		       const struct memphis_flow_state *state, size_t at)
{
	int changed = at < flow->code.count ? join_state(flow, state, at) : 0;

	if (changed > 0 && !work->waits[at]) {
		work->waits[at] = true;
		work->list[work->count++] = at;
	}
	return changed < 0 ? changed : 0;
}

/* Queues all leaders, because an indirect jump, for example of a switch statement, may go to any of them. */
static int queue_all_blocks(struct memphis_access_flow *flow, struct work *work,
			    const struct memphis_flow_state *state)
{
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < flow->code.count; i++)
		if (flow->code.list[i].leader)
			rc = queue_block(flow, work, state, i);
	return rc;
}

/* Analyses the instructions from a leader to the end or branch of the path. */
static int analyse_block(struct memphis_access_flow *flow, struct work *work, size_t at)
{
	struct memphis_flow_state state = *flow->states[at];
	const struct memphis_code_op *op;
	int rc = 0;

	for (;; at++) {
		op = &flow->code.list[at];
		memphis_flow_apply(flow, &state, op);
		memphis_flow_execute(flow, &state, op);
		if (op->target)
			rc = queue_block(flow, work, &state,
					 memphis_function_code_at(&flow->code, op->target));
		if (!rc && op->next == MEMPHIS_CODE_SWITCHES)
			rc = queue_all_blocks(flow, work, &state);
		if (rc || op->next == MEMPHIS_CODE_JUMPS || op->next == MEMPHIS_CODE_SWITCHES ||
		    op->next == MEMPHIS_CODE_ENDS || at + 1 == flow->code.count)
			return rc;
		if (flow->code.list[at + 1].leader)
			return queue_block(flow, work, &state, at + 1);
	}
}

static int analyse_queued_blocks(struct memphis_access_flow *flow, struct work *work)
{
	size_t left = flow->code.count * ROUNDS_MAX, at;
	int rc = 0;

	while (!rc && work->count && left--) {
		at = work->list[--work->count];
		work->waits[at] = false;
		rc = analyse_block(flow, work, at);
	}
	/* The analysis did not settle within the limit. Discard all states, as for damaged code. */
	for (at = 0; !rc && work->count && at < flow->code.count; at++) {
		free(flow->states[at]);
		flow->states[at] = NULL;
	}
	return rc;
}

/*
 * Analyses all blocks. Blocks that no path reaches start with an empty state: exception handlers, and code
 * that the compiler moved away.
 */
static int analyse_function(struct memphis_access_flow *flow)
{
	const struct memphis_flow_state nothing = {.slot_count = 0};
	struct work work = {.list = malloc((flow->code.count + 1) * sizeof(*work.list)),
			    .waits = calloc(flow->code.count + 1, sizeof(*work.waits))};
	int rc = work.list && work.waits ? 0 : -ENOMEM;
	size_t i;

	for (i = 0; !rc && i < flow->code.count; i++) {
		if (!flow->code.list[i].leader || flow->states[i] || (i && flow->code.list[i].padding))
			continue;
		rc = queue_block(flow, &work, &nothing, i);
		if (!rc)
			rc = analyse_queued_blocks(flow, &work);
	}
	free(work.list);
	free(work.waits);
	return rc;
}

/*
 * Analyses the function at [low, high), which contains `vaddr`. Returns 0 or -ENOMEM. The caller must close
 * the flow in both cases.
 */
static int open_access_flow(struct memphis_access_flow *flow, struct memphis_binaries *binaries,
			    struct memphis_binary *binary, uint64_t vaddr, uint64_t low, uint64_t high)
{
	int rc;

	memset(flow, 0, sizeof(*flow));
	flow->binary = binary;
	flow->low = low;
	flow->high = high;
	rc = memphis_pointer_places_read(binaries, binary, vaddr, true, &flow->places);
	flow->variables = memphis_variables_of(binaries, binary);
	if (!rc && !flow->variables)
		rc = -ENOMEM;
	if (rc || !flow->places.scope_count)
		return rc;
	rc = memphis_function_code_read(binaries, binary, low, high, &flow->code);
	if (rc)
		return rc == -ENOTSUP ? 0 : rc;
	place_in_frame(flow, binaries);
	flow->states = calloc(flow->code.count + 1, sizeof(*flow->states));
	if (!flow->states)
		return -ENOMEM;
	pthread_mutex_lock(&binary->lock);
	rc = memphis_flow_add_seeds(flow);
	if (!rc)
		rc = analyse_function(flow);
	pthread_mutex_unlock(&binary->lock);
	return rc;
}

static void close_access_flow(struct memphis_access_flow *flow)
{
	size_t i;

	for (i = 0; flow->states && i < flow->code.count; i++)
		free(flow->states[i]);
	free(flow->states);
	free(flow->seeds);
	memphis_function_code_close(&flow->code);
	memphis_pointer_places_close(&flow->places);
	memset(flow, 0, sizeof(*flow));
}

/*
 * Copies the state before the instruction with index `at` in flow->code.list. Variables whose locations begin
 * at this instruction are not yet applied. The caller must hold the lock of the binary.
 */
static void state_before(const struct memphis_access_flow *flow, size_t at, struct memphis_flow_state *state)
{
	size_t i = at;

	while (i && !flow->states[i] && !flow->code.list[i].leader)
		i--;
	if (flow->states[i])
		*state = *flow->states[i];
	else
		memset(state, 0, sizeof(*state));
	for (; i < at; i++) {
		memphis_flow_apply(flow, state, &flow->code.list[i]);
		memphis_flow_execute(flow, state, &flow->code.list[i]);
	}
}

/* Maximum number of objects that a memory operand of an instruction may access. */

#define MEMPHIS_FLOW_OBJECTS 4

/* The objects that were found so far. */
struct found {
	struct memphis_flow_object *list;
	size_t count;
	enum memphis_no_type reason;
	bool says_more; /* the analysis knows more than the type of a variable says */
};

/* Returns true if `inner` describes a part of the object `outer`. */
static bool is_part_of(const struct memphis_access_flow *flow, const struct memphis_flow_object *inner,
		       const struct memphis_flow_object *outer)
{
	if (memphis_flow_is_any(&inner->type))
		return true;
	return outer->offset >= inner->offset &&
	       memphis_type_contains(&outer->type, flow->places.fortran,
				     (uint64_t)(outer->offset - inner->offset), &inner->type);
}

/*
 * Adds an object, unless it is a part of an object in the list. If objects in the list are parts of the new
 * one, they are replaced.
 */
static void add_pointed_object(const struct memphis_access_flow *flow, struct found *found,
			       const Dwarf_Die *type, int64_t offset, uint64_t step)
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

	/* Skip slots that only hold the address of a variable. The program has no such variable. */
	if (!place->behind && memphis_type_declared(&flow->places.variables[place->variable].die, &type))
		add_pointed_object(flow, found, &type, (int64_t)part, 0);
}

static void find_frame_object(const struct memphis_access_flow *flow, const struct memphis_value *address,
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
		add_pointed_object(flow, found, &arrays[i].type, arrays[i].offset, arrays[i].step);
}

static void find_static_object(const struct memphis_access_flow *flow, const struct memphis_value *address,
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
	add_pointed_object(flow, found, &type, (int64_t)(vaddr - variable->start), 0);
}

static void find_objects(const struct memphis_access_flow *flow, const struct memphis_value *address,
			 uint64_t vaddr, struct found *found)
{
	switch (address->kind) {
	case MEMPHIS_VALUE_POINTER:
		if (address->object.addr)
			add_pointed_object(flow, found, &address->object, address->offset, address->step);
		else
			found->reason = MEMPHIS_NO_TYPE_VOID;
		return;
	case MEMPHIS_VALUE_FRAME:
		if (address->step)
			find_arrays(flow, address, vaddr, found);
		else
			find_frame_object(flow, address, vaddr, found);
		return;
	case MEMPHIS_VALUE_STATIC:
	case MEMPHIS_VALUE_THREAD:
		if (address->step)
			find_arrays(flow, address, vaddr, found);
		else
			find_static_object(flow, address, found);
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

/* Adds the objects to which the variables in register `reg` point. */
static void find_register_objects(const struct memphis_access_flow *flow,
				  const struct memphis_flow_state *before,
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
		/*
		 * A pointer to a member does not tell which object contains the member. Use the known value
		 * of the register too.
		 */
		found->says_more |= says_more || flow->seeds[i].value.offset;
		if (says_more)
			continue;
		state = *before;
		state.registers[reg] = flow->seeds[i].value;
		address = memphis_flow_address(&state, memory);
		find_objects(flow, &address, vaddr, found);
	}
}

/*
 * Finds the objects that a memory operand of instruction `at`, an index in code.list, may access. There are
 * several if the debug information lists variables of unrelated types at the same location. Returns the
 * number of objects. If it is 0, sets *reason. The caller must hold the lock of the binary.
 */
static size_t find_accessed_objects(struct memphis_access_flow *flow, size_t at,
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
	state_before(flow, at, &state);
	if (!memory->thread)
		find_register_objects(flow, &state, memory, memory->base, vaddr, &found);
	if (!memory->thread && memory->scale == 1 && !memory->vector)
		find_register_objects(flow, &state, memory, memory->index, vaddr, &found);
	if (!found.count || found.says_more) {
		address = memphis_flow_thread_address(flow, memphis_flow_address(&state, memory));
		find_objects(flow, &address, vaddr, &found);
	}
	*reason = found.reason;
	return found.count;
}

/* Returns true if `name` is one of the names in the list "A|B". */
static bool is_listed(const char *list, const char *name)
{
	const size_t bytes = strlen(name);

	while (list) {
		if (!strncmp(list, name, bytes) && (!list[bytes] || list[bytes] == '|'))
			return true;
		list = strchr(list, '|');
		list = list ? list + 1 : NULL;
	}
	return false;
}

/* Appends a possible type name to the list, unless the list has it. */
static void add_type_name(struct memphis_text *names, const struct memphis_text *name)
{
	names->failed |= name->failed || !name->text;
	if (!names->failed && !is_listed(names->text, name->text))
		memphis_text_print(names, "%s%s", names->bytes ? "|" : "", name->text);
}

static void add_member(struct memphis_text *members, const struct memphis_text *type, const char *path)
{
	struct memphis_text name = {0};

	memphis_text_print(&name, "%s%s%s", type->text ? type->text : "", *path ? "." : "", path);
	add_type_name(members, &name);
	memphis_text_close(&name);
}

/* How well an object describes an access. Only the objects with the best rating are reported. */
enum worth {
	OUTSIDE, /* the access is outside the object */
	/* The access is to padding, may be to one of many members, or the type has no definition. */
	NO_MEMBER,
	BYTES, /* the object consists of bytes, which may be memory for objects of other types */
	MEMBER
};

static enum worth rate_leaves(const struct memphis_type_leaves *leaves)
{
	size_t i;

	if (leaves->outside)
		return OUTSIDE;
	if (leaves->more || !leaves->count)
		return NO_MEMBER;
	for (i = 0; i < leaves->count; i++)
		if (!memphis_flow_is_any(&leaves->list[i].type))
			return MEMBER;
	return BYTES;
}

static void add_object(const struct memphis_type_leaves *leaves, struct memphis_text *types,
		       struct memphis_text *members)
{
	struct memphis_text type = {0};
	size_t i;

	memphis_type_put_name(&type, &leaves->type);
	add_type_name(types, &type);
	for (i = 0; !leaves->more && i < leaves->count; i++)
		add_member(members, &type, leaves->list[i].path);
	if (leaves->more || !leaves->count)
		add_member(members, &type, "?");
	memphis_text_close(&type);
}

static void add_memory(struct memphis_access_flow *flow, size_t at, const struct memphis_code_memory *memory,
		       struct memphis_text *types, struct memphis_text *members, enum memphis_no_type *reason)
{
	struct memphis_flow_object objects[MEMPHIS_FLOW_OBJECTS];
	struct memphis_type_leaves leaves[MEMPHIS_FLOW_OBJECTS];
	size_t count = find_accessed_objects(flow, at, memory, objects, reason), i;
	enum worth most = OUTSIDE;

	for (i = 0; i < count; i++) {
		const struct memphis_type_span span = {objects[i].offset, objects[i].step, memory->bytes,
						       memory->float_bytes};

		members->failed |= memphis_type_leaves_find(&objects[i].type, flow->places.fortran, &span,
							    &leaves[i]) != 0;
		most = rate_leaves(&leaves[i]) > most ? rate_leaves(&leaves[i]) : most;
	}
	for (i = 0; i < count; i++) {
		if (most != OUTSIDE && rate_leaves(&leaves[i]) == most)
			add_object(&leaves[i], types, members);
		memphis_type_leaves_close(&leaves[i]);
	}
	if (count)
		*reason = most == OUTSIDE ? MEMPHIS_NO_TYPE_OUTSIDE : MEMPHIS_NO_TYPE_NOT_EXAMINED;
}

/*
 * Returns the size of the access in bytes. Returns 0 for prefetches, and for instructions that access several
 * places at once, such as gathers and memory-to-memory copies.
 */
static uint32_t access_bytes(const struct memphis_code_op *op)
{
	return op->memory_count == 1 && !op->memory[0].vector && !op->prefetch ? op->memory[0].bytes : 0;
}

static int find_answer(struct memphis_access_flow *flow, uint64_t pc, struct memphis_access_type *answer)
{
	const size_t at = memphis_function_code_at(&flow->code, pc);
	const struct memphis_code_op *op = at == SIZE_MAX ? NULL : &flow->code.list[at];
	struct memphis_text types = {0}, members = {0};
	bool all = true;
	uint8_t i;
	int rc;

	answer->reason = MEMPHIS_NO_TYPE_OPERAND;
	if (!op || !op->memory_count || op->effect == MEMPHIS_CODE_ADDRESS)
		return 0;
	answer->bytes = access_bytes(op);
	pthread_mutex_lock(&flow->binary->lock);
	for (i = 0; all && i < op->memory_count; i++) {
		add_memory(flow, at, &op->memory[i], &types, &members, &answer->reason);
		all = answer->reason == MEMPHIS_NO_TYPE_NOT_EXAMINED;
	}
	pthread_mutex_unlock(&flow->binary->lock);
	rc = types.failed || members.failed ? -ENOMEM : 0;
	/* For a memory-to-memory copy, the sample may belong to either access. Report a type only if both are known. */
	if (!rc && all && types.bytes) {
		answer->type = types.text;
		answer->member = members.text;
		return 0;
	}
	memphis_text_close(&types);
	memphis_text_close(&members);
	return rc;
}

/* Returns the analysis of the function that contains `pc`, from the cache if possible. Returns NULL if memory is exhausted. */
static struct memphis_access_flow *find_function(struct memphis_access_types *types,
						 struct memphis_binaries *binaries,
						 struct memphis_binary *binary, uint64_t pc)
{
	struct memphis_location location;
	struct memphis_access_flow *flow;
	size_t i;

	for (i = 0; i < MEMPHIS_ACCESS_FUNCTIONS; i++) {
		flow = &types->functions[i];
		if (flow->binary == binary && pc >= flow->low && pc < flow->high)
			return flow;
	}
	flow = &types->functions[types->next];
	types->next = (types->next + 1) % MEMPHIS_ACCESS_FUNCTIONS;
	close_access_flow(flow);
	if (memphis_symbols_find(binaries, binary, pc, &location))
		return NULL;
	if (location.function_high <= pc || location.function_low > pc) {
		location.function_low = pc;
		location.function_high = pc + 1;
	}
	if (!open_access_flow(flow, binaries, binary, pc, location.function_low, location.function_high))
		return flow;
	close_access_flow(flow);
	return NULL;
}

int memphis_access_type_of(struct memphis_access_types *types, struct memphis_binaries *binaries,
			   struct memphis_binary *binary, uint64_t pc, struct memphis_access_type *answer)
{
	struct memphis_access_flow *flow;

	memset(answer, 0, sizeof(*answer));
	answer->reason = binary && binary->state == MEMPHIS_BINARY_JIT ? MEMPHIS_NO_TYPE_DEBUG
								       : MEMPHIS_NO_TYPE_BINARY;
	if (!binary || !binary->elf)
		return 0;
	flow = find_function(types, binaries, binary, pc);
	if (!flow)
		return -ENOMEM;
	answer->reason = MEMPHIS_NO_TYPE_DEBUG;
	if (!flow->places.scope_count)
		return 0;
#ifdef MEMPHIS_HAS_CAPSTONE
	answer->reason = MEMPHIS_NO_TYPE_VARIABLE; /* valid if the function is too large to be analysed */
#else
	answer->reason = MEMPHIS_NO_TYPE_DISASSEMBLER;
#endif
	return flow->code.count || flow->high == flow->low + 1 ? find_answer(flow, pc, answer) : 0;
}

void memphis_access_type_close(struct memphis_access_type *answer)
{
	free(answer->type);
	free(answer->member);
	memset(answer, 0, sizeof(*answer));
}

void memphis_access_types_close(struct memphis_access_types *types)
{
	size_t i;

	for (i = 0; i < MEMPHIS_ACCESS_FUNCTIONS; i++)
		close_access_flow(&types->functions[i]);
	types->next = 0;
}
