// SPDX-License-Identifier: BSD-3-Clause
/*
 * Finds the variable that holds a block. Follows the address of the block through the code after the call,
 * and compares the registers and stack slots that have the address with the locations of the function's
 * variables. The first variable at such a location holds the block. Exception: an inlined function may only
 * pass the block on, like a wrapper of malloc. Then the variable to which its caller assigns the result is
 * preferred.
 */
#include "name/local_holder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "dwarf/pointer_places.h"
#include "dwarf/symbols.h"
#include "name/calls.h"
#include "name/system_libraries.h"
#include "name/value_flow.h"

#define EVENTS_MAX 32
#define STORES_MAX 16
#define NONE       SIZE_MAX

/*
 * Event: a variable gets the address of the block for the first time. `behind`: the variable is an array
 * whose memory is the block, not a pointer to the block.
 */
struct event {
	size_t step, variable;
	bool behind;
	uint64_t part, previous; /* `previous` is the address of the instruction before the event */
};

/*
 * Event: an instruction at `vaddr` stores the address of the block outside the frame. `slot` is the static
 * address of that word, or 0 if the word is not in static memory.
 */
struct store {
	uint64_t vaddr, slot;
};

struct search {
	struct memphis_binaries *binaries;
	struct memphis_binary *binary;
	uint64_t vaddr; /* return address of the call */
	struct memphis_pointer_places places;
	struct memphis_location location; /* location of the call */
	struct event events[EVENTS_MAX];
	size_t event_count;
	struct store stores[STORES_MAX];
	size_t store_count;
	/* Return address of the call that is being followed. May be another call than that at `vaddr`. */
	uint64_t start;
	size_t step;
	uint64_t previous;
	struct memphis_local_holder *holder;
	int rc;
};

/* Returns the frame of the location that belongs to the scope, or NULL if the location is outside the scope. */
static const struct memphis_frame *find_frame(const struct memphis_location *location, size_t scope)
{
	return scope < location->count ? &location->frames[location->count - 1 - scope] : NULL;
}

/* Returns the source line that the location has in the scope, or 0 if it is unknown. */
static unsigned int scope_line(const struct memphis_location *location, size_t scope)
{
	const struct memphis_frame *at = find_frame(location, scope);

	return at ? at->line : 0;
}

static unsigned int find_scope_line(const struct search *search, uint64_t vaddr, size_t scope)
{
	struct memphis_location location;

	if (memphis_symbols_find(search->binaries, search->binary, vaddr, &location))
		return 0;
	return scope_line(&location, scope);
}

static void record_variable(void *context, const struct memphis_variable_place *found, uint64_t part)
{
	struct search *search = context;
	struct memphis_pointer_variable holder;
	const struct memphis_frame *at =
		find_frame(&search->location, search->places.variables[found->variable].scope);
	size_t i;

	for (i = 0; i < search->event_count; i++)
		if (search->events[i].variable == found->variable && search->events[i].part == part)
			return;
	/* Skip variables in the code of the language's own library. Users do not know such names. */
	if (search->event_count == EVENTS_MAX || (at && at->path && memphis_is_system_source(at->path)))
		return;
	memphis_pointer_places_find_holder(&search->places, found->variable, found->behind, part, &holder);
	if (holder.rank < MEMPHIS_POINTER_OTHER)
		search->events[search->event_count++] =
			(struct event){search->step, found->variable, found->behind, part, search->previous};
	memphis_pointer_variable_close(&holder);
}

/*
 * Records a variable whose location is valid at the previous instruction. In compilers' debug information,
 * the location of a variable may begin directly after the call, and may end directly after the instruction
 * that stores the value.
 */
static void record_stored_variable(void *context, const struct memphis_variable_place *found, uint64_t part)
{
	const struct search *search = context;

	if (found->from >= search->start)
		record_variable(context, found, part);
}

static bool visit_step(void *context, const struct memphis_flow_step *step)
{
	struct search *search = context;
	size_t i;

	search->previous = step->previous;
	for (i = 0; i < step->count; i++) {
		memphis_pointer_places_find(&search->places, step->vaddr, &step->cfa, &step->places[i],
					    record_variable, search);
		if (step->places[i].base != MEMPHIS_IN_REGISTER)
			memphis_pointer_places_find(&search->places, step->previous, &step->cfa,
						    &step->places[i], record_stored_variable, search);
	}
	search->step++;
	for (i = 0; i < search->event_count; i++)
		if (search->events[i].behind)
			return true;
	return false;
}

static void record_store(void *context, uint64_t vaddr, uint64_t slot)
{
	struct search *search = context;

	if (search->store_count < STORES_MAX)
		search->stores[search->store_count++] = (struct store){vaddr, slot};
}

/* Records the events and stores after the call that returns to `vaddr`. */
static enum memphis_flow_end follow_call(struct search *search, uint64_t vaddr)
{
	const struct memphis_flow_visitor visitor = {search, visit_step, record_store};

	search->start = vaddr;
	search->event_count = search->store_count = search->step = 0;
	return memphis_value_flow(search->binaries, search->binary, vaddr, search->location.function_low,
				  search->location.function_high, &visitor);
}

static void use_place(struct search *search, size_t scope)
{
	const struct memphis_frame *at = find_frame(&search->location, scope);

	if (!at || !at->path || !at->line || search->holder->place)
		return;
	if (asprintf(&search->holder->place, "%s:%u", memphis_basename(at->path), at->line) < 0) {
		search->holder->place = NULL;
		search->rc = -ENOMEM;
	}
}

static void add_holder(struct search *search, size_t variable, bool behind, uint64_t part)
{
	struct memphis_local_holder *holder = search->holder;
	size_t at = holder->count;

	if (at == MEMPHIS_LOCAL_HOLDERS_MAX) {
		holder->more = true;
		return;
	}
	memphis_pointer_places_find_holder(&search->places, variable, behind, part, &holder->list[at]);
	if (holder->list[at].rank >= MEMPHIS_POINTER_OTHER) {
		memphis_pointer_variable_close(&holder->list[at]);
		return;
	}
	if (behind)
		holder->whole[at] = memphis_pointer_places_find_bytes(&search->places, variable,
								      &holder->known_bytes[at]);
	holder->automatic |= behind;
	holder->count++;
	use_place(search, search->places.variables[variable].scope);
}

/* Uses the array whose memory is the block. Uses all arrays that are found at the same step as the first one. */
static bool use_array_of_block(struct search *search)
{
	size_t i, first = NONE;

	for (i = 0; i < search->event_count; i++) {
		if (!search->events[i].behind || (first != NONE && search->events[i].step != first))
			continue;
		first = search->events[i].step;
		add_holder(search, search->events[i].variable, true, 0);
	}
	return search->holder->count;
}

/* Returns true if the variable is declared after the line of the allocation. Such a variable is only a copy of the pointer. */
static bool is_copy_of_pointer(const struct search *search, size_t variable)
{
	const struct memphis_scope_variable *one = &search->places.variables[variable];
	unsigned int line = scope_line(&search->location, one->scope);

	return line && one->line > line;
}

/* Returns the first event of a variable in the scope, or NULL if there is none. */
static const struct event *find_first_event(const struct search *search, size_t scope)
{
	size_t i;

	for (i = 0; i < search->event_count; i++)
		if (search->places.variables[search->events[i].variable].scope == scope &&
		    !is_copy_of_pointer(search, search->events[i].variable))
			return &search->events[i];
	return NULL;
}

/*
 * Returns true if the variable gets the result of the function that is inlined into the variable's scope. One
 * of these must be true:
 * - The statement with the call declares the variable.
 * - The variable gets the value within the code of the inlined function.
 * - The variable gets the value after another instruction of the statement.
 */
static bool gets_result(const struct search *search, const struct event *event)
{
	const struct memphis_scope_variable *variable = &search->places.variables[event->variable];
	unsigned int line = search->places.scopes[variable->scope + 1].line;

	return variable->line == line || find_scope_line(search, event->previous, variable->scope) == line ||
	       memphis_scope_contains(&search->places, variable->scope + 1, event->previous);
}

/* Returns true if the allocating statement stores the address of the block outside the frame. */
static bool is_stored_by_statement(const struct search *search, size_t scope, uint64_t *slot)
{
	unsigned int line = scope_line(&search->location, scope);
	bool stored = false;
	size_t i;

	*slot = 0;
	for (i = 0; i < search->store_count; i++) {
		if (find_scope_line(search, search->stores[i].vaddr, scope) != line)
			continue;
		stored = true;
		if (search->stores[i].slot)
			*slot = search->stores[i].slot;
	}
	return stored;
}

/* Uses the static pointer variable at address `slot` as the holder of the block. */
static bool use_static_pointer(struct search *search, uint64_t slot, size_t scope)
{
	struct memphis_pointer_variable *holder = &search->holder->list[0];

	memphis_pointer_variable_find(search->binaries, search->binary, slot, true, holder);
	if (holder->rank >= MEMPHIS_POINTER_SYMBOL) {
		memphis_pointer_variable_close(holder);
		return false;
	}
	search->holder->count = 1;
	use_place(search, scope);
	return true;
}

static bool is_declared_by_statement(const struct search *search, size_t variable)
{
	const struct memphis_scope_variable *one = &search->places.variables[variable];

	return one->line && one->line == scope_line(&search->location, one->scope);
}

/* Uses the pointer variables that get the address at this step. If the allocating line declares some of them, uses only those. */
static void use_pointers(struct search *search, size_t scope, size_t step)
{
	bool stored, declared = false;
	const struct event *event;
	uint64_t slot;
	size_t i;

	for (i = 0; i < search->event_count; i++) {
		event = &search->events[i];
		declared |= event->step == step && search->places.variables[event->variable].scope == scope &&
			    is_declared_by_statement(search, event->variable);
	}
	stored = is_stored_by_statement(search, scope, &slot);
	/* The statement assigns the block to a pointer outside the frame. The local variable may be a copy of it. */
	if (stored && !declared) {
		if (slot)
			use_static_pointer(search, slot, scope);
		return;
	}
	for (i = 0; i < search->event_count; i++) {
		event = &search->events[i];
		if (event->step == step && search->places.variables[event->variable].scope == scope &&
		    !is_copy_of_pointer(search, event->variable) &&
		    (!declared || is_declared_by_statement(search, event->variable)))
			add_holder(search, event->variable, false, event->part);
	}
}

static void use_pointer_of_value(struct search *search)
{
	const struct event *chosen = NULL, *event;
	size_t scope, of = 0;
	uint64_t slot;

	for (scope = search->places.scope_count; scope-- > 0;) {
		event = find_first_event(search, scope);
		if (!event || (scope + 1 < search->places.scope_count && !gets_result(search, event)))
			continue;
		chosen = event;
		of = scope;
	}
	/* If the inlined function may return the block, it may be a wrapper. The name then comes from its caller. */
	if (chosen && of && search->places.scopes[of].returns_pointer)
		return;
	if (chosen)
		use_pointers(search, of, chosen->step);
	else if (search->places.scope_count &&
		 is_stored_by_statement(search, search->places.scope_count - 1, &slot) && slot)
		use_static_pointer(search, slot, search->places.scope_count - 1);
}

/* Returns the automatic array that another call of the line allocates, or NONE. The call returns to `vaddr`. */
static size_t find_array_of_call(struct search *search, uint64_t vaddr)
{
	size_t i;

	follow_call(search, vaddr);
	for (i = 0; i < search->event_count; i++)
		if (search->events[i].behind)
			return search->events[i].variable;
	return NONE;
}

/*
 * Finds the automatic array if the debug information has no location for it. Starts with all arrays that the
 * line declares, and removes those that the line's other calls allocate. Gives up if the line has more calls
 * than arrays, because some calls then allocate something else.
 */
static void use_remaining_arrays(struct search *search)
{
	size_t scope = search->places.scope_count - 1, arrays = 0, i, j, array;
	const struct memphis_frame *at = &search->location.frames[0];
	struct memphis_calls calls;
	bool *left = calloc(search->places.variable_count + 1, sizeof(*left));

	if (!left) {
		search->rc = -ENOMEM;
		return;
	}
	for (i = 0; i < search->places.variable_count; i++) {
		left[i] = search->places.variables[i].automatic &&
			  search->places.variables[i].scope == scope &&
			  search->places.variables[i].line == at->line;
		arrays += left[i];
	}
	if (!arrays || !at->path ||
	    !memphis_calls_find_like(search->binaries, search->binary, search->vaddr,
				     search->location.function_low, search->location.function_high, at->path,
				     at->line, at->line, &calls))
		goto done;
	for (i = j = 0; i < calls.count; i++)
		if (memphis_scope_contains(&search->places, scope, calls.returns[i] - 1))
			calls.returns[j++] = calls.returns[i];
	calls.count = j;
	if (calls.count > arrays)
		goto done;
	for (i = 0; i < calls.count; i++) {
		array = calls.returns[i] == search->vaddr ? NONE
							  : find_array_of_call(search, calls.returns[i]);
		if (array != NONE)
			left[array] = false;
	}
	for (i = 0; i < search->places.variable_count; i++)
		if (left[i])
			add_holder(search, i, true, 0);
done:
	free(left);
}

static int find_holder(struct search *search)
{
	/* Ignore variables of system libraries. Users do not know their names, even if debug information is installed. */
	const bool is_system = memphis_is_system_library(memphis_basename(search->binary->path));
	enum memphis_flow_end end;
	int rc = 0;

	if (!is_system)
		rc = memphis_pointer_places_read(search->binaries, search->binary, search->vaddr - 1, false,
						 &search->places);
	if (!rc)
		rc = memphis_symbols_find(search->binaries, search->binary, search->vaddr - 1,
					  &search->location);
	if (rc)
		return rc;
	end = follow_call(search, search->vaddr);
	if (use_array_of_block(search))
		return search->rc;
	/* If the function may return the block, its caller decides on the name. The block then has no name here. */
	if (end != MEMPHIS_FLOW_STAYS &&
	    (!search->places.scope_count || search->places.scopes[0].returns_pointer)) {
		search->holder->returned = end == MEMPHIS_FLOW_RETURNED;
		return search->rc;
	}
	use_pointer_of_value(search);
	if (!search->holder->count && search->places.fortran && search->places.scope_count)
		use_remaining_arrays(search);
	return search->rc;
}

static void close_holder(struct memphis_local_holder *holder)
{
	size_t i;

	for (i = 0; i < holder->count; i++)
		memphis_pointer_variable_close(&holder->list[i]);
	free(holder->place);
	free(holder);
}

/* Returns the result for the call that returns to `vaddr`, from the cache if possible. Returns NULL if memory is exhausted. */
static const struct memphis_local_holder *cached_holder(struct memphis_local_holders *holders,
							struct memphis_binaries *binaries,
							struct memphis_binary *binary, uint64_t vaddr)
{
	const uint64_t key[2] = {(uintptr_t)binary, vaddr};
	struct search *search;
	uint32_t number = memphis_strings_add(&holders->keys, key, sizeof(key));
	int rc = -ENOMEM;

	if (number == MEMPHIS_NO_STRING)
		return NULL;
	if (number <= holders->count)
		return holders->list[number - 1];
	if (memphis_grow(&holders->list, &holders->room, number, sizeof(*holders->list)))
		return NULL;
	search = calloc(1, sizeof(*search));
	if (search)
		search->holder = calloc(1, sizeof(*search->holder));
	if (search && search->holder) {
		search->binaries = binaries;
		search->binary = binary;
		search->vaddr = vaddr;
		rc = find_holder(search);
		memphis_pointer_places_close(&search->places);
		holders->list[holders->count++] = search->holder;
	}
	free(search);
	return rc ? NULL : holders->list[holders->count - 1];
}

int memphis_local_holder_find(struct memphis_local_holders *holders, struct memphis_join *join,
			      size_t process, uint32_t stack, const struct memphis_local_holder **found)
{
	const struct memphis_process *owner = join->list[process].process;
	struct memphis_binaries *binaries = &join->processes->binaries;
	size_t depth = memphis_strings_bytes(&owner->log->stacks, stack) / 8, i;
	uint64_t pc, vaddr, from_ns, to_ns, time_ns;
	const struct memphis_local_holder *holder;
	uint32_t code;

	*found = NULL;
	time_ns = stack < owner->log->stack_time_count ? owner->log->stack_times_ns[stack] : 0;
	for (i = 0; i < depth; i++) {
		memcpy(&pc, memphis_strings_get(&owner->log->stacks, stack) + i * 8, 8);
		code = memphis_maps_code(&owner->log->maps, pc - 1, time_ns, &vaddr, &from_ns, &to_ns);
		if (code == MEMPHIS_NO_BINARY || !binaries->list[code]->elf)
			return 0;
		holder = cached_holder(holders, binaries, binaries->list[code], vaddr + 1);
		if (!holder)
			return -ENOMEM;
		if (holder->count)
			*found = holder;
		if (!holder->returned)
			return 0;
	}
	return 0;
}

/* Returns true if a block of `bytes` bytes has a possible size for the variable with this index. */
static bool has_possible_size(const struct memphis_local_holder *holder, size_t index, uint64_t bytes)
{
	uint64_t known = holder->known_bytes[index];

	/* An array without elements is allocated with a size of one byte. */
	return !known || bytes == 1 || (holder->whole[index] ? bytes == known : bytes % known == 0);
}

bool memphis_local_holder_fits(const struct memphis_local_holder *holder, uint64_t bytes)
{
	size_t i;

	for (i = 0; i < holder->count; i++)
		if (has_possible_size(holder, i, bytes))
			return true;
	return false;
}

const struct memphis_pointer_variable *
memphis_local_holder_get_only(const struct memphis_local_holder *holder, uint64_t bytes)
{
	const struct memphis_pointer_variable *only = NULL;
	size_t i;

	for (i = 0; i < holder->count; i++) {
		if (!has_possible_size(holder, i, bytes))
			continue;
		if (only || holder->more)
			return NULL;
		only = &holder->list[i];
	}
	return only;
}

/* Appends the name unless the list contains it. Returns true if the name was appended. */
static bool append_to_list(struct memphis_text *list, const char *name)
{
	const size_t bytes = strlen(name);
	const char *at = list->bytes ? list->text : NULL;

	for (; at; at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL)
		if (!strncmp(at, name, bytes) && (!at[bytes] || at[bytes] == '|'))
			return false;
	memphis_text_print(list, "%s%s", list->bytes ? "|" : "", name);
	return true;
}

/* Lists each name once. Several variables may have the same name, such as the parameters of inlined constructors of one class. */
bool memphis_local_holder_put_names(const struct memphis_local_holder *holder, uint64_t bytes,
				    struct memphis_text *name, struct memphis_text *qualified)
{
	size_t i, count = 0;

	for (i = 0; i < holder->count; i++) {
		if (!has_possible_size(holder, i, bytes))
			continue;
		count += append_to_list(name, holder->list[i].name);
		append_to_list(qualified, holder->list[i].qualified);
	}
	if (holder->more) {
		memphis_text_put(name, "|...");
		memphis_text_put(qualified, "|...");
	}
	return count > 1 || holder->more;
}

void memphis_local_holders_close(struct memphis_local_holders *holders)
{
	size_t i;

	for (i = 0; i < holders->count; i++)
		close_holder(holders->list[i]);
	free(holders->list);
	memphis_strings_close(&holders->keys);
	memset(holders, 0, sizeof(*holders));
}
