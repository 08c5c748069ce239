// SPDX-License-Identifier: BSD-3-Clause
/* Finds the definitions of types that a unit only declares. Uses an index of the object's types by their qualified names. */
#include "dwarf/type/definitions.h"

#include <dwarf.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/order.h"
#include "base/pool.h"
#include "base/text.h"
#include "base/uthash.h"
#include "dwarf/type/die.h"
#include "dwarf/type/shape.h"

/* ---- comparison of the definitions of a type in different units ---- */

struct definitions;

/*
 * Returns true if two named structures, classes or unions have the same qualified name. Each may be a
 * declaration or a
 * definition.
 */
static bool has_same_name(const struct definitions *object, Dwarf_Die *a, Dwarf_Die *b);

/* Maximum nesting of structures. More deeply nested types are regarded as different. */
#define LAYOUT_DEPTH_MAX 12
/* Maximum number of members to compare, counted each time that they are visited. Larger types are regarded as different. */
#define PARTS_MAX 100000

struct comparison {
	const struct definitions *object;
	unsigned int parts; /* number of compared members */
};

/* Returns true if both types are unions, or both are structures or classes. */
static bool is_same_kind(Dwarf_Die *a, Dwarf_Die *b)
{
	return memphis_die_is_structure(a) && memphis_die_is_structure(b) &&
	       (dwarf_tag(a) == DW_TAG_union_type) == (dwarf_tag(b) == DW_TAG_union_type);
}

static bool is_same_member_name(const char *a, const char *b)
{
	/* The hidden pointer of a class with virtual functions is named "_vptr.C" or "_vptr$C", depending on the compiler. */
	if (a && b && !strncmp(a, "_vptr", 5) && !strncmp(b, "_vptr", 5))
		return true;
	return a && b ? !strcmp(a, b) : a == b;
}

/* Returns true if the attribute has the same constant value in both DIEs, or is missing in both. */
static bool has_same_number(Dwarf_Die *a, Dwarf_Die *b, unsigned int attribute)
{
	int64_t one = -1, other = -1;
	const bool has_one = memphis_die_number(a, attribute, &one),
		   has_other = memphis_die_number(b, attribute, &other);

	return has_one == has_other && one == other;
}

static bool read_type(Dwarf_Die *die, Dwarf_Die *type)
{
	return memphis_type_declared(die, type) && dwarf_peel_type(type, type) == 0;
}

static bool is_same_structure(struct comparison *comparison, Dwarf_Die *a, Dwarf_Die *b, int depth);
static bool is_same_target(struct comparison *comparison, Dwarf_Die *a, Dwarf_Die *b, int depth);

static bool is_declared(Dwarf_Die *type)
{
	return dwarf_hasattr(type, DW_AT_declaration) || dwarf_hasattr(type, DW_AT_signature);
}

static bool is_same_array(Dwarf_Die *a, Dwarf_Die *b)
{
	struct memphis_shape one, other;

	memphis_shape_read(a, false, &one);
	memphis_shape_read(b, false, &other);
	return one.rank == other.rank && !memcmp(one.extent, other.extent, sizeof(one.extent));
}

/* Compares two types without typedefs and qualifiers. With `named`, structures are compared only by name. */
static bool is_same_type(struct comparison *comparison, Dwarf_Die *a, Dwarf_Die *b, bool named, int depth)
{
	if (a->addr == b->addr)
		return true;
	if (depth == LAYOUT_DEPTH_MAX)
		return false;
	if (is_same_kind(a, b)) {
		if (!dwarf_diename(a) && !dwarf_diename(b))
			return is_same_structure(comparison, a, b, depth + 1);
		return has_same_name(comparison->object, a, b) &&
		       (named || is_declared(a) || is_declared(b) ||
			is_same_structure(comparison, a, b, depth + 1));
	}
	if (dwarf_tag(a) != dwarf_tag(b))
		return false;
	if (memphis_die_is_pointer(a))
		return is_same_target(comparison, a, b, depth + 1);
	switch (dwarf_tag(a)) {
	case DW_TAG_base_type:
		return has_same_number(a, b, DW_AT_encoding) && has_same_number(a, b, DW_AT_byte_size);
	case DW_TAG_enumeration_type:
		return is_same_member_name(dwarf_diename(a), dwarf_diename(b)) &&
		       has_same_number(a, b, DW_AT_byte_size);
	case DW_TAG_array_type:
		return is_same_array(a, b) && is_same_target(comparison, a, b, depth + 1);
	case DW_TAG_ptr_to_member_type:
		return is_same_target(comparison, a, b, depth + 1);
	case DW_TAG_subroutine_type:
	case DW_TAG_unspecified_type:
		return true;
	}
	return false;
}

/* Compares the types that pointers point to, or the element types of arrays. */
static bool is_same_target(struct comparison *comparison, Dwarf_Die *a, Dwarf_Die *b, int depth)
{
	Dwarf_Die one, other;
	const bool has_one = read_type(a, &one), has_other = read_type(b, &other);

	if (!has_one || !has_other)
		return has_one == has_other;
	return is_same_type(comparison, &one, &other, dwarf_tag(a) != DW_TAG_array_type, depth);
}

/* Moves to the next child that occupies memory in the parent. Returns false if there is none. */
static bool next_part(Dwarf_Die *parent, Dwarf_Die *part, bool *begun)
{
	do {
		if (*begun ? dwarf_siblingof(part, part) : dwarf_child(parent, part))
			return false;
		*begun = true;
	} while (!memphis_die_is_part(part));
	return true;
}

static bool is_same_part(struct comparison *comparison, Dwarf_Die *a, Dwarf_Die *b, int depth)
{
	static const unsigned int numbers[] = {DW_AT_data_member_location, DW_AT_bit_size, DW_AT_bit_offset,
					       DW_AT_data_bit_offset};
	Dwarf_Die one, other;
	size_t i;

	if (++comparison->parts > PARTS_MAX || dwarf_tag(a) != dwarf_tag(b) ||
	    !is_same_member_name(dwarf_diename(a), dwarf_diename(b)) || !read_type(a, &one) ||
	    !read_type(b, &other))
		return false;
	for (i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		if (!has_same_number(a, b, numbers[i]))
			return false;
	return is_same_type(comparison, &one, &other, false, depth);
}

static bool is_same_structure(struct comparison *comparison, Dwarf_Die *a, Dwarf_Die *b, int depth)
{
	bool begun_a = false, begun_b = false, has_a, has_b;
	Dwarf_Die one, other;

	if (depth == LAYOUT_DEPTH_MAX || !is_same_kind(a, b) || !has_same_number(a, b, DW_AT_byte_size))
		return false;
	do {
		has_a = next_part(a, &one, &begun_a);
		has_b = next_part(b, &other, &begun_b);
		if (has_a != has_b || (has_a && !is_same_part(comparison, &one, &other, depth)))
			return false;
	} while (has_a);
	return true;
}

#define DEPTH_MAX 64 /* maximum nesting of namespaces and classes */
#define LINKS_MAX 4  /* maximum number of references from a declaration to a definition */

/* A structure, class or union outside of functions. It may be a declaration or a definition. */
struct named_type {
	const void *addr; /* address of its DIE */
	uint32_t name;
};

struct definition {
	Dwarf_Die die;
	uint32_t name;
	size_t order;
};

enum agreement { NOT_COMPARED = 0, AGREE, DIFFER };

/* The structures, classes and unions of an object (a program or library with its split and common debug files). */
struct definitions {
	/* The DWARF handles of the object itself, of its common file made by dwz, and of its split units. */
	Dwarf **dwarfs;
	size_t dwarf_count, dwarf_room;
	bool built;
	struct memphis_strings names; /* qualified names */
	struct named_type *types;     /* sorted by address */
	size_t type_count, type_room;
	struct definition *list; /* sorted by name, and then by the order of the units */
	size_t count, room;
	/* For each name: index of its first definition in `list`. A further entry marks the end. */
	size_t *first;
	uint8_t *agreements; /* for each name: enum agreement */
};

struct known_dwarf {
	Dwarf *dwarf;
	struct definitions *object;
	UT_hash_handle hh;
};

static pthread_mutex_t known_lock = PTHREAD_MUTEX_INITIALIZER;
static struct known_dwarf *known; /* maps each Dwarf handle to its object */

static struct definitions *find_object(Dwarf_Die *type)
{
	Dwarf *dwarf = dwarf_cu_getdwarf(type->cu);
	struct known_dwarf *found;

	pthread_mutex_lock(&known_lock);
	HASH_FIND_PTR(known, &dwarf, found);
	pthread_mutex_unlock(&known_lock);
	return found ? found->object : NULL;
}

static void free_object(struct definitions *object)
{
	memphis_strings_close(&object->names);
	free((void *)object->dwarfs);
	free(object->types);
	free(object->list);
	free(object->first);
	free(object->agreements);
	free(object);
}

/* Adds a Dwarf handle to an object, unless it was added before. Returns 0 or -ENOMEM. */
static int add_dwarf(struct definitions *object, Dwarf *dwarf)
{
	struct known_dwarf *one;
	Dwarf **kept;
	int rc = 0;

	pthread_mutex_lock(&known_lock);
	HASH_FIND_PTR(known, &dwarf, one);
	if (!one) {
		rc = -ENOMEM;
		one = calloc(1, sizeof(*one));
		kept = one ? memphis_append(object->dwarfs, object->dwarf_count, object->dwarf_room) : NULL;
		if (kept) {
			*kept = one->dwarf = dwarf;
			one->object = object;
			HASH_ADD_PTR(known, dwarf, one);
			rc = one->hh.tbl ? 0 : -ENOMEM;
		}
		if (rc)
			free(one);
	}
	pthread_mutex_unlock(&known_lock);
	return rc;
}

static void forget_object(struct definitions *object)
{
	struct known_dwarf *one;
	size_t i;

	pthread_mutex_lock(&known_lock);
	for (i = 0; i < object->dwarf_count; i++) {
		HASH_FIND_PTR(known, &object->dwarfs[i], one);
		if (one) {
			HASH_DEL(known, one);
			free(one);
		}
	}
	pthread_mutex_unlock(&known_lock);
	free_object(object);
}

void memphis_definitions_open(Dwarf *dwarf)
{
	struct definitions *object = dwarf ? calloc(1, sizeof(*object)) : NULL;
	Dwarf_CU *cu = NULL;
	Dwarf_Die split;
	Dwarf *common;
	uint8_t unit;
	int rc;

	if (!object)
		return;
	rc = add_dwarf(object, dwarf);
	common = dwarf_getalt(dwarf);
	if (!rc && common)
		rc = add_dwarf(object, common);
	while (!rc && dwarf_get_units(dwarf, cu, &cu, NULL, &unit, NULL, &split) == 0)
		if (unit == DW_UT_skeleton && split.addr)
			rc = add_dwarf(object, dwarf_cu_getdwarf(split.cu));
	if (rc)
		forget_object(object);
}

void memphis_definitions_close(Dwarf *dwarf)
{
	struct known_dwarf *found;

	pthread_mutex_lock(&known_lock);
	HASH_FIND_PTR(known, &dwarf, found);
	pthread_mutex_unlock(&known_lock);
	if (found)
		forget_object(found->object);
}

/* Follows the reference in an attribute of the DIE itself. */
static bool follow_reference(Dwarf_Die *die, unsigned int name, Dwarf_Die *target)
{
	Dwarf_Attribute attribute;

	return dwarf_attr(die, name, &attribute) && dwarf_formref_die(&attribute, target);
}

void memphis_type_resolve_to_declaration(Dwarf_Die *type)
{
	Dwarf_Die target;
	int i;

	for (i = 0; i < LINKS_MAX; i++) {
		if (!follow_reference(type, DW_AT_signature, &target) &&
		    !follow_reference(type, DW_AT_specification, &target))
			return;
		*type = target;
	}
}

const char *memphis_type_own_name(Dwarf_Die *type)
{
	const char *name = dwarf_diename(type);
	Dwarf_Die target = *type;

	if (!name) {
		memphis_type_resolve_to_declaration(&target);
		name = dwarf_diename(&target);
	}
	return name;
}

struct walk {
	struct definitions *object;
	struct memphis_text scope; /* enclosing scopes, "ocean::Grid::" */
	/*
	 * `unit` is the number of the unit, and `unit_first` the index of its first type. The types of a unit
	 * are sorted by address.
	 */
	size_t unit, unit_first;
	bool local; /* the scope is private to the unit, so other units cannot refer to its types */
	int rc;
};

/*
 * Returns true if the name contains template arguments that are private to the unit: types from anonymous
 * namespaces or from functions.
 */
static bool is_local_to_unit(const char *name)
{
	static const char *const marks[] = {"(anonymous", "{anonymous", ")::", "lambda", "unnamed"};
	size_t i;

	for (i = 0; i < sizeof(marks) / sizeof(*marks); i++)
		if (strstr(name, marks[i]))
			return true;
	return false;
}

/*
 * Returns true if the name of a template instance lacks the arguments, as with -gsimple-template-names. Such
 * names do not distinguish the instances.
 */
static bool lacks_arguments(Dwarf_Die *type, const char *name)
{
	Dwarf_Die child;
	int tag;

	if (strchr(name, '<') || dwarf_child(type, &child))
		return false;
	do {
		tag = dwarf_tag(&child);
		if (tag == DW_TAG_template_type_parameter || tag == DW_TAG_template_value_parameter ||
		    tag == DW_TAG_GNU_template_parameter_pack || tag == DW_TAG_GNU_template_template_param)
			return true;
	} while (!dwarf_siblingof(&child, &child));
	return false;
}

static int compare_addresses(const void *a, const void *b)
{
	const struct named_type *one = a, *other = b;

	return memphis_order(one->addr, other->addr);
}

static uint32_t find_name(const struct named_type *types, size_t count, const void *addr)
{
	const size_t at = memphis_bisect(i, count, types[i].addr < addr);

	return at < count && types[at].addr == addr ? types[at].name : MEMPHIS_NO_STRING;
}

/* Returns the number of the type's qualified name, or MEMPHIS_NO_STRING. */
static uint32_t type_name_number(const struct definitions *object, const void *addr)
{
	return find_name(object->types, object->type_count, addr);
}

/*
 * Returns the name number of the declaration of a type that is defined outside of its class or namespace
 * (struct Outer::Inner { ... }), or MEMPHIS_NO_STRING. In the unit, the declaration comes before the
 * definition.
 */
static uint32_t declared_name_number(const struct walk *walk, Dwarf_Die *type)
{
	const struct definitions *object = walk->object;
	Dwarf_Die declaration;

	return follow_reference(type, DW_AT_specification, &declaration)
		       ? find_name(object->types + walk->unit_first, object->type_count - walk->unit_first,
				   declaration.addr)
		       : MEMPHIS_NO_STRING;
}

static uint32_t scoped_name_number(struct walk *walk, const char *name)
{
	struct memphis_text qualified = {0};
	uint32_t number = MEMPHIS_NO_STRING;

	if (walk->local || is_local_to_unit(name))
		memphis_text_print(&qualified, "%zu:", walk->unit);
	if (walk->scope.bytes)
		memphis_text_put(&qualified, walk->scope.text);
	memphis_text_put(&qualified, name);
	if (!qualified.failed)
		number = memphis_strings_add(&walk->object->names, qualified.text, qualified.bytes);
	memphis_text_close(&qualified);
	if (number == MEMPHIS_NO_STRING)
		walk->rc = -ENOMEM;
	return number;
}

/* Adds a type. Returns the number of its qualified name, or MEMPHIS_NO_STRING. */
static uint32_t add_type(struct walk *walk, Dwarf_Die *type, const char *name)
{
	struct definitions *object = walk->object;
	uint32_t number;
	struct named_type *one;
	struct definition *definition;

	if (dwarf_hasattr(type, DW_AT_specification))
		number = declared_name_number(walk, type);
	else
		number = scoped_name_number(walk, name);
	if (number == MEMPHIS_NO_STRING)
		return number;
	one = memphis_append(object->types, object->type_count, object->type_room);
	if (!one) {
		walk->rc = -ENOMEM;
		return number;
	}
	*one = (struct named_type){type->addr, number};
	if (is_declared(type) || !dwarf_hasattr(type, DW_AT_byte_size))
		return number;
	definition = memphis_append(object->list, object->count, object->room);
	if (definition)
		*definition = (struct definition){*type, number, object->count};
	else
		walk->rc = -ENOMEM;
	return number;
}

static void walk_scope(struct walk *walk, Dwarf_Die *parent, unsigned int depth);

/* Reads the types inside a class that is defined outside of its scope. They get the scopes of the class's declaration. */
static void walk_outside_scope(struct walk *walk, Dwarf_Die *type, uint32_t number, unsigned int depth)
{
	struct walk inner = *walk;

	memset(&inner.scope, 0, sizeof(inner.scope));
	inner.local = number == MEMPHIS_NO_STRING;
	if (!inner.local)
		memphis_text_print(&inner.scope, "%s::", memphis_strings_get(&walk->object->names, number));
	walk_scope(&inner, type, depth);
	walk->rc = inner.rc;
	memphis_text_close(&inner.scope);
}

static void walk_type(struct walk *walk, Dwarf_Die *type, unsigned int depth)
{
	const size_t bytes = walk->scope.bytes;
	const bool local = walk->local;
	const char *name = memphis_type_own_name(type);
	uint32_t number = MEMPHIS_NO_STRING;

	if (memphis_die_is_structure(type) && name && !lacks_arguments(type, name))
		number = add_type(walk, type, name);
	if (dwarf_hasattr(type, DW_AT_specification)) {
		walk_outside_scope(walk, type, number, depth);
		return;
	}
	walk->local = local || !name;
	if (name)
		memphis_text_print(&walk->scope, "%s::", name);
	walk_scope(walk, type, depth);
	walk->local = local;
	memphis_text_cut(&walk->scope, bytes);
}

static void walk_scope(struct walk *walk, Dwarf_Die *parent, unsigned int depth)
{
	Dwarf_Die die;

	if (walk->scope.failed)
		walk->rc = -ENOMEM;
	if (walk->rc || depth > DEPTH_MAX || dwarf_child(parent, &die))
		return;
	do {
		if (memphis_die_is_structure(&die) || dwarf_tag(&die) == DW_TAG_namespace)
			walk_type(walk, &die, depth + 1);
	} while (!walk->rc && !dwarf_siblingof(&die, &die));
}

static int compare_definitions(const void *a, const void *b)
{
	const struct definition *one = a, *other = b;

	return memphis_order(one->name, other->name) ?: memphis_order(one->order, other->order);
}

static int sort_types(struct definitions *object)
{
	const size_t names = object->names.count;
	size_t i, name = 0;

	memphis_sort(object->types, object->type_count, compare_addresses);
	memphis_sort(object->list, object->count, compare_definitions);
	object->first = calloc(names + 2, sizeof(*object->first));
	object->agreements = calloc(names + 1, sizeof(*object->agreements));
	if (!object->first || !object->agreements)
		return -ENOMEM;
	for (i = 0; i <= object->count; i++)
		for (; name <= (i < object->count ? object->list[i].name : names + 1); name++)
			object->first[name] = i;
	return 0;
}

/* Reads the types of all units. If memory is exhausted, the index is empty. */
static void build_index(struct definitions *object)
{
	struct walk walk = {.object = object};
	Dwarf_CU *cu;
	Dwarf_Die unit;
	size_t i;

	object->built = true;
	for (i = 0; !walk.rc && i < object->dwarf_count; i++)
		for (cu = NULL;
		     !walk.rc && dwarf_get_units(object->dwarfs[i], cu, &cu, NULL, NULL, &unit, NULL) == 0;) {
			walk.unit++;
			walk.unit_first = object->type_count;
			walk_scope(&walk, &unit, 0);
		}
	if (!walk.rc)
		walk.rc = sort_types(object);
	memphis_text_close(&walk.scope);
	if (walk.rc)
		object->type_count = object->count = 0;
}

static bool has_same_name(const struct definitions *object, Dwarf_Die *a, Dwarf_Die *b)
{
	const uint32_t number = type_name_number(object, a->addr);

	return number != MEMPHIS_NO_STRING && number == type_name_number(object, b->addr);
}

/*
 * Returns true if two definitions have the same size and the same members, with the same names, offsets and
 * types. The types that pointers point to are compared by name. Other types are compared by their layout,
 * too.
 */
static bool is_same_definition(const struct definitions *object, struct definition *a, struct definition *b)
{
	struct comparison comparison = {.object = object};

	return is_same_structure(&comparison, &a->die, &b->die, 0);
}

/* Returns the first definition of the name if all its definitions have the same layout, otherwise NULL. */
static struct definition *common_definition(struct definitions *object, uint32_t name)
{
	struct definition *first, *one;
	const struct definition *end;

	if (object->first[name] == object->first[name + 1])
		return NULL;
	first = &object->list[object->first[name]];
	end = &object->list[object->first[name + 1]];
	if (object->agreements[name] == NOT_COMPARED) {
		object->agreements[name] = AGREE;
		for (one = first + 1; one < end && object->agreements[name] == AGREE; one++)
			if (!is_same_definition(object, first, one))
				object->agreements[name] = DIFFER;
	}
	return object->agreements[name] == AGREE ? first : NULL;
}

/* Prefers definitions in the unit of the declaration to those in other units. */
static struct definition *find_definition(struct definitions *object, const Dwarf_Die *type, uint32_t name)
{
	struct definition *found = NULL, *one;
	size_t i;

	for (i = object->first[name]; i < object->first[name + 1]; i++) {
		one = &object->list[i];
		if (one->die.cu != type->cu)
			continue;
		if (found && !is_same_definition(object, found, one))
			return NULL;
		found = found ? found : one;
	}
	return found ? found : common_definition(object, name);
}

/*
 * If *type is a declaration of a structure, class or union, replaces it by its definition, which may be in
 * another unit of the object. If *type refers to a type unit, replaces it by the type in that unit. Does not
 * change other types.
 */
static void resolve_to_definition(Dwarf_Die *type)
{
	struct definitions *object;
	struct definition *found;
	Dwarf_Die target;
	uint32_t name;
	int i;

	if (!memphis_die_is_structure(type) && dwarf_tag(type) != DW_TAG_enumeration_type)
		return;
	for (i = 0; i < LINKS_MAX && follow_reference(type, DW_AT_signature, &target); i++)
		*type = target;
	if (!memphis_die_is_structure(type) || !is_declared(type))
		return;
	object = find_object(type);
	if (!object)
		return;
	if (!object->built)
		build_index(object);
	name = type_name_number(object, type->addr);
	found = name == MEMPHIS_NO_STRING ? NULL : find_definition(object, type, name);
	if (found && is_same_kind(&found->die, type))
		*type = found->die;
}

bool memphis_type_plain(const Dwarf_Die *type, Dwarf_Die *plain)
{
	Dwarf_Die at = *type;

	if (!type->addr || dwarf_peel_type(&at, plain))
		return false;
	resolve_to_definition(plain);
	return true;
}

bool memphis_definitions_same(const Dwarf_Die *a, const Dwarf_Die *b)
{
	Dwarf_Die one = *a, other = *b;
	const char *name, *other_name;
	struct definitions *object;
	uint32_t number;

	if (one.cu == other.cu || !is_same_kind(&one, &other))
		return false;
	name = memphis_type_own_name(&one);
	other_name = memphis_type_own_name(&other);
	if (!name || !other_name || strcmp(name, other_name))
		return false;
	object = find_object(&one);
	if (!object || object != find_object(&other))
		return false;
	if (!object->built)
		build_index(object);
	number = type_name_number(object, one.addr);
	return number != MEMPHIS_NO_STRING && number == type_name_number(object, other.addr) &&
	       common_definition(object, number) != NULL;
}
