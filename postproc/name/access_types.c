// SPDX-License-Identifier: BSD-3-Clause
/* The type and member that an instruction accesses, from its code and the debug information alone. */
#include "name/access_types.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf/symbols.h"
#include "dwarf/type/type_leaves.h"
#include "dwarf/type/type_name.h"
#include "name/access_objects.h"

/* Names that may be the answer, in the order in which they were found. */
struct names {
	struct memphis_text text;
	bool failed;
};

/* Returns true if `name` is one of the names in "A|B". */
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

static void add_name(struct names *names, const struct memphis_text *name)
{
	names->failed |= name->failed || !name->text;
	if (names->failed || (names->text.bytes && is_listed(names->text.text, name->text)))
		return;
	memphis_text_print(&names->text, "%s%s", names->text.bytes ? "|" : "", name->text);
}

static void add_member(struct names *members, const struct memphis_text *type, const char *path)
{
	struct memphis_text name = {0};

	memphis_text_print(&name, "%s%s%s", type->text ? type->text : "", *path ? "." : "", path);
	add_name(members, &name);
	memphis_text_close(&name);
}

/* How much an object says about an access; of several objects, those that say most are the answer. */
enum worth {
	OUTSIDE,   /* the access is not in the object */
	NO_MEMBER, /* padding, one of many members, or a type that is only declared */
	BYTES,     /* memory for objects of other types */
	MEMBER
};

static enum worth worth_of(const struct memphis_type_leaves *leaves)
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

static void add_object(const struct memphis_type_leaves *leaves, struct names *types, struct names *members)
{
	struct memphis_text type = {0};
	size_t i;

	memphis_type_put_name(&type, &leaves->type);
	add_name(types, &type);
	for (i = 0; !leaves->more && i < leaves->count; i++)
		add_member(members, &type, leaves->list[i].path);
	if (leaves->more || !leaves->count)
		add_member(members, &type, "?");
	memphis_text_close(&type);
}

static void add_memory(struct memphis_access_flow *flow, size_t at, const struct memphis_code_memory *memory,
		       struct names *types, struct names *members, enum memphis_no_type *reason)
{
	struct memphis_flow_object objects[MEMPHIS_FLOW_OBJECTS];
	struct memphis_type_leaves leaves[MEMPHIS_FLOW_OBJECTS];
	size_t count = memphis_access_flow_objects(flow, at, memory, objects, reason), i;
	enum worth most = OUTSIDE;

	for (i = 0; i < count; i++) {
		const struct memphis_type_span span = {objects[i].offset, objects[i].step, memory->bytes,
						       memory->float_bytes};

		members->failed |= memphis_type_leaves_find(&objects[i].type, flow->places.fortran, &span,
							    &leaves[i]) != 0;
		most = worth_of(&leaves[i]) > most ? worth_of(&leaves[i]) : most;
	}
	for (i = 0; i < count; i++) {
		if (most != OUTSIDE && worth_of(&leaves[i]) == most)
			add_object(&leaves[i], types, members);
		memphis_type_leaves_close(&leaves[i]);
	}
	if (count)
		*reason = most == OUTSIDE ? MEMPHIS_NO_TYPE_OUTSIDE : MEMPHIS_NO_TYPE_NOT_EXAMINED;
}

/* Returns 0 for what accesses several places at once, as gathers and copies from memory to memory do, and for prefetches, which read nothing. */
static uint32_t bytes_of(const struct memphis_code_op *op)
{
	return op->memory_count == 1 && !op->memory[0].vector && !op->prefetch ? op->memory[0].bytes : 0;
}

static int answer_at(struct memphis_access_flow *flow, uint64_t pc, struct memphis_access_type *answer)
{
	const size_t at = memphis_function_code_at(&flow->code, pc);
	const struct memphis_code_op *op = at == SIZE_MAX ? NULL : &flow->code.list[at];
	struct names types = {.failed = false}, members = {.failed = false};
	bool all = true;
	uint8_t i;

	answer->reason = MEMPHIS_NO_TYPE_OPERAND;
	if (!op || !op->memory_count || op->effect == MEMPHIS_CODE_ADDRESS)
		return 0;
	answer->bytes = bytes_of(op);
	pthread_mutex_lock(&flow->binary->lock);
	for (i = 0; all && i < op->memory_count; i++) {
		add_memory(flow, at, &op->memory[i], &types, &members, &answer->reason);
		all = answer->reason == MEMPHIS_NO_TYPE_NOT_EXAMINED;
	}
	pthread_mutex_unlock(&flow->binary->lock);
	types.failed |= types.text.failed || members.failed || members.text.failed;
	/* Of a copy from memory to memory, the sample does not show which of the two it is. */
	if (!types.failed && all && types.text.bytes) {
		answer->type = types.text.text;
		answer->member = members.text.text;
		return 0;
	}
	memphis_text_close(&types.text);
	memphis_text_close(&members.text);
	return types.failed ? -ENOMEM : 0;
}

/* Returns the analysis of the function that contains `pc`; NULL if memory is exhausted. */
static struct memphis_access_flow *function_of(struct memphis_access_types *types,
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
	memphis_access_flow_close(flow);
	if (memphis_symbols_find(binaries, binary, pc, &location))
		return NULL;
	if (location.function_high <= pc || location.function_low > pc) {
		location.function_low = pc;
		location.function_high = pc + 1;
	}
	if (!memphis_access_flow_open(flow, binaries, binary, pc, location.function_low,
				      location.function_high))
		return flow;
	memphis_access_flow_close(flow);
	return NULL;
}

int memphis_access_type_of(struct memphis_access_types *types, struct memphis_binaries *binaries,
			   struct memphis_binary *binary, uint64_t pc, struct memphis_access_type *answer)
{
	struct memphis_access_flow *flow;

	memset(answer, 0, sizeof(*answer));
	answer->reason = MEMPHIS_NO_TYPE_BINARY;
	if (!binary || !binary->elf)
		return 0;
	flow = function_of(types, binaries, binary, pc);
	if (!flow)
		return -ENOMEM;
	answer->reason = MEMPHIS_NO_TYPE_DEBUG;
	if (!flow->places.scope_count)
		return 0;
#ifdef MEMPHIS_HAS_CAPSTONE
	answer->reason = MEMPHIS_NO_TYPE_VARIABLE; /* the function is too large to be followed */
#else
	answer->reason = MEMPHIS_NO_TYPE_DISASSEMBLER;
#endif
	return flow->code.count || flow->high == flow->low + 1 ? answer_at(flow, pc, answer) : 0;
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
		memphis_access_flow_close(&types->functions[i]);
	types->next = 0;
}
