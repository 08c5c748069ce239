// SPDX-License-Identifier: BSD-3-Clause
/* Finds the local variables in stack frames, from the DWARF of the functions. */
#include "dwarf/locals.h"

#include <dwarf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "dwarf/pointer_places.h"
#include "dwarf/scopes.h"
#include "dwarf/stack_growth.h"
#include "dwarf/type/die.h"
#include "dwarf/type/types.h"

#define DEPTH_MAX 64
#define NOWHERE   UINT64_MAX

/* Location of a local variable in its function's frame. */
struct place {
	struct memphis_place start;
	uint64_t bytes;
	uint32_t local;
};

/* An array of variable length, whose memory the function takes from the stack while it runs. */
struct growing {
	Dwarf_Die die;
	uint32_t local;
	/*
	 * First instruction at which the array has a location, because its memory was taken. 0: unknown.
	 * NOWHERE: the array has no location.
	 */
	uint64_t from;
};

/* The locations of variables in a function's frame between two calls, which return to `pc` and `end_pc`. */
struct layout {
	uint64_t pc, end_pc;
	bool known; /* both return addresses belong to the same function */
	uint32_t whole;
	struct place *places;
	size_t count, room;
	struct growing *growing;
	size_t growing_count, growing_room;
	struct memphis_stack_growth *growth; /* memory of these arrays; NULL if there are none */
};

struct memphis_locals {
	struct memphis_local **list; /* array of pointers, so that entries do not move when it grows */
	size_t count, room;
	struct layout *layouts;
	size_t layout_count, layout_room;
};

static uint32_t add_local(struct memphis_locals *locals, char *name, const Dwarf_Die *die, uint64_t vaddr)
{
	struct memphis_local *local = calloc(1, sizeof(*local)), **slot;

	slot = local ? memphis_append(locals->list, locals->count, locals->room) : NULL;
	if (!slot) {
		free(local);
		free(name);
		return MEMPHIS_NO_LOCAL;
	}
	*slot = local;
	local->name = name;
	local->vaddr = vaddr;
	local->die = *die;
	return (uint32_t)locals->count - 1;
}

/* Returns the index of the variable's entry, which is created on first use. Returns MEMPHIS_NO_LOCAL if memory is exhausted. */
static uint32_t local_number(struct memphis_locals *locals, const Dwarf_Die *die, const char *scope,
			     const char *variable)
{
	char *name;
	size_t i;

	for (i = 0; i < locals->count; i++)
		if (locals->list[i]->die.addr == die->addr)
			return (uint32_t)i;
	if (asprintf(&name, "%s%s", scope, variable) < 0)
		return MEMPHIS_NO_LOCAL;
	return add_local(locals, name, die, 0);
}

/*
 * Returns the index of the entry for the whole frame of the function. If the function is unknown, the entry
 * is that for the code at `vaddr`.
 */
static uint32_t whole_frame_number(struct memphis_locals *locals, const Dwarf_Die *function, uint64_t vaddr)
{
	size_t i;

	for (i = 0; i < locals->count; i++)
		if (!locals->list[i]->name && locals->list[i]->die.addr == function->addr &&
		    (function->addr || locals->list[i]->vaddr == vaddr))
			return (uint32_t)i;
	return add_local(locals, NULL, function, vaddr);
}

/*
 * Finds the location of the variable in the frame at the instruction `pc`. Returns false if it is not in the
 * frame, or if the location expression is more complex than base plus offset.
 */
static bool find_place(Dwarf_Die *function, Dwarf_Die *variable, uint64_t pc, struct memphis_place *place)
{
	Dwarf_Attribute attribute;
	size_t count, at = 1;
	Dwarf_Op *ops;

	if (!dwarf_attr_integrate(variable, DW_AT_location, &attribute) ||
	    dwarf_getlocation_addr(&attribute, pc, &ops, &count, 1) != 1 || !count)
		return false;
	if (ops[0].atom == DW_OP_fbreg) {
		if (!memphis_frame_base_find(function, pc, place))
			return false;
		place->offset = (int64_t)((uint64_t)place->offset + ops[0].number);
	} else if (ops[0].atom < DW_OP_breg0 || ops[0].atom > DW_OP_breg31 ||
		   !memphis_place_read(&ops[0], place)) {
		return false; /* in a register or not on the stack */
	}
	if (at < count && ops[at].atom == DW_OP_plus_uconst)
		place->offset = (int64_t)((uint64_t)place->offset + ops[at++].number);
	return at == count;
}

/* State of the walk through the tree of DIEs. */
struct descent {
	struct memphis_binary *binary;
	struct memphis_locals *locals;
	struct layout *layout;
	Dwarf_Die function;
	bool fortran;
	struct memphis_text scope; /* "module::function::" */
	int rc;
};

/*
 * Returns true if the variable is an array of variable length. The function takes its memory while it runs,
 * so the array has a location only at some of the instructions.
 */
static bool is_variable_length_array(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	Dwarf_Die type;

	return dwarf_tag(die) == DW_TAG_variable && memphis_type_of(die, &type) &&
	       dwarf_tag(&type) == DW_TAG_array_type && !memphis_die_is_descriptor(&type) &&
	       dwarf_attr_integrate(die, DW_AT_location, &attribute);
}

static int add_array(struct descent *descent, Dwarf_Die *die, const char *name)
{
	struct layout *layout = descent->layout;
	struct growing *one = memphis_append(layout->growing, layout->growing_count, layout->growing_room);

	if (!one)
		return -ENOMEM;
	one->die = *die;
	one->local = local_number(descent->locals, die, descent->scope.text, name);
	return one->local == MEMPHIS_NO_LOCAL ? -ENOMEM : 0;
}

static int add_variable(struct descent *descent, Dwarf_Die *die)
{
	struct layout *layout = descent->layout;
	struct place place = {.bytes = memphis_type_bytes(die, descent->fortran)}, *kept;
	const char *name = dwarf_diename(die);
	struct memphis_place at_end;

	/* Skip A.1: gfortran describes the memory of array A a second time under this name. */
	if (name && !place.bytes && !strchr(name, '.') && is_variable_length_array(die))
		return add_array(descent, die, name);
	if (!name || !place.bytes || !find_place(&descent->function, die, layout->pc - 1, &place.start) ||
	    !find_place(&descent->function, die, layout->end_pc - 1, &at_end) ||
	    at_end.base != place.start.base || at_end.offset != place.start.offset)
		return 0;
	place.local = local_number(descent->locals, die, descent->scope.text, name);
	if (place.local == MEMPHIS_NO_LOCAL)
		return -ENOMEM;
	kept = memphis_append(layout->places, layout->count, layout->room);
	if (!kept)
		return -ENOMEM;
	*kept = place;
	return 0;
}

static bool is_scope(int tag)
{
	return tag == DW_TAG_subprogram || tag == DW_TAG_module || tag == DW_TAG_namespace ||
	       tag == DW_TAG_class_type || tag == DW_TAG_structure_type;
}

static void collect_in_scope(struct descent *descent, Dwarf_Die *parent, unsigned int depth);

/* Collects the variables of a function or inlined call. Their names contain the scopes of that function. */
static void collect_in_function(struct descent *descent, Dwarf_Die *function, unsigned int depth)
{
	struct memphis_text outer = descent->scope;

	memset(&descent->scope, 0, sizeof(descent->scope));
	memphis_put_scopes_in(&descent->binary->scopes, &descent->scope, function);
	if (descent->scope.failed)
		descent->rc = -ENOMEM;
	else
		collect_in_scope(descent, function, depth);
	memphis_text_close(&descent->scope);
	descent->scope = outer;
}

/*
 * Collects the variables of the function. Also collects those of lexical blocks and inlined calls in it that
 * contain both instructions.
 */
static void collect_in_scope(struct descent *descent, Dwarf_Die *parent, unsigned int depth)
{
	Dwarf_Die die;
	int tag;

	if (depth > DEPTH_MAX || dwarf_child(parent, &die))
		return;
	do {
		tag = dwarf_tag(&die);
		if (tag == DW_TAG_variable || tag == DW_TAG_formal_parameter)
			descent->rc = add_variable(descent, &die);
		if ((tag != DW_TAG_lexical_block && tag != DW_TAG_inlined_subroutine) ||
		    dwarf_haspc(&die, descent->layout->pc - 1) < 1 ||
		    dwarf_haspc(&die, descent->layout->end_pc - 1) < 1)
			continue;
		if (tag == DW_TAG_lexical_block)
			collect_in_scope(descent, &die, depth + 1);
		else
			collect_in_function(descent, &die, depth + 1);
	} while (!descent->rc && !dwarf_siblingof(&die, &die));
}

/* Finds the function that contains both instructions, in the children of `parent` and in nested scopes. */
static bool find_function(struct descent *descent, Dwarf_Die *parent, unsigned int depth)
{
	bool found = false;
	Dwarf_Die die;
	int tag;

	if (depth > DEPTH_MAX || dwarf_child(parent, &die))
		return false;
	do {
		tag = dwarf_tag(&die);
		/*
		 * Search lexical blocks, too: gfortran places the function of a parallel region in the block
		 * that contains the region.
		 */
		if (!is_scope(tag) && tag != DW_TAG_lexical_block)
			continue;
		if (tag == DW_TAG_subprogram && dwarf_haspc(&die, descent->layout->pc - 1) > 0 &&
		    dwarf_haspc(&die, descent->layout->end_pc - 1) > 0) {
			descent->function = die;
			return true;
		}
		found = find_function(descent, &die, depth + 1);
	} while (!found && !dwarf_siblingof(&die, &die));
	return found;
}

/*
 * Returns the first address, at or after `low`, at which a range of the variable's location begins. Returns 0
 * if the location has no ranges, or NOWHERE if no range begins there.
 */
static uint64_t first_place_vaddr(Dwarf_Die *die, uint64_t low)
{
	Dwarf_Addr base, start, end, first = NOWHERE;
	Dwarf_Attribute attribute;
	ptrdiff_t next = 0;
	Dwarf_Op *ops;
	size_t count;

	if (!dwarf_attr_integrate(die, DW_AT_location, &attribute))
		return NOWHERE;
	while ((next = dwarf_getlocations(&attribute, next, &base, &start, &end, &ops, &count)) > 0) {
		if (!count || ops[0].atom == DW_OP_addr)
			continue;
		if (!start)
			return 0;
		if (start >= low && start < first)
			first = start;
	}
	return first;
}

/* Finds the memory of arrays of variable length. Requires that an array has the same memory at both calls. */
static int read_array_places(struct memphis_binary *binary, struct layout *layout)
{
	struct memphis_stack_growth *growth, at_end;
	size_t i;

	if (!layout->growing_count)
		return 0;
	growth = layout->growth = malloc(sizeof(*growth));
	if (!growth)
		return -ENOMEM;
	memphis_stack_growth_read(binary, layout->pc - 1, growth);
	if (layout->pc != layout->end_pc) {
		memphis_stack_growth_read(binary, layout->end_pc - 1, &at_end);
		if (at_end.count != growth->count || at_end.after != growth->after)
			growth->count = 0;
	}
	for (i = 0; growth->count && i < layout->growing_count; i++)
		layout->growing[i].from = first_place_vaddr(&layout->growing[i].die, growth->list[0].vaddr);
	return 0;
}

static int read_layout(struct memphis_binary *binary, struct layout *layout, Dwarf *dwarf)
{
	struct memphis_locals *locals = binary->locals;
	struct descent descent = {.binary = binary, .locals = locals, .layout = layout};
	Dwarf_Die die, split;
	Dwarf_CU *cu = NULL;
	uint8_t type;

	/* Equal return addresses are in the same function. No debug information is needed to tell this. */
	layout->known = layout->pc == layout->end_pc;
	while (dwarf && dwarf_get_units(dwarf, cu, &cu, NULL, &type, &die, &split) == 0) {
		if (dwarf_haspc(&die, layout->pc - 1) < 1)
			continue;
		if (type == DW_UT_skeleton && split.addr)
			die = split;
		descent.fortran = memphis_is_fortran(&die);
		if (!find_function(&descent, &die, 0))
			continue;
		layout->known = true;
		collect_in_function(&descent, &descent.function, 0);
		break;
	}
	if (!descent.rc)
		descent.rc = read_array_places(binary, layout);
	if (!descent.rc && layout->known) {
		layout->whole = whole_frame_number(locals, &descent.function, layout->pc - 1);
		if (layout->whole == MEMPHIS_NO_LOCAL)
			descent.rc = -ENOMEM;
	}
	return descent.rc;
}

static const struct layout *frame_layout(struct memphis_binaries *binaries, struct memphis_binary *binary,
					 uint64_t pc, uint64_t end_pc)
{
	struct memphis_locals *locals = binary->locals;
	struct layout *layout;
	size_t i;

	if (!locals)
		locals = binary->locals = calloc(1, sizeof(*locals));
	if (!locals)
		return NULL;
	for (i = 0; i < locals->layout_count; i++)
		if (locals->layouts[i].pc == pc && locals->layouts[i].end_pc == end_pc)
			return &locals->layouts[i];
	layout = memphis_append(locals->layouts, locals->layout_count, locals->layout_room);
	if (!layout)
		return NULL;
	layout->pc = pc;
	layout->end_pc = end_pc;
	if (read_layout(binary, layout, memphis_binary_dwarf(binaries, binary)))
		layout->known = false;
	return layout;
}

/* Returns the index of the stack growth that took the array's memory, or `count` if it is unknown. */
static size_t find_growth(const struct layout *layout, const struct growing *array)
{
	const struct memphis_stack_growth *growth = layout->growth;
	size_t i;

	/* In code without optimization, the array has a location in the whole function. */
	if (!array->from)
		return growth->count == 1 && layout->growing_count == 1 ? 0 : growth->count;
	for (i = array->from == NOWHERE ? 0 : growth->count; i-- > 0;)
		if (growth->list[i].vaddr <= array->from)
			return i;
	return growth->count;
}

/* Returns the array of variable length that contains the address, or MEMPHIS_NO_LOCAL if there is not exactly one. */
static uint32_t find_array(const struct layout *layout, const struct memphis_frame_place *frame,
			   uint64_t address, uint64_t *low, uint64_t *high)
{
	uint32_t found = MEMPHIS_NO_LOCAL;
	uint64_t start, end;
	size_t i;

	for (i = 0; i < layout->growing_count && frame->bp_known; i++) {
		const size_t index = find_growth(layout, &layout->growing[i]);

		if (index == layout->growth->count ||
		    !memphis_stack_growth_bounds(layout->growth, index, frame->bp, frame->sp, frame->sp_known,
						 &start, &end) ||
		    address < start || address >= end)
			continue;
		if (found != MEMPHIS_NO_LOCAL)
			return MEMPHIS_NO_LOCAL;
		found = layout->growing[i].local;
		*low = start;
		*high = end;
	}
	return found;
}

static uint32_t find_in_layout(const struct layout *layout, const struct memphis_frame_place *frame,
			       uint64_t address, uint64_t *low, uint64_t *high)
{
	const uint64_t bases[] = {
		[MEMPHIS_AT_CFA] = frame->cfa,
		[MEMPHIS_AT_BP] = frame->bp,
		[MEMPHIS_AT_SP] = frame->sp,
	};
	const bool known[] = {
		[MEMPHIS_AT_CFA] = true,
		[MEMPHIS_AT_BP] = frame->bp_known,
		[MEMPHIS_AT_SP] = frame->sp_known,
	};
	const struct place *place;
	uint64_t start;
	uint32_t found;
	size_t i;

	if (!layout->known)
		return MEMPHIS_NO_LOCAL;
	/* Search backwards, because variables of inner blocks come last and hide those of outer blocks. */
	for (i = layout->count; i-- > 0;) {
		place = &layout->places[i];
		start = bases[place->start.base] + (uint64_t)place->start.offset;
		if (!known[place->start.base] || address < start || address - start >= place->bytes)
			continue;
		*low = start;
		*high = start + place->bytes;
		return place->local;
	}
	found = find_array(layout, frame, address, low, high);
	if (found != MEMPHIS_NO_LOCAL)
		return found;
	*low = address;
	*high = address + 1;
	return layout->whole;
}

uint32_t memphis_locals_find(struct memphis_binaries *binaries, struct memphis_binary *binary,
			     const struct memphis_frame_place *frame, uint64_t address, uint64_t *low,
			     uint64_t *high)
{
	const struct layout *layout;
	uint32_t local = MEMPHIS_NO_LOCAL;

	pthread_mutex_lock(&binary->lock);
	layout = frame_layout(binaries, binary, frame->pc, frame->end_pc);
	if (layout)
		local = find_in_layout(layout, frame, address, low, high);
	pthread_mutex_unlock(&binary->lock);
	return local;
}

const struct memphis_local *memphis_local_of(struct memphis_binary *binary, uint32_t number)
{
	const struct memphis_local *local;

	pthread_mutex_lock(&binary->lock);
	local = binary->locals->list[number];
	pthread_mutex_unlock(&binary->lock);
	return local;
}

void memphis_locals_close(struct memphis_binary *binary)
{
	struct memphis_locals *locals = binary->locals;
	size_t i;

	if (!locals)
		return;
	for (i = 0; i < locals->count; i++) {
		free(locals->list[i]->name);
		free(locals->list[i]);
	}
	for (i = 0; i < locals->layout_count; i++) {
		free(locals->layouts[i].places);
		free(locals->layouts[i].growing);
		free(locals->layouts[i].growth);
	}
	free(locals->layouts);
	free(locals->list);
	free(locals);
	binary->locals = NULL;
}
