// SPDX-License-Identifier: BSD-3-Clause
/*
 * Reads location descriptions (DWARF 5, section 2.6). Skips those that cannot hold a pointer, and those that
 * are computed in a more complex way.
 */
#include "dwarf/pointer_places.h"

#include <dwarf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "dwarf/symbols.h"
#include "dwarf/type/die.h"
#include "dwarf/type/shape.h"
#include "dwarf/type/types.h"

#define DEPTH_MAX    64
#define POINTER_SIZE 8

struct reader {
	struct memphis_pointer_places *places;
	uint64_t vaddr;
	bool all; /* read the scopes that do not contain `vaddr`, too */
	/* The location to which DW_OP_fbreg is relative. */
	bool has_base;
	struct memphis_place base;
	size_t scope;
	int rc;
};

bool memphis_place_read(const Dwarf_Op *op, struct memphis_place *place)
{
	place->offset = 0;
	switch (op->atom) {
	case DW_OP_call_frame_cfa:
		place->base = MEMPHIS_AT_CFA;
		return true;
	case DW_OP_reg0 + MEMPHIS_REG_BP:
	case DW_OP_reg0 + MEMPHIS_REG_SP:
		place->base = op->atom == DW_OP_reg0 + MEMPHIS_REG_BP ? MEMPHIS_AT_BP : MEMPHIS_AT_SP;
		return true;
	case DW_OP_breg0 + MEMPHIS_REG_BP:
	case DW_OP_breg0 + MEMPHIS_REG_SP:
		place->base = op->atom == DW_OP_breg0 + MEMPHIS_REG_BP ? MEMPHIS_AT_BP : MEMPHIS_AT_SP;
		place->offset = (int64_t)op->number;
		return true;
	}
	return false;
}

bool memphis_frame_base_find(Dwarf_Die *function, uint64_t vaddr, struct memphis_place *base)
{
	Dwarf_Attribute attribute;
	Dwarf_Op *ops;
	size_t count;

	if (!dwarf_attr_integrate(function, DW_AT_frame_base, &attribute) ||
	    dwarf_getlocation_addr(&attribute, vaddr, &ops, &count, 1) != 1 || !count ||
	    !memphis_place_read(&ops[0], base))
		return false;
	/*
	 * LLVM describes the base as CFA plus a constant if the function has no frame pointer and moves its
	 * stack pointer, for instance to pass arguments.
	 */
	if (count == 3 && ops[1].atom == DW_OP_consts && ops[2].atom == DW_OP_plus) {
		base->offset = (int64_t)((uint64_t)base->offset + ops[1].number);
		return true;
	}
	return count == 1;
}

static void add_place(struct reader *reader, const struct memphis_variable_place *found)
{
	struct memphis_pointer_places *places = reader->places;
	struct memphis_variable_place *kept =
		memphis_append(places->places, places->place_count, places->place_room);

	if (kept)
		*kept = *found;
	else
		reader->rc = -ENOMEM;
}

/* Adds the location that a simple location description of `count` operations describes. */
static void read_simple_location(struct reader *reader, const Dwarf_Op *ops, size_t count,
				 struct memphis_variable_place *found)
{
	bool is_register = ops[0].atom >= DW_OP_reg0 && ops[0].atom <= DW_OP_reg31;
	bool is_based = ops[0].atom >= DW_OP_breg0 && ops[0].atom <= DW_OP_breg31;
	bool in_frame = false;

	found->behind = false;
	if (is_register) {
		found->place = (struct memphis_place){MEMPHIS_IN_REGISTER, ops[0].atom - DW_OP_reg0};
		if (count == 1 && found->place.offset < 16)
			add_place(reader, found);
		return;
	}
	if (ops[0].atom == DW_OP_fbreg) {
		in_frame = reader->has_base;
		found->place = reader->base;
		found->place.offset = (int64_t)((uint64_t)found->place.offset + ops[0].number);
	} else if (is_based) {
		in_frame = memphis_place_read(&ops[0], &found->place);
	}
	if (in_frame && (count == 1 || (count == 2 && ops[1].atom == DW_OP_deref))) {
		found->behind = count == 2;
		add_place(reader, found);
	}
	/* The operations load the value of the variable from a stack slot. */
	if (in_frame && count == 3 && ops[1].atom == DW_OP_deref && ops[2].atom == DW_OP_stack_value)
		add_place(reader, found);
	if (reader->all && is_based && ops[0].number && ops[0].atom <= DW_OP_breg15 && count == 2 &&
	    ops[1].atom == DW_OP_stack_value) {
		found->place = (struct memphis_place){MEMPHIS_IN_REGISTER, ops[0].atom - DW_OP_breg0};
		found->plus = (int64_t)ops[0].number;
		add_place(reader, found);
		found->plus = 0;
		return;
	}
	if (!is_based || ops[0].number || ops[0].atom > DW_OP_breg15)
		return;
	/* The register contains the address of the variable, or the variable's value. */
	found->place = (struct memphis_place){MEMPHIS_IN_REGISTER, ops[0].atom - DW_OP_breg0};
	found->behind = count == 1;
	if (count == 1 || (count == 2 && ops[1].atom == DW_OP_stack_value))
		add_place(reader, found);
}

/* Adds the locations of all pieces of a location description. */
static void read_location(struct reader *reader, const Dwarf_Op *ops, size_t count,
			  struct memphis_variable_place found)
{
	uint64_t whole = found.bytes;
	size_t at, first = 0;

	for (at = 0; at < count && !reader->rc; at++) {
		if (ops[at].atom != DW_OP_piece)
			continue;
		found.bytes = ops[at].number;
		if (at > first)
			read_simple_location(reader, ops + first, at - first, &found);
		found.part += ops[at].number;
		first = at + 1;
	}
	found.bytes = whole;
	if (!first && count && !reader->rc)
		read_simple_location(reader, ops, count, &found);
}

static void read_variable_locations(struct reader *reader, Dwarf_Die *die, size_t variable)
{
	struct memphis_variable_place found = {.variable = variable,
					       .bytes = memphis_type_bytes(die, reader->places->fortran)};
	Dwarf_Addr base, from, to;
	Dwarf_Attribute attribute;
	ptrdiff_t offset = 0;
	Dwarf_Op *ops;
	size_t count;

	if (!found.bytes)
		found.bytes = POINTER_SIZE;
	if (!dwarf_attr_integrate(die, DW_AT_location, &attribute))
		return;
	while (!reader->rc &&
	       (offset = dwarf_getlocations(&attribute, offset, &base, &from, &to, &ops, &count)) > 0) {
		found.from = from;
		found.to = to;
		read_location(reader, ops, count, found);
	}
}

static bool is_artificial(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;

	return dwarf_attr_integrate(die, DW_AT_artificial, &attribute) != NULL;
}

static bool is_automatic_array(Dwarf_Die *die, bool fortran)
{
	Dwarf_Die type;

	return fortran && dwarf_tag(die) == DW_TAG_variable && memphis_type_of(die, &type) &&
	       dwarf_tag(&type) == DW_TAG_array_type && !memphis_die_is_descriptor(&type) &&
	       !memphis_type_size(&type, fortran);
}

static void read_variable(struct reader *reader, Dwarf_Die *die, const Dwarf_Die *block)
{
	struct memphis_pointer_places *places = reader->places;
	struct memphis_scope_variable *variable;
	const char *name = dwarf_diename(die);
	int line;

	/*
	 * Skip variables that the compiler adds, unless `all` is set. They do not hold blocks of the program,
	 * but accesses use them: `this`, and the unnamed parameter of a parallel region's body, through which
	 * the region accesses the function's variables.
	 */
	if (!reader->all && (!name || is_artificial(die)))
		return;
	variable = memphis_append(places->variables, places->variable_count, places->variable_room);
	if (!variable) {
		reader->rc = -ENOMEM;
		return;
	}
	variable->die = *die;
	variable->name = name ? name : "";
	variable->line = dwarf_decl_line(die, &line) ? 0 : (unsigned int)line;
	variable->scope = reader->scope;
	variable->block = *block;
	variable->automatic = is_automatic_array(die, places->fortran);
	read_variable_locations(reader, die, places->variable_count - 1);
}

/* Returns true if the function returns a pointer, or an object that may contain one. */
static bool returns_pointer(Dwarf_Die *function)
{
	Dwarf_Die type;
	int tag;

	if (!memphis_type_of(function, &type))
		return false;
	tag = dwarf_tag(&type);
	return tag != DW_TAG_base_type && tag != DW_TAG_enumeration_type;
}

static void enter_scope(struct reader *reader, Dwarf_Die *die)
{
	struct memphis_pointer_places *places = reader->places;
	struct memphis_scope *scope = memphis_append(places->scopes, places->scope_count, places->scope_room);
	Dwarf_Attribute attribute;
	Dwarf_Word line;

	if (!scope) {
		reader->rc = -ENOMEM;
		return;
	}
	scope->die = *die;
	scope->returns_pointer = returns_pointer(die);
	if (dwarf_attr(die, DW_AT_call_line, &attribute) && !dwarf_formudata(&attribute, &line))
		scope->line = (unsigned int)line;
	reader->scope = places->scope_count - 1;
}

/* Reads the variables of the scope, and of the lexical blocks and inlined functions in it that contain `vaddr`. */
static void read_scope(struct reader *reader, Dwarf_Die *parent, unsigned int depth)
{
	size_t outer = reader->scope;
	Dwarf_Die die;
	int tag;

	if (depth > DEPTH_MAX || dwarf_child(parent, &die))
		return;
	do {
		tag = dwarf_tag(&die);
		if (tag == DW_TAG_variable || tag == DW_TAG_formal_parameter)
			read_variable(reader, &die, parent);
	} while (!reader->rc && !dwarf_siblingof(&die, &die));
	if (reader->rc || dwarf_child(parent, &die))
		return;
	do {
		tag = dwarf_tag(&die);
		if ((tag != DW_TAG_lexical_block && tag != DW_TAG_inlined_subroutine) ||
		    (!reader->all && dwarf_haspc(&die, reader->vaddr) < 1))
			continue;
		if (tag == DW_TAG_inlined_subroutine)
			enter_scope(reader, &die);
		if (!reader->rc)
			read_scope(reader, &die, depth + 1);
		reader->scope = outer;
	} while (!reader->rc && !dwarf_siblingof(&die, &die));
}

int memphis_pointer_places_read(struct memphis_binaries *binaries, struct memphis_binary *binary,
				uint64_t vaddr, bool all, struct memphis_pointer_places *places)
{
	struct reader reader = {.places = places, .vaddr = vaddr, .all = all};
	Dwarf_Die unit, function;
	int rc;

	memset(places, 0, sizeof(*places));
	places->binary = binary;
	rc = memphis_symbols_find_function(binaries, binary, vaddr, &unit, &function);
	if (rc)
		return rc == -ENOENT ? 0 : rc;
	pthread_mutex_lock(&binary->lock);
	places->fortran = memphis_is_fortran(&unit);
	reader.has_base = memphis_frame_base_find(&function, vaddr, &reader.base);
	enter_scope(&reader, &function);
	if (!reader.rc)
		read_scope(&reader, &function, 0);
	pthread_mutex_unlock(&binary->lock);
	return reader.rc;
}

void memphis_pointer_places_close(struct memphis_pointer_places *places)
{
	free(places->scopes);
	free(places->variables);
	free(places->places);
	memset(places, 0, sizeof(*places));
}

bool memphis_variable_place_applies(const struct memphis_pointer_places *places,
				    const struct memphis_variable_place *place, uint64_t vaddr)
{
	Dwarf_Die block = places->variables[place->variable].block;

	/* A location without its own range is valid in the block that declares the variable. */
	return vaddr >= place->from && vaddr < place->to && (place->from || dwarf_haspc(&block, vaddr) > 0);
}

struct memphis_place memphis_place_in_frame(struct memphis_place place, const struct memphis_cfa *cfa)
{
	if (cfa->known && ((place.base == MEMPHIS_AT_BP && cfa->reg == MEMPHIS_REG_BP) ||
			   (place.base == MEMPHIS_AT_SP && cfa->reg == MEMPHIS_REG_SP))) {
		place.base = MEMPHIS_AT_CFA;
		place.offset = (int64_t)((uint64_t)place.offset - (uint64_t)cfa->offset);
	}
	return place;
}

void memphis_pointer_places_find(const struct memphis_pointer_places *places, uint64_t vaddr,
				 const struct memphis_cfa *cfa, const struct memphis_place *place,
				 void (*visit)(void *context, const struct memphis_variable_place *found,
					       uint64_t part),
				 void *context)
{
	const struct memphis_variable_place *one;
	struct memphis_place at;
	uint64_t distance;
	size_t i;

	for (i = 0; i < places->place_count; i++) {
		one = &places->places[i];
		if (vaddr < one->from || vaddr >= one->to)
			continue;
		at = memphis_place_in_frame(one->place, cfa);
		if (at.base != place->base)
			continue;
		distance = (uint64_t)place->offset - (uint64_t)at.offset;
		/* A pointer in a register, or to the whole variable, has no parts. It must be exactly in this place. */
		if (distance && (at.base == MEMPHIS_IN_REGISTER || one->behind || distance >= one->bytes))
			continue;
		visit(context, one, one->part + distance);
	}
}

static void describe_pointed_array(Dwarf_Die *die, struct memphis_pointer_variable *holder)
{
	Dwarf_Die type, element;

	/*
	 * Accept only local arrays. A parameter may be accessed through a pointer, too, but then the block
	 * does not belong to it.
	 */
	if (dwarf_tag(die) == DW_TAG_variable && memphis_type_of(die, &type) &&
	    dwarf_tag(&type) == DW_TAG_array_type && memphis_type_of(&type, &element)) {
		memphis_type_pointed_to(&type, &holder->element);
		holder->array = type;
		holder->rank = MEMPHIS_POINTER_ARRAY;
	}
}

void memphis_pointer_places_find_holder(const struct memphis_pointer_places *places, size_t variable,
					bool behind, uint64_t part, struct memphis_pointer_variable *holder)
{
	const struct memphis_scope_variable *one = &places->variables[variable];
	struct memphis_text qualified = {0};
	Dwarf_Die die = one->die;
	size_t scope_bytes;

	*holder = (struct memphis_pointer_variable){
		.rank = MEMPHIS_POINTER_NONE, .binary = places->binary, .fortran = places->fortran};
	pthread_mutex_lock(&places->binary->lock);
	memphis_put_scopes_in(&places->binary->scopes, &qualified, &places->scopes[one->scope].die);
	scope_bytes = qualified.bytes;
	memphis_text_put(&qualified, one->name);
	if (behind)
		describe_pointed_array(&die, holder);
	else
		holder->rank = memphis_type_pointer_at(&die, part, places->fortran, true, &qualified,
						       &holder->element, &holder->array);
	pthread_mutex_unlock(&places->binary->lock);
	if (holder->rank < MEMPHIS_POINTER_OTHER && !qualified.failed)
		holder->name = strdup(qualified.text + scope_bytes);
	if (holder->name) {
		holder->qualified = qualified.text;
	} else {
		memphis_text_close(&qualified);
		memphis_pointer_variable_close(holder);
	}
}

bool memphis_pointer_places_find_bytes(const struct memphis_pointer_places *places, size_t variable,
				       uint64_t *bytes)
{
	Dwarf_Die die = places->variables[variable].die, type, element;
	struct memphis_shape shape;
	bool whole = true;
	unsigned int i;

	*bytes = 0;
	pthread_mutex_lock(&places->binary->lock);
	if (memphis_type_of(&die, &type) && dwarf_tag(&type) == DW_TAG_array_type &&
	    memphis_type_pointed_to(&type, &element)) {
		whole = dwarf_tag(&element) != DW_TAG_string_type;
		/* For a string of computed length, DW_AT_byte_size may be the size of the variable that holds the length. */
		*bytes = whole ? memphis_type_size(&element, places->fortran) : 1;
		memphis_shape_read(&type, places->fortran, &shape);
		for (i = 0; i < shape.rank; i++) {
			whole &= shape.extent[i] != 0;
			if (shape.extent[i] && __builtin_mul_overflow(*bytes, shape.extent[i], bytes))
				*bytes = 0;
		}
	}
	pthread_mutex_unlock(&places->binary->lock);
	return whole;
}

bool memphis_scope_contains(const struct memphis_pointer_places *places, size_t scope, uint64_t vaddr)
{
	Dwarf_Die die = places->scopes[scope].die;
	bool contains;

	pthread_mutex_lock(&places->binary->lock);
	contains = dwarf_haspc(&die, vaddr) > 0;
	pthread_mutex_unlock(&places->binary->lock);
	return contains;
}
