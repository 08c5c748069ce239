// SPDX-License-Identifier: BSD-3-Clause
/* Finds the size of a variable, and the member or element at an offset, from DWARF types. */
#include "dwarf/type/types.h"

#include <dwarf.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "dwarf/type/definitions.h"
#include "dwarf/type/die.h"

/* Stand-ins: types that a compiler writes instead of types that its debug information cannot describe. */

static const struct {
	const char *compiler;   /* text before the version number in DW_AT_producer */
	unsigned long versions; /* major versions below this one write the stand-in */
	const char *type;       /* name of the stand-in, a base type */
	int bytes;              /* size of the stand-in */
} stand_ins[] = {
	/*
	 * LLVM's flang writes a stand-in for derived types. This is tested for version 19. Version 22 writes
	 * none. The versions between them are not tested.
	 */
	{"flang version ", 22, "integer", 4},
};

/* Returns true if the type may be a stand-in for a type of another size. */
static bool is_stand_in(Dwarf_Die *type)
{
	const char *name = dwarf_tag(type) == DW_TAG_base_type ? dwarf_diename(type) : NULL, *producer, *at;
	Dwarf_Attribute attribute;
	Dwarf_Die unit;
	size_t i;

	for (i = 0; name && i < sizeof(stand_ins) / sizeof(*stand_ins); i++) {
		if (strcmp(name, stand_ins[i].type) || dwarf_bytesize(type) != stand_ins[i].bytes ||
		    !dwarf_diecu(type, &unit, NULL, NULL))
			continue;
		producer = dwarf_formstring(dwarf_attr(&unit, DW_AT_producer, &attribute));
		at = producer ? strstr(producer, stand_ins[i].compiler) : NULL;
		if (at && strtoul(at + strlen(stand_ins[i].compiler), NULL, 10) < stand_ins[i].versions)
			return true;
	}
	return false;
}

/*
 * ---- array descriptors: each compiler has its own format, which is recognized by the DWARF expressions for
 * the bounds ----
 */

#define ADDRESS_BYTES   8
#define DIMENSION_BYTES 24 /* three words: lower bound, stride, and upper bound or extent */
#define NOT_READ        UINT64_MAX

/* Format of a descriptor: a header, followed by three words for each dimension. */
struct format {
	/* Offsets of two words of the first dimension: the lower bound, and the upper bound or extent. */
	uint64_t lower, end;
	uint64_t header_bytes;
	/* Size of the part after the dimensions. Only descriptors of arrays of a derived type have it. */
	uint64_t derived_bytes;
};

static const struct format formats[] = {
	/* gfortran 8 and later: libgfortran.h */
	{48, 56, 40, 0},
	/* LLVM's flang: ISO_Fortran_binding.h, and for derived types the addendum of runtime/descriptor.h */
	{24, 32, 24, 16},
	/* ifx, not tested: "Handling Fortran Array Descriptors" in Intel's developer guide */
	{64, 48, 48, 0},
};

/* Returns the offset of the first word in the descriptor that the expression of the attribute reads, or NOT_READ. */
static uint64_t first_offset_read(Dwarf_Die *dimension, unsigned int name)
{
	Dwarf_Attribute attribute;
	size_t count, i;
	Dwarf_Op *ops;

	if (!dwarf_attr(dimension, name, &attribute) || dwarf_getlocation(&attribute, &ops, &count))
		return NOT_READ;
	for (i = 0; i + 1 < count; i++)
		if (ops[i].atom == DW_OP_push_object_address && ops[i + 1].atom == DW_OP_plus_uconst)
			return ops[i + 1].number;
	return NOT_READ;
}

static const struct format *descriptor_format(Dwarf_Die *dimension)
{
	uint64_t lower = first_offset_read(dimension, DW_AT_lower_bound),
		 end = first_offset_read(dimension, DW_AT_upper_bound);
	const struct format *format;
	size_t i;

	if (end == NOT_READ)
		end = first_offset_read(dimension, DW_AT_count);
	if (lower == NOT_READ && end == NOT_READ)
		return NULL;
	for (i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
		format = &formats[i];
		if ((lower == NOT_READ || lower == format->lower) && (end == NOT_READ || end == format->end))
			return format;
	}
	return NULL;
}

/*
 * Returns the size of the descriptor. If its format is unknown, returns the size of its first word, which is
 * the address of the array. `derived` is true if the elements are of a derived type.
 */
static uint64_t descriptor_bytes(Dwarf_Die *type, bool derived)
{
	const struct format *format = NULL;
	Dwarf_Die child;
	uint64_t dimensions = 0;

	if (dwarf_child(type, &child))
		return ADDRESS_BYTES;
	do {
		if (dwarf_tag(&child) != DW_TAG_subrange_type)
			continue;
		if (!dimensions)
			format = descriptor_format(&child);
		dimensions++;
	} while (!dwarf_siblingof(&child, &child));
	if (!format)
		return ADDRESS_BYTES;
	return format->header_bytes + DIMENSION_BYTES * dimensions + (derived ? format->derived_bytes : 0);
}

/* Names of the members of a union, or of bit-fields, that share a byte. */

#define MEMPHIS_SHARING_MAX 8 /* maximum number of members that a name lists */

struct member_names {
	char *list[MEMPHIS_SHARING_MAX];
	size_t count;
	bool more; /* some members are not listed, because they are hidden or exceed MEMPHIS_SHARING_MAX */
	bool failed;
};

static void close_member_names(struct member_names *names)
{
	while (names->count)
		free(names->list[--names->count]);
	names->more = false;
}

/* Adds a name unless the list has it, and takes ownership of it. Members that differ only in hidden parts have the same name. */
static void add_member_name(struct member_names *names, struct memphis_text *name)
{
	size_t i;

	names->failed |= name->failed;
	if (!name->failed && name->bytes) {
		for (i = 0; i < names->count && strcmp(names->list[i], name->text) != 0; i++)
			;
		if (i == names->count && i < MEMPHIS_SHARING_MAX) {
			names->list[names->count++] = name->text;
			memset(name, 0, sizeof(*name));
		}
	} else {
		names->more = true;
	}
	memphis_text_close(name);
}

/* Appends a single name unchanged, and several names as ".{first|second}". Adds "..." if some are not listed. */
static void append_member_names(struct memphis_text *text, const struct member_names *names,
				const char *separator)
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

/* Releases the description of an element. */

void memphis_field_close(struct memphis_field *field)
{
	free(field->path);
	free(field->member);
	memset(field, 0, sizeof(*field));
}

#define TYPE_DEPTH_MAX 32
/* Maximum size of an array of structures whose elements are shown as separate variables. */
#define INDEXED_MAX 256

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
	return memphis_type_declared(die, type) && memphis_type_plain(type, type);
}

/*
 * Returns true if array types are nested without end. In damaged DWARF, an array may be its own element type.
 * libdw (0.188, dwarf_aggregate_size) would recurse forever.
 */
static bool is_nested_without_end(const Dwarf_Die *type)
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

	if (memphis_die_is_descriptor(type))
		return descriptor_bytes(type, memphis_type_of(type, &element) &&
						      dwarf_tag(&element) == DW_TAG_structure_type);
	if (is_nested_without_end(type))
		return 0;
	if (!dwarf_aggregate_size(type, &bytes))
		return bytes;
	/* Units that dwz shares have no language. Therefore, libdw does not know the default lower bound of their arrays. */
	if (dwarf_tag(type) != DW_TAG_array_type || !memphis_type_of(type, &element))
		return 0;
	memphis_shape_read(type, fortran, &shape);
	return __builtin_mul_overflow(shape.count, memphis_type_size(&element, fortran), &total) ? 0 : total;
}

uint64_t memphis_type_bytes(Dwarf_Die *variable, bool fortran)
{
	Dwarf_Die type;

	return memphis_type_of(variable, &type) ? memphis_type_size(&type, fortran) : 0;
}

/* Cache of empty types. Each is examined only once, even if many other types contain it. */
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

/* Returns true if the type is a structure without data. Only empty types are cached, because any other type ends the search. */
static bool has_no_data(Dwarf_Die *type, unsigned int depth, struct empty_types *known)
{
	Dwarf_Die member, part;
	const void **kept;

	if (!memphis_die_is_structure(type) || depth == TYPE_DEPTH_MAX ||
	    dwarf_hasattr(type, DW_AT_declaration))
		return false;
	if (is_known_empty(known, type))
		return true;
	if (!dwarf_child(type, &member)) {
		do {
			if (memphis_die_is_part(&member) && memphis_type_of(&member, &part) &&
			    !has_no_data(&part, depth + 1, known))
				return false;
		} while (!dwarf_siblingof(&member, &member));
	}
	kept = memphis_append(known->list, known->count, known->room);
	if (kept)
		*kept = type->addr;
	return true;
}

/* Returns true if the type has no data, like many allocators. Another member may then have the same address. */
static bool is_empty_type(Dwarf_Die *type)
{
	struct empty_types known = {0};
	bool empty = has_no_data(type, 0, &known);

	free(known.list);
	return empty;
}

/* Finds the offset and size of a member. Returns false if they are missing or computed at run time. */
static bool find_member_place(Dwarf_Die *member, Dwarf_Die *type, bool fortran, uint64_t *place,
			      uint64_t *bytes)
{
	Dwarf_Attribute attribute;
	int64_t size, from_top, from_low, unit;
	Dwarf_Word at = 0, bits;

	*bytes = memphis_type_size(type, fortran);
	if (dwarf_attr(member, DW_AT_data_bit_offset, &attribute)) {
		/* A bit-field covers all bytes that it overlaps. */
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
	/* DWARF before version 5 counts bits from the most significant end, even on little-endian CPUs. */
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

bool memphis_type_part(Dwarf_Die *member, Dwarf_Die *type, bool fortran, uint64_t *place, uint64_t *bytes)
{
	return memphis_die_is_part(member) && memphis_type_of(member, type) &&
	       find_member_place(member, type, fortran, place, bytes) && !is_empty_type(type);
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
 * Returns true if access paths omit the member. These are the internals of C++ containers and of Fortran's
 * polymorphic variables.
 */
static bool is_hidden_member(const char *name, bool fortran)
{
	return !name || !strncmp(name, "_M_", 3) || !strncmp(name, "__", 2) || (fortran && *name == '_');
}

/* Which array indices an access path contains. */
enum indices {
	NO_INDICES,        /* all indices are written as "[]" or "()" */
	STRUCTURE_INDICES, /* only indices in arrays of structures with at most INDEXED_MAX elements */
	ALL_INDICES
};

/* Position of the descent from a variable to its innermost member. */
struct cursor {
	Dwarf_Die type;
	uint64_t offset; /* offset within `type` */
	bool fortran;
	enum indices indices;
	bool holder;        /* accept only words that may point to a block */
	bool in_array;      /* the path leads through an array */
	unsigned int depth; /* levels of arrays and structures entered so far */
	/* Number of further members that may be entered where several members share a byte. */
	unsigned int *left;
	struct memphis_text *path;   /* access path so far */
	struct memphis_text *member; /* `path` without indices, or NULL */
};

/* The end of an access path: a type without parts, or a word that may point to a block. */
struct leaf {
	uint64_t begin, end; /* offsets in the type at which the path begins */
	enum memphis_pointer_rank rank;
	Dwarf_Die element; /* type to which the word points; addr is NULL if it is unknown */
	/* Type of the array to which a descriptor points. addr is NULL if the word is no descriptor. */
	Dwarf_Die array;
	bool ambiguous; /* several types are possible, so `element` is unknown */
	bool padding;   /* the byte is structure padding */
};

static bool step_into_array(struct cursor *cursor)
{
	struct memphis_shape shape;
	Dwarf_Die next;
	uint64_t bytes;

	if (!memphis_type_of(&cursor->type, &next))
		return false;
	bytes = memphis_type_size(&next, cursor->fortran);
	if (!bytes)
		return false;
	memphis_shape_read(&cursor->type, cursor->fortran, &shape);
	if (cursor->indices == ALL_INDICES ||
	    (cursor->indices == STRUCTURE_INDICES && memphis_die_is_structure(&next) && shape.count &&
	     shape.count <= INDEXED_MAX))
		memphis_shape_put_indices(&shape, cursor->fortran, cursor->offset / bytes, cursor->path);
	else
		memphis_text_put(cursor->path, cursor->fortran ? "()" : "[]");
	cursor->offset %= bytes;
	cursor->type = next;
	cursor->in_array = true;
	return true;
}

bool memphis_type_pointed_to(Dwarf_Die *type, Dwarf_Die *element)
{
	if (memphis_type_of(type, element) && !is_stand_in(element))
		return true;
	element->addr = NULL;
	return false;
}

static enum memphis_pointer_rank pointer_rank(struct cursor *cursor, Dwarf_Die *element)
{
	Dwarf_Die type;

	if (memphis_die_is_descriptor(&cursor->type)) {
		memphis_type_pointed_to(&cursor->type, element);
		return descriptor_rank(&cursor->type, cursor->offset);
	}
	if (!memphis_die_is_pointer(&cursor->type) || cursor->offset)
		return MEMPHIS_POINTER_OTHER;
	if (memphis_type_pointed_to(&cursor->type, element) || memphis_type_of(&cursor->type, &type))
		return MEMPHIS_POINTER_SCALAR;
	/* Elements of an array of void pointers do not make good names for blocks. */
	return cursor->in_array ? MEMPHIS_POINTER_SYMBOL : MEMPHIS_POINTER_SCALAR;
}

static void find_leaf(struct cursor *cursor, struct leaf *leaf);

/* Enters a member and descends to its innermost part. */
static void enter_member(const struct cursor *cursor, Dwarf_Die *member, const Dwarf_Die *type,
			 uint64_t place, struct memphis_text *path, struct memphis_text *without,
			 struct leaf *leaf)
{
	const char *name = dwarf_tag(member) == DW_TAG_member ? dwarf_diename(member) : NULL;
	struct cursor next = *cursor;

	next.type = *type;
	next.offset -= place;
	next.depth++;
	next.path = path;
	next.member = cursor->member ? without : NULL;
	memphis_text_put(path, "");
	memphis_text_put(without, "");
	if (!is_hidden_member(name, cursor->fortran)) {
		memphis_text_print(path, "%s%s", cursor->fortran ? "%" : ".", name);
		memphis_text_print(without, "%s%s", cursor->fortran ? "%" : ".", name);
	}
	find_leaf(&next, leaf);
	leaf->begin += place;
	leaf->end += place;
}

/*
 * Reduces `leaf` to what both members have in common: the range of bytes, and the type to which they point. A
 * void pointer is compatible with any type. If the types differ, the type becomes unknown.
 */
static void reduce_to_common(struct leaf *leaf, const struct leaf *other)
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
	leaf->array.addr = NULL;
}

/*
 * Compares two leaves like strcmp(). A result below 0 means that `one` is better. A member is better than
 * padding: a class may have members in the padding of its base class.
 */
static int compare_leaves(const struct leaf *one, const struct leaf *other, bool holder)
{
	if (one->padding != other->padding)
		return one->padding ? 1 : -1;
	return holder ? (int)one->rank - (int)other->rank : 0;
}

/*
 * Enters each member of the structure that contains the byte. There may be several in a union or with
 * bit-fields. In a search for pointers, keeps only the members with the best rank. Returns false if no member
 * contains the byte.
 */
static bool enter_structure(struct cursor *cursor, struct leaf *leaf)
{
	const char *separator = cursor->fortran ? "%{" : ".{";
	struct member_names paths = {.count = 0}, members = {.count = 0};
	bool found = false;
	uint64_t place, bytes;
	Dwarf_Die member, type;
	struct leaf one;
	int order;

	if (dwarf_child(&cursor->type, &member))
		return false;
	do {
		struct memphis_text path = {0}, without = {0};

		if (!memphis_type_part(&member, &type, cursor->fortran, &place, &bytes) ||
		    cursor->offset < place || cursor->offset - place >= bytes)
			continue;
		if (found && !*cursor->left) {
			paths.more = members.more = true;
			break;
		}
		*cursor->left -= found;
		enter_member(cursor, &member, &type, place, &path, &without, &one);
		order = found ? compare_leaves(&one, leaf, cursor->holder) : -1;
		if (order > 0) {
			memphis_text_close(&path);
			memphis_text_close(&without);
			continue;
		}
		if (!order) {
			reduce_to_common(leaf, &one);
		} else {
			close_member_names(&paths);
			close_member_names(&members);
			*leaf = one;
		}
		found = true;
		add_member_name(&paths, &path);
		add_member_name(&members, &without);
	} while (!dwarf_siblingof(&member, &member));
	append_member_names(cursor->path, &paths, separator);
	if (cursor->member)
		append_member_names(cursor->member, &members, separator);
	close_member_names(&paths);
	close_member_names(&members);
	return found;
}

/* Descends from the cursor to the innermost array element or member. */
static void find_leaf(struct cursor *cursor, struct leaf *leaf)
{
	uint64_t begin = cursor->offset, bytes;
	bool padding = false;

	while (cursor->depth < TYPE_DEPTH_MAX && !memphis_die_is_descriptor(&cursor->type)) {
		if (dwarf_tag(&cursor->type) != DW_TAG_array_type) {
			if (!memphis_die_is_structure(&cursor->type))
				break;
			if (!enter_structure(cursor, leaf)) {
				padding = dwarf_haschildren(&cursor->type) > 0;
				break;
			}
			leaf->begin += begin - cursor->offset;
			leaf->end += begin - cursor->offset;
			return;
		}
		if (!step_into_array(cursor))
			break;
		cursor->depth++;
	}
	bytes = memphis_type_size(&cursor->type, cursor->fortran);
	memset(leaf, 0, sizeof(*leaf));
	leaf->begin = begin - cursor->offset;
	leaf->end = leaf->begin + bytes;
	leaf->rank = pointer_rank(cursor, &leaf->element);
	if (leaf->element.addr && memphis_die_is_descriptor(&cursor->type))
		leaf->array = cursor->type;
	leaf->padding = padding;
}

static enum memphis_pointer_rank find_pointer(const Dwarf_Die *type, uint64_t offset, bool fortran,
					      enum indices indices, struct memphis_text *path,
					      Dwarf_Die *element, Dwarf_Die *array)
{
	unsigned int left = MEMPHIS_SHARING_MAX - 1;
	struct cursor cursor = {.type = *type,
				.offset = offset,
				.fortran = fortran,
				.indices = indices,
				.holder = true,
				.left = &left,
				.path = path};
	struct leaf leaf;

	find_leaf(&cursor, &leaf);
	*element = leaf.element;
	if (array)
		*array = leaf.array;
	return leaf.rank;
}

enum memphis_pointer_rank memphis_type_pointer_at(Dwarf_Die *variable, uint64_t offset, bool fortran,
						  bool indexed, struct memphis_text *path, Dwarf_Die *element,
						  Dwarf_Die *array)
{
	Dwarf_Die type;

	if (!memphis_type_of(variable, &type))
		return MEMPHIS_POINTER_SYMBOL;
	return find_pointer(&type, offset, fortran, indexed ? STRUCTURE_INDICES : NO_INDICES, path, element,
			    array);
}

enum memphis_pointer_rank memphis_type_pointer_of(Dwarf_Die *type, bool fortran, struct memphis_text *path,
						  Dwarf_Die *element)
{
	return find_pointer(type, 0, fortran, NO_INDICES, path, element, NULL);
}

enum memphis_pointer_rank memphis_type_pointer_in(Dwarf_Die *type, uint64_t offset, bool fortran,
						  struct memphis_text *path, Dwarf_Die *element,
						  Dwarf_Die *array)
{
	uint64_t bytes = memphis_type_size(type, fortran);

	return bytes ? find_pointer(type, offset % bytes, fortran, NO_INDICES, path, element, array)
		     : MEMPHIS_POINTER_OTHER;
}

/* Returns a malloc'ed copy of the text without its leading separator, and frees the text. */
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
	unsigned int left = MEMPHIS_SHARING_MAX - 1;
	struct cursor cursor = {.type = *type,
				.fortran = fortran,
				.indices = ALL_INDICES,
				.left = &left,
				.path = &path,
				.member = &member};
	struct leaf leaf;

	memset(field, 0, sizeof(*field));
	field->fortran = fortran;
	field->shape.rank = block && !fortran;
	field->element_count = !block;
	if (!block && dwarf_tag(type) == DW_TAG_array_type && !memphis_die_is_descriptor(type)) {
		memphis_shape_read(type, fortran, &field->shape);
		field->element_count = field->shape.count;
		if (!memphis_type_of(type, &cursor.type))
			return -ENOENT;
	}
	field->element_bytes = is_stand_in(&cursor.type) ? 0 : memphis_type_size(&cursor.type, fortran);
	if (!field->element_bytes)
		return -ENOENT;
	field->element = offset / field->element_bytes;
	if (field->element_count && field->element >= field->element_count)
		return -ENOENT;
	cursor.offset = offset % field->element_bytes;
	memphis_text_put(&path, "");
	memphis_text_put(&member, "");
	find_leaf(&cursor, &leaf);
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

bool memphis_type_has_open_end(Dwarf_Die *type)
{
	Dwarf_Die member, part;
	uint64_t place, bytes;

	if (dwarf_child(type, &member))
		return false;
	do {
		if (dwarf_tag(&member) == DW_TAG_member &&
		    memphis_type_part(&member, &part, false, &place, &bytes) && !bytes &&
		    dwarf_tag(&part) == DW_TAG_array_type)
			return true;
	} while (!dwarf_siblingof(&member, &member));
	return false;
}
