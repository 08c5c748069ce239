// SPDX-License-Identifier: BSD-3-Clause
/* Finds the array that an indexed address belongs to, in static or thread-local memory, or in the frame. */
#include "name/access_arrays.h"

#include <dwarf.h>

#include "dwarf/type/shape.h"
#include "dwarf/type/type_leaves.h"
#include "dwarf/type/type_name.h"
#include "dwarf/type/types.h"

#define DEPTH_MAX 16 /* structures in structures */

/*
 * The array that an index starts from. The compiler folds constants into addresses ("a[i - 1][j]"), so that the constant part of an indexed address
 * can lie before the array, perhaps in another one. Such constants are small: at most two rows of the array and a few elements. A constant in the first element of an
 * array is taken as the start of that array. The array may be a member of a variable.
 */
struct start {
	const struct memphis_access_flow *flow;
	uint64_t at;
	/* The variable with the array that contains `at`, and the one with the next array; addr is NULL if there is none. */
	Dwarf_Die around, after;
	bool around_first; /* `at` is in the first element of the array around it */
	uint64_t around_low, after_low, after_array, after_rows;
};

/* Considers an array at `low` in the variable, or the variable itself. */
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
		memphis_shape_of(&plain, fortran, &shape);
		rows = shape.rank ? shape.extent[fortran ? shape.rank - 1 : 0] : 0;
		start->after = *variable;
		start->after_low = variable_low;
		start->after_array = low;
		start->after_rows = 2 * (rows ? bytes / rows : bytes) + 64;
	}
}

/* Considers a variable: an array, or a structure with arrays. */
static void add_variable(struct start *start, const Dwarf_Die *variable, uint64_t variable_low,
			 const Dwarf_Die *type, uint64_t low, unsigned int depth)
{
	const bool fortran = start->flow->places.fortran;
	Dwarf_Die plain, member, part, ignored;
	uint64_t place, bytes;
	int tag;

	if (depth == DEPTH_MAX || !memphis_type_plain(type, &plain))
		return;
	tag = dwarf_tag(&plain);
	if (tag == DW_TAG_array_type) {
		add_array(start, variable, variable_low, type, low);
		return;
	}
	if ((tag != DW_TAG_structure_type && tag != DW_TAG_class_type && tag != DW_TAG_union_type) ||
	    dwarf_child(&plain, &member))
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
