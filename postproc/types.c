// SPDX-License-Identifier: BSD-3-Clause
/* Questions to DWARF types: how large a variable is, and what stands at an offset in it. */
#include "types.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"

#define TYPE_DEPTH_MAX 32
#define RANK_MAX       15
#define INDEXED_MAX    256 /* of larger arrays of structures, elements are no variables of their own */

bool memphis_is_fortran(Dwarf_Die *unit)
{
	switch (dwarf_srclang(unit)) {
	case DW_LANG_Fortran77:
	case DW_LANG_Fortran90:
	case DW_LANG_Fortran95:
	case DW_LANG_Fortran03:
	case DW_LANG_Fortran08:
		return true;
	}
	return false;
}

bool memphis_type_of(Dwarf_Die *die, Dwarf_Die *type)
{
	Dwarf_Attribute attribute;

	return dwarf_attr_integrate(die, DW_AT_type, &attribute) && dwarf_formref_die(&attribute, type) &&
	       dwarf_peel_type(type, type) == 0;
}

/*
 * A Fortran array that is reached through a descriptor: the variable is the descriptor. gfortran's has a
 * head of 40 bytes and 24 for each dimension.
 */
static bool is_descriptor(Dwarf_Die *type)
{
	Dwarf_Attribute attribute;

	return dwarf_tag(type) == DW_TAG_array_type && dwarf_attr(type, DW_AT_data_location, &attribute);
}

static bool is_structure(Dwarf_Die *type)
{
	int tag = dwarf_tag(type);

	return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

static uint64_t descriptor_bytes(Dwarf_Die *type)
{
	Dwarf_Die child;
	uint64_t bytes = 40;

	if (dwarf_child(type, &child))
		return 0;
	do {
		if (dwarf_tag(&child) == DW_TAG_subrange_type)
			bytes += 24;
	} while (!dwarf_siblingof(&child, &child));
	return bytes;
}

/* The dimensions of an array, as its language lists them. */
struct shape {
	unsigned int rank;
	uint64_t extent[RANK_MAX]; /* 0 = not declared */
	int64_t lower[RANK_MAX];
	uint64_t count; /* of elements, 0 = not known */
};

static bool constant(Dwarf_Die *die, unsigned int name, int64_t *value)
{
	Dwarf_Attribute attribute;
	Dwarf_Sword number;

	if (!dwarf_attr_integrate(die, name, &attribute) || dwarf_formsdata(&attribute, &number))
		return false;
	*value = number;
	return true;
}

static void shape_of(Dwarf_Die *array, bool fortran, struct shape *shape)
{
	Dwarf_Die child;
	int64_t number;
	unsigned int i;

	memset(shape, 0, sizeof(*shape));
	if (dwarf_child(array, &child))
		return;
	do {
		if (dwarf_tag(&child) != DW_TAG_subrange_type || shape->rank == RANK_MAX)
			continue;
		i = shape->rank++;
		shape->lower[i] = fortran;
		if (constant(&child, DW_AT_lower_bound, &number))
			shape->lower[i] = number;
		if (constant(&child, DW_AT_count, &number) && number > 0)
			shape->extent[i] = (uint64_t)number;
		else if (constant(&child, DW_AT_upper_bound, &number) && number >= shape->lower[i])
			shape->extent[i] = (uint64_t)number - (uint64_t)shape->lower[i] + 1;
	} while (!dwarf_siblingof(&child, &child));
	shape->count = shape->rank ? 1 : 0;
	for (i = 0; i < shape->rank; i++)
		if (__builtin_mul_overflow(shape->count, shape->extent[i], &shape->count))
			shape->count = 0;
}

/* Damaged DWARF may have arrays of themselves, which libdw follows without end (0.188, dwarf_aggregate_size). */
static bool is_endless(const Dwarf_Die *type)
{
	Dwarf_Die at = *type;
	int depth, tag;

	for (depth = 0; depth < TYPE_DEPTH_MAX; depth++) {
		tag = dwarf_tag(&at);
		if ((tag != DW_TAG_array_type && tag != DW_TAG_subrange_type) || !memphis_type_of(&at, &at))
			return false;
	}
	return true;
}

uint64_t memphis_type_size(Dwarf_Die *type, bool fortran)
{
	struct shape shape;
	Dwarf_Word bytes;
	Dwarf_Die element;
	uint64_t total;

	if (is_descriptor(type))
		return descriptor_bytes(type);
	if (is_endless(type))
		return 0;
	if (!dwarf_aggregate_size(type, &bytes))
		return bytes;
	/* Where dwz put types together that several units have, nothing tells their language, and so no lower bound. */
	if (dwarf_tag(type) != DW_TAG_array_type || !memphis_type_of(type, &element))
		return 0;
	shape_of(type, fortran, &shape);
	return __builtin_mul_overflow(shape.count, memphis_type_size(&element, fortran), &total) ? 0 : total;
}

uint64_t memphis_type_bytes(Dwarf_Die *variable, bool fortran)
{
	Dwarf_Die type;

	return memphis_type_of(variable, &type) ? memphis_type_size(&type, fortran) : 0;
}

/* The indices of element number `at`: Fortran's first one runs fastest, C's last one. */
static void put_indices(const struct shape *shape, bool fortran, uint64_t at, struct memphis_text *path)
{
	int64_t index[RANK_MAX];
	unsigned int i, dimension;

	for (i = 0; i < shape->rank; i++) {
		dimension = fortran ? i : shape->rank - 1 - i;
		index[dimension] = shape->lower[dimension];
		if (i + 1 == shape->rank) {
			index[dimension] = (int64_t)((uint64_t)index[dimension] + at);
		} else if (shape->extent[dimension]) {
			index[dimension] =
				(int64_t)((uint64_t)index[dimension] + at % shape->extent[dimension]);
			at /= shape->extent[dimension];
		}
	}
	for (i = 0; i < shape->rank; i++) {
		if (fortran)
			memphis_text_print(path, "%s%lld", i ? "," : "(", (long long)index[i]);
		else
			memphis_text_print(path, "[%lld]", (long long)index[i]);
	}
	if (fortran && shape->rank)
		memphis_text_put(path, ")");
}

static bool is_part(Dwarf_Die *member, Dwarf_Die *type)
{
	int tag = dwarf_tag(member);

	/* A static one takes no room. */
	return (tag == DW_TAG_member || tag == DW_TAG_inheritance) &&
	       !dwarf_hasattr(member, DW_AT_external) && !dwarf_hasattr(member, DW_AT_declaration) &&
	       memphis_type_of(member, type);
}

/* Types that are known to be empty, so that each is looked into once, however many others it is in. */
struct empty_types {
	const void **list;
	size_t count, room;
};

static bool is_known_empty(const struct empty_types *known, const Dwarf_Die *type)
{
	size_t i;

	for (i = 0; i < known->count; i++)
		if (known->list[i] == type->addr)
			return true;
	return false;
}

/* The first part that is not empty ends it all: what is not need not be remembered. */
static bool has_nothing(Dwarf_Die *type, unsigned int depth, struct empty_types *known)
{
	Dwarf_Die member, part;
	const void **kept;

	if (!is_structure(type) || depth == TYPE_DEPTH_MAX)
		return false;
	if (is_known_empty(known, type))
		return true;
	if (!dwarf_child(type, &member)) {
		do {
			if (is_part(&member, &part) && !has_nothing(&part, depth + 1, known))
				return false;
		} while (!dwarf_siblingof(&member, &member));
	}
	kept = memphis_append(known->list, known->count, known->room);
	if (kept)
		*kept = type->addr;
	return true;
}

/* Allocators, deleters: they share their address with what has a value there. */
static bool is_empty(Dwarf_Die *type)
{
	struct empty_types known = {0};
	bool empty = has_nothing(type, 0, &known);

	free(known.list);
	return empty;
}

/* Where a member begins, and its bytes; false: nothing tells, or it is computed. */
static bool member_place(Dwarf_Die *member, Dwarf_Die *type, bool fortran, uint64_t *place, uint64_t *bytes)
{
	Dwarf_Attribute attribute;
	int64_t size, from_top, from_low, unit;
	Dwarf_Word at = 0, bits;

	*bytes = memphis_type_size(type, fortran);
	if (dwarf_attr(member, DW_AT_data_bit_offset, &attribute)) {
		/* A bit-field: the bytes that it has a part of. */
		if (dwarf_formudata(&attribute, &at) || !dwarf_attr(member, DW_AT_bit_size, &attribute) ||
		    dwarf_formudata(&attribute, &bits))
			return false;
		*place = at / 8;
		*bytes = (at % 8 + bits + 7) / 8;
		return true;
	}
	if (dwarf_attr(member, DW_AT_data_member_location, &attribute) && dwarf_formudata(&attribute, &at))
		return false;
	*place = at;
	/* DWARF before 5 counts bits from the top of the storage unit, on machines like ours. */
	if (constant(member, DW_AT_bit_size, &size) && constant(member, DW_AT_bit_offset, &from_top)) {
		if (!constant(member, DW_AT_byte_size, &unit))
			unit = (int64_t)*bytes;
		if (size <= 0 || unit < 0 || unit > 64 || from_top > unit * 8 - size || from_top < -512)
			return false;
		from_low = unit * 8 - from_top - size;
		*place += (uint64_t)from_low / 8;
		*bytes = (uint64_t)(from_low % 8 + size + 7) / 8;
	}
	return true;
}

/* The member of the structure that holds `offset`; *offset becomes the offset in it. */
static bool member_at(Dwarf_Die *structure, bool fortran, uint64_t *offset, Dwarf_Die *member,
		      Dwarf_Die *type)
{
	uint64_t place, bytes;

	if (dwarf_child(structure, member))
		return false;
	do {
		if (!is_part(member, type))
			continue;
		if (!member_place(member, type, fortran, &place, &bytes))
			continue;
		if (*offset < place || *offset - place >= bytes)
			continue;
		if (is_empty(type))
			continue;
		*offset -= place;
		return true;
	} while (!dwarf_siblingof(member, member));
	return false;
}

static enum memphis_holder_rank descriptor_rank(Dwarf_Die *type, uint64_t offset)
{
	Dwarf_Attribute attribute;

	if (offset)
		return MEMPHIS_HOLDER_OTHER;
	return dwarf_attr(type, DW_AT_allocated, &attribute) ? MEMPHIS_HOLDER_ALLOCATABLE
							     : MEMPHIS_HOLDER_POINTER_ARRAY;
}

/*
 * What containers of the standard library and polymorphic variables of Fortran are made of is not their users' matter.
 */
static bool is_hidden(const char *name, bool fortran)
{
	return !name || !strncmp(name, "_M_", 3) || !strncmp(name, "__", 2) || (fortran && *name == '_');
}

/* Which indices a way shows. */
enum indices {
	NO_INDICES,        /* [] */
	STRUCTURE_INDICES, /* of structures, in arrays that are not too long */
	ALL_INDICES
};

/* Somewhere in a variable. */
struct spot {
	Dwarf_Die type;
	uint64_t offset; /* in what is of this type */
	bool fortran;
	enum indices indices;
	struct memphis_text *path;   /* the way so far */
	struct memphis_text *member; /* the same without indices, or NULL */
};

static bool step_into_array(struct spot *spot)
{
	struct shape shape;
	Dwarf_Die next;
	uint64_t bytes;

	if (!memphis_type_of(&spot->type, &next))
		return false;
	bytes = memphis_type_size(&next, spot->fortran);
	if (!bytes)
		return false;
	shape_of(&spot->type, spot->fortran, &shape);
	if (spot->indices == ALL_INDICES || (spot->indices == STRUCTURE_INDICES && is_structure(&next) &&
					     shape.count && shape.count <= INDEXED_MAX))
		put_indices(&shape, spot->fortran, spot->offset / bytes, spot->path);
	else
		memphis_text_put(spot->path, spot->fortran ? "()" : "[]");
	spot->offset %= bytes;
	spot->type = next;
	return true;
}

static bool step_into_structure(struct spot *spot)
{
	const char *separator = spot->fortran ? "%" : ".", *name;
	Dwarf_Die member, next;

	if (!member_at(&spot->type, spot->fortran, &spot->offset, &member, &next))
		return false;
	name = dwarf_tag(&member) == DW_TAG_member ? dwarf_diename(&member) : NULL;
	if (!is_hidden(name, spot->fortran)) {
		memphis_text_print(spot->path, "%s%s", separator, name);
		if (spot->member)
			memphis_text_print(spot->member, "%s%s", separator, name);
	}
	spot->type = next;
	return true;
}

/* Steps into one level: array element or member. False when there is nothing to step into. */
static bool step_into(struct spot *spot)
{
	if (is_descriptor(&spot->type))
		return false;
	if (dwarf_tag(&spot->type) == DW_TAG_array_type)
		return step_into_array(spot);
	return is_structure(&spot->type) && step_into_structure(spot);
}

static enum memphis_holder_rank holder_at(struct spot *spot, Dwarf_Die *element)
{
	enum memphis_holder_rank rank;
	bool in_array = false;
	Dwarf_Die target;
	int depth;

	target.addr = NULL;
	if (!element)
		element = &target;
	element->addr = NULL;
	for (depth = 0; depth < TYPE_DEPTH_MAX; depth++) {
		if (is_descriptor(&spot->type)) {
			rank = descriptor_rank(&spot->type, spot->offset);
			if (!memphis_type_of(&spot->type, element))
				element->addr = NULL;
			return rank;
		}
		switch (dwarf_tag(&spot->type)) {
		case DW_TAG_pointer_type:
		case DW_TAG_reference_type:
		case DW_TAG_rvalue_reference_type:
			if (spot->offset)
				return MEMPHIS_HOLDER_OTHER;
			if (memphis_type_of(&spot->type, element))
				return MEMPHIS_HOLDER_POINTER;
			element->addr = NULL;
			/* A table of void pointers is some registry, and names nothing. */
			return in_array ? MEMPHIS_HOLDER_SYMBOL : MEMPHIS_HOLDER_POINTER;
		}
		in_array |= dwarf_tag(&spot->type) == DW_TAG_array_type;
		if (!step_into(spot))
			break;
	}
	return MEMPHIS_HOLDER_OTHER;
}

enum memphis_holder_rank memphis_type_holder(Dwarf_Die *variable, uint64_t offset, bool fortran, bool indexed,
					     struct memphis_text *path, Dwarf_Die *element)
{
	struct spot spot = {.offset = offset,
			    .fortran = fortran,
			    .indices = indexed ? STRUCTURE_INDICES : NO_INDICES,
			    .path = path};

	if (element)
		element->addr = NULL;
	if (!memphis_type_of(variable, &spot.type))
		return MEMPHIS_HOLDER_SYMBOL;
	return holder_at(&spot, element);
}

enum memphis_holder_rank memphis_type_holder_of(Dwarf_Die *type, bool fortran, struct memphis_text *path,
						Dwarf_Die *element)
{
	struct spot spot = {.type = *type, .fortran = fortran, .indices = NO_INDICES, .path = path};

	return holder_at(&spot, element);
}

enum memphis_holder_rank memphis_type_holder_in(Dwarf_Die *type, uint64_t offset, bool fortran,
						struct memphis_text *path, Dwarf_Die *element)
{
	struct spot spot = {.type = *type, .fortran = fortran, .indices = NO_INDICES, .path = path};
	uint64_t bytes = memphis_type_size(type, fortran);

	if (element)
		element->addr = NULL;
	if (!bytes)
		return MEMPHIS_HOLDER_OTHER;
	spot.offset = offset % bytes;
	return holder_at(&spot, element);
}

/* The text without the separator in front. */
static char *take_text(struct memphis_text *text)
{
	char *taken;

	if (text->failed)
		return NULL;
	taken = strdup(text->text + strspn(text->text, ".%"));
	memphis_text_close(text);
	return taken;
}

int memphis_type_member(Dwarf_Die *type, bool fortran, bool block, uint64_t offset,
			struct memphis_field *field)
{
	struct memphis_text path = {0}, member = {0};
	struct spot spot = {
		.type = *type, .fortran = fortran, .indices = ALL_INDICES, .path = &path, .member = &member};
	struct shape shape;
	int depth = 0;

	memset(field, 0, sizeof(*field));
	field->element_count = !block;
	if (!block && dwarf_tag(type) == DW_TAG_array_type && !is_descriptor(type)) {
		shape_of(type, fortran, &shape);
		field->element_count = shape.count;
		if (!memphis_type_of(type, &spot.type))
			return -ENOENT;
	}
	field->element_bytes = memphis_type_size(&spot.type, fortran);
	if (!field->element_bytes)
		return -ENOENT;
	field->element = offset / field->element_bytes;
	if (field->element_count && field->element >= field->element_count)
		return -ENOENT;
	spot.offset = offset % field->element_bytes;
	memphis_text_put(&path, "");
	memphis_text_put(&member, "");
	while (depth++ < TYPE_DEPTH_MAX && step_into(&spot))
		;
	field->member_offset = offset % field->element_bytes - spot.offset;
	field->member_bytes = memphis_type_size(&spot.type, fortran);
	field->path = take_text(&path);
	field->member = take_text(&member);
	if (field->path && field->member)
		return 0;
	memphis_text_close(&path);
	memphis_text_close(&member);
	memphis_field_close(field);
	return -ENOMEM;
}

void memphis_field_close(struct memphis_field *field)
{
	free(field->path);
	free(field->member);
	memset(field, 0, sizeof(*field));
}
