// SPDX-License-Identifier: BSD-3-Clause
/* Questions to DWARF types: how large a variable is, and what stands at an offset in it. */
#include "dwarf/types.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "dwarf/shape.h"

#define TYPE_DEPTH_MAX 32
#define SHARING_MAX    8   /* members of a union that are named */
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
	struct memphis_shape shape;
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
	memphis_shape_of(type, fortran, &shape);
	return __builtin_mul_overflow(shape.count, memphis_type_size(&element, fortran), &total) ? 0 : total;
}

uint64_t memphis_type_bytes(Dwarf_Die *variable, bool fortran)
{
	Dwarf_Die type;

	return memphis_type_of(variable, &type) ? memphis_type_size(&type, fortran) : 0;
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
	if (memphis_die_number(member, DW_AT_bit_size, &size) &&
	    memphis_die_number(member, DW_AT_bit_offset, &from_top)) {
		if (!memphis_die_number(member, DW_AT_byte_size, &unit))
			unit = (int64_t)*bytes;
		if (size <= 0 || unit < 0 || unit > 64 || from_top > unit * 8 - size || from_top < -512)
			return false;
		from_low = unit * 8 - from_top - size;
		*place += (uint64_t)from_low / 8;
		*bytes = (uint64_t)(from_low % 8 + size + 7) / 8;
	}
	return true;
}

static enum memphis_pointer_rank descriptor_rank(Dwarf_Die *type, uint64_t offset)
{
	Dwarf_Attribute attribute;

	if (offset)
		return MEMPHIS_POINTER_OTHER;
	return dwarf_attr(type, DW_AT_allocated, &attribute) ? MEMPHIS_POINTER_ALLOCATABLE
							     : MEMPHIS_POINTER_ARRAY;
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
	bool holder;               /* a word that may hold a block is sought, not just any member */
	bool in_array;             /* the way leads through an array */
	unsigned int depth;        /* levels of arrays and structures above */
	unsigned int *left;        /* how many more members may be stepped into where several share a byte */
	struct memphis_text *path; /* the way so far */
	struct memphis_text *member; /* the same without indices, or NULL */
};

/* The end of a way: a type without parts, or a word that may hold a block. */
struct leaf {
	uint64_t begin, end; /* offsets in the type where the way began */
	enum memphis_pointer_rank rank;
	Dwarf_Die element; /* what the word points to; addr NULL: not known */
	bool ambiguous;    /* it is one of several types, so `element` is not known */
	bool padding;      /* a structure that has no member there */
};

/* Names of members that share a byte. */
struct names {
	char *list[SHARING_MAX];
	size_t count;
	bool more; /* others, which are hidden or too many */
	bool failed;
};

static void close_names(struct names *names)
{
	while (names->count)
		free(names->list[--names->count]);
	names->more = false;
}

/* Takes over the text. Equal names, of members that differ in hidden parts only, are one. */
static void add_name(struct names *names, struct memphis_text *name)
{
	size_t i;

	names->failed |= name->failed;
	if (!name->failed && name->bytes) {
		for (i = 0; i < names->count && strcmp(names->list[i], name->text) != 0; i++)
			;
		if (i == names->count && i < SHARING_MAX) {
			names->list[names->count++] = name->text;
			memset(name, 0, sizeof(*name));
		}
	} else {
		names->more = true;
	}
	memphis_text_close(name);
}

/* One name as it is, several as ".{first|second}", with "..." for others. */
static void put_names(struct memphis_text *text, const struct names *names, const char *separator)
{
	bool alone = names->count == 1 && !names->more;
	size_t i;

	text->failed |= names->failed;
	if (alone)
		memphis_text_put(text, names->list[0]);
	if (alone || !names->count)
		return;
	for (i = 0; i < names->count; i++)
		memphis_text_print(text, "%s%s", i ? "|" : separator,
				   names->list[i] + strspn(names->list[i], ".%"));
	memphis_text_put(text, names->more ? "|...}" : "}");
}

static bool step_into_array(struct spot *spot)
{
	struct memphis_shape shape;
	Dwarf_Die next;
	uint64_t bytes;

	if (!memphis_type_of(&spot->type, &next))
		return false;
	bytes = memphis_type_size(&next, spot->fortran);
	if (!bytes)
		return false;
	memphis_shape_of(&spot->type, spot->fortran, &shape);
	if (spot->indices == ALL_INDICES || (spot->indices == STRUCTURE_INDICES && is_structure(&next) &&
					     shape.count && shape.count <= INDEXED_MAX))
		memphis_shape_put_indices(&shape, spot->fortran, spot->offset / bytes, spot->path);
	else
		memphis_text_put(spot->path, spot->fortran ? "()" : "[]");
	spot->offset %= bytes;
	spot->type = next;
	spot->in_array = true;
	return true;
}

static enum memphis_pointer_rank rank_of(struct spot *spot, Dwarf_Die *element)
{
	if (is_descriptor(&spot->type)) {
		if (!memphis_type_of(&spot->type, element))
			element->addr = NULL;
		return descriptor_rank(&spot->type, spot->offset);
	}
	switch (dwarf_tag(&spot->type)) {
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
		if (spot->offset)
			return MEMPHIS_POINTER_OTHER;
		if (memphis_type_of(&spot->type, element))
			return MEMPHIS_POINTER_SCALAR;
		element->addr = NULL;
		/* A table of void pointers names nothing. */
		return spot->in_array ? MEMPHIS_POINTER_SYMBOL : MEMPHIS_POINTER_SCALAR;
	}
	return MEMPHIS_POINTER_OTHER;
}

static void descend(struct spot *spot, struct leaf *leaf);

/* Steps into a member, and on to its innermost part. */
static void descend_into(const struct spot *spot, Dwarf_Die *member, const Dwarf_Die *type, uint64_t place,
			 struct memphis_text *path, struct memphis_text *without, struct leaf *leaf)
{
	const char *name = dwarf_tag(member) == DW_TAG_member ? dwarf_diename(member) : NULL;
	struct spot next = *spot;

	next.type = *type;
	next.offset -= place;
	next.depth++;
	next.path = path;
	next.member = spot->member ? without : NULL;
	memphis_text_put(path, "");
	memphis_text_put(without, "");
	if (!is_hidden(name, spot->fortran)) {
		memphis_text_print(path, "%s%s", spot->fortran ? "%" : ".", name);
		memphis_text_print(without, "%s%s", spot->fortran ? "%" : ".", name);
	}
	descend(&next, leaf);
	leaf->begin += place;
	leaf->end += place;
}

/*
 * Reduces `leaf` to what both members have in common: the bytes that they share, and the type that they point to. A void *
 * does not contradict a typed pointer; two different types leave none.
 */
static void narrow(struct leaf *leaf, const struct leaf *other)
{
	if (other->begin > leaf->begin)
		leaf->begin = other->begin;
	if (other->end < leaf->end)
		leaf->end = other->end;
	leaf->ambiguous |= other->ambiguous || (leaf->element.addr && other->element.addr &&
						leaf->element.addr != other->element.addr);
	if (!leaf->element.addr)
		leaf->element = other->element;
	if (leaf->ambiguous)
		leaf->element.addr = NULL;
}

/* Below 0: `one` is the better answer; above 0: `other` is. A class may have its own members in its base's padding. */
static int compare_leaves(const struct leaf *one, const struct leaf *other, bool holder)
{
	if (one->padding != other->padding)
		return one->padding ? 1 : -1;
	return holder ? (int)one->rank - (int)other->rank : 0;
}

/*
 * Steps into each member of the structure that has the byte: of unions, and of bit-fields, there may be several. Of words
 * that may hold a block, those of the best rank count. False: none has it.
 */
static bool descend_structure(struct spot *spot, struct leaf *leaf)
{
	const char *separator = spot->fortran ? "%{" : ".{";
	struct names paths = {.count = 0}, members = {.count = 0};
	bool found = false;
	uint64_t place, bytes;
	Dwarf_Die member, type;
	struct leaf one;
	int order;

	if (dwarf_child(&spot->type, &member))
		return false;
	do {
		struct memphis_text path = {0}, without = {0};

		if (!is_part(&member, &type) ||
		    !member_place(&member, &type, spot->fortran, &place, &bytes) || spot->offset < place ||
		    spot->offset - place >= bytes || is_empty(&type))
			continue;
		if (found && !*spot->left) {
			paths.more = members.more = true;
			break;
		}
		*spot->left -= found;
		descend_into(spot, &member, &type, place, &path, &without, &one);
		order = found ? compare_leaves(&one, leaf, spot->holder) : -1;
		if (order > 0) {
			memphis_text_close(&path);
			memphis_text_close(&without);
			continue;
		}
		if (!order) {
			narrow(leaf, &one);
		} else {
			close_names(&paths);
			close_names(&members);
			*leaf = one;
		}
		found = true;
		add_name(&paths, &path);
		add_name(&members, &without);
	} while (!dwarf_siblingof(&member, &member));
	put_names(spot->path, &paths, separator);
	if (spot->member)
		put_names(spot->member, &members, separator);
	close_names(&paths);
	close_names(&members);
	return found;
}

/* From the spot down to the innermost array element or member. */
static void descend(struct spot *spot, struct leaf *leaf)
{
	uint64_t begin = spot->offset, bytes;
	bool padding = false;

	while (spot->depth < TYPE_DEPTH_MAX && !is_descriptor(&spot->type)) {
		if (dwarf_tag(&spot->type) != DW_TAG_array_type) {
			if (!is_structure(&spot->type))
				break;
			if (!descend_structure(spot, leaf)) {
				padding = dwarf_haschildren(&spot->type) > 0;
				break;
			}
			leaf->begin += begin - spot->offset;
			leaf->end += begin - spot->offset;
			return;
		}
		if (!step_into_array(spot))
			break;
		spot->depth++;
	}
	bytes = memphis_type_size(&spot->type, spot->fortran);
	memset(leaf, 0, sizeof(*leaf));
	leaf->begin = begin - spot->offset;
	leaf->end = leaf->begin + bytes;
	leaf->rank = rank_of(spot, &leaf->element);
	leaf->padding = padding;
}

static enum memphis_pointer_rank holder_at(const Dwarf_Die *type, uint64_t offset, bool fortran,
					   enum indices indices, struct memphis_text *path,
					   Dwarf_Die *element)
{
	unsigned int left = SHARING_MAX - 1;
	struct spot spot = {.type = *type,
			    .offset = offset,
			    .fortran = fortran,
			    .indices = indices,
			    .holder = true,
			    .left = &left,
			    .path = path};
	struct leaf leaf;

	descend(&spot, &leaf);
	if (element)
		*element = leaf.element;
	return leaf.rank;
}

enum memphis_pointer_rank memphis_type_pointer_at(Dwarf_Die *variable, uint64_t offset, bool fortran,
						  bool indexed, struct memphis_text *path, Dwarf_Die *element)
{
	Dwarf_Die type;

	if (element)
		element->addr = NULL;
	if (!memphis_type_of(variable, &type))
		return MEMPHIS_POINTER_SYMBOL;
	return holder_at(&type, offset, fortran, indexed ? STRUCTURE_INDICES : NO_INDICES, path, element);
}

enum memphis_pointer_rank memphis_type_pointer_of(Dwarf_Die *type, bool fortran, struct memphis_text *path,
						  Dwarf_Die *element)
{
	return holder_at(type, 0, fortran, NO_INDICES, path, element);
}

enum memphis_pointer_rank memphis_type_pointer_in(Dwarf_Die *type, uint64_t offset, bool fortran,
						  struct memphis_text *path, Dwarf_Die *element)
{
	uint64_t bytes = memphis_type_size(type, fortran);

	if (element)
		element->addr = NULL;
	return bytes ? holder_at(type, offset % bytes, fortran, NO_INDICES, path, element)
		     : MEMPHIS_POINTER_OTHER;
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
	unsigned int left = SHARING_MAX - 1;
	struct spot spot = {.type = *type,
			    .fortran = fortran,
			    .indices = ALL_INDICES,
			    .left = &left,
			    .path = &path,
			    .member = &member};
	struct memphis_shape shape;
	struct leaf leaf;

	memset(field, 0, sizeof(*field));
	field->element_count = !block;
	if (!block && dwarf_tag(type) == DW_TAG_array_type && !is_descriptor(type)) {
		memphis_shape_of(type, fortran, &shape);
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
	descend(&spot, &leaf);
	field->member_offset = leaf.begin;
	field->member_bytes = leaf.end - leaf.begin;
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
