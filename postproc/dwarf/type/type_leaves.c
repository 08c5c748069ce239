// SPDX-License-Identifier: BSD-3-Clause
/* Finds the innermost members that an access to some bytes of a type touches. */
#include "dwarf/type/type_leaves.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "dwarf/type/definitions.h"
#include "dwarf/type/die.h"
#include "dwarf/type/type_name.h"
#include "dwarf/type/types.h"

#define DEPTH_MAX   32
#define OFFSETS_MAX 64 /* maximum number of offsets in an element that are examined */

struct search {
	struct memphis_type_leaves *leaves;
	const struct memphis_type_span *span;
	uint64_t from, to; /* range of the accessed bytes in the element */
	bool fortran;
	bool only_end; /* examine only arrays at the end of the object */
	bool misfits;  /* a member was excluded because the access does not fit it */
	int rc;
};

bool memphis_type_to_element(Dwarf_Die *type)
{
	Dwarf_Die plain, element;
	bool array = false;
	int depth;

	for (depth = 0; depth < DEPTH_MAX && memphis_type_plain(type, &plain) &&
			dwarf_tag(&plain) == DW_TAG_array_type && !memphis_die_is_descriptor(&plain) &&
			memphis_type_declared(&plain, &element) && memphis_type_plain(&element, &plain);
	     depth++) {
		*type = element;
		array = true;
	}
	return array;
}

static bool resolve_element(Dwarf_Die *type, Dwarf_Die *plain)
{
	const bool array = memphis_type_to_element(type);

	memphis_type_plain(type, plain);
	return array;
}

/* Returns true if the instruction may access a value of this type. */
static bool may_be_accessed(const struct search *search, const Dwarf_Die *type, bool is_alone)
{
	const uint64_t bytes = search->span->float_bytes;
	Dwarf_Attribute attribute;
	Dwarf_Word encoding = 0;
	Dwarf_Die plain, at = *type;
	uint64_t size;

	if (!memphis_type_plain(&at, &plain))
		return true;
	size = memphis_type_size(&plain, search->fortran);
	/*
	 * Exclude a single byte if the instruction accesses more than one. A pointer to bytes often points to
	 * an object of another type.
	 */
	if (is_alone && size == 1 && search->span->bytes > 1 && (search->span->bytes <= 8 || bytes))
		return false;
	if (!bytes)
		return true;
	if (dwarf_tag(&plain) != DW_TAG_base_type ||
	    dwarf_formudata(dwarf_attr(&plain, DW_AT_encoding, &attribute), &encoding))
		return false;
	return (encoding == DW_ATE_float && size == bytes) ||
	       (encoding == DW_ATE_complex_float && size == 2 * bytes);
}

static void add_leaf(struct search *search, const char *path, const Dwarf_Die *type, uint64_t begin)
{
	struct memphis_type_leaves *leaves = search->leaves;
	struct memphis_type_leaf *leaf;
	size_t i;

	if (!may_be_accessed(search, type, !*path)) {
		search->misfits = true;
		return;
	}
	for (i = 0; i < leaves->count; i++)
		if (!strcmp(leaves->list[i].path, path))
			return;
	if (leaves->count == MEMPHIS_LEAVES_MAX) {
		leaves->more = true;
		return;
	}
	leaf = &leaves->list[leaves->count];
	leaf->path = strdup(path);
	leaf->type = *type;
	leaf->begin = begin;
	if (leaf->path)
		leaves->count++;
	else
		search->rc = -ENOMEM;
}

static void enter_type(struct search *search, const Dwarf_Die *type, uint64_t begin, const char *path,
		       unsigned int depth);

/*
 * Appends the member to the path. Base classes and anonymous members have no name. Reserved names ("__...")
 * are omitted inside another member.
 */
static const char *append_member(struct search *search, Dwarf_Die *member, const char *path,
				 struct memphis_text *longer)
{
	const char *name = dwarf_tag(member) == DW_TAG_member ? dwarf_diename(member) : NULL;

	memphis_text_put(longer, path);
	if (name && !(*path && !strncmp(name, "__", 2)))
		memphis_text_print(longer, "%s%s", *path ? "." : "", name);
	if (longer->failed)
		search->rc = -ENOMEM;
	return longer->text ? longer->text : "";
}

static bool is_only_declared(const Dwarf_Die *type)
{
	Dwarf_Die plain;

	return memphis_type_plain(type, &plain) && memphis_die_is_structure(&plain) &&
	       dwarf_hasattr(&plain, DW_AT_declaration);
}

/*
 * Returns the end of a member at `place` whose type is only declared. It ends at the next member, or at the
 * end of the structure. If another member begins at the same place, as with an empty base class, the size of
 * the member is taken as 0.
 */
static uint64_t end_of_declared_member(struct search *search, Dwarf_Die *plain, uint64_t place)
{
	uint64_t end = memphis_type_size(plain, search->fortran), other, bytes;
	unsigned int same = 0;
	Dwarf_Die member, type;

	if (dwarf_tag(plain) == DW_TAG_union_type || dwarf_child(plain, &member))
		return end;
	do {
		if (!memphis_type_part(&member, &type, search->fortran, &other, &bytes))
			continue;
		same += other == place;
		if (other > place && other < end)
			end = other;
	} while (!dwarf_siblingof(&member, &member));
	return same > 1 ? place : end;
}

/* Adds a member whose type is only declared. Its own members are unknown, so "?" is appended to its path. */
static void add_declared_leaf(struct search *search, const char *path, const Dwarf_Die *type, uint64_t begin)
{
	struct search any = *search;
	const struct memphis_type_span span = {.bytes = 0};
	struct memphis_text inner = {0};

	memphis_text_print(&inner, "%s%s?", path, *path ? "." : "");
	any.span = &span;
	if (inner.failed)
		any.rc = -ENOMEM;
	else
		add_leaf(&any, inner.text, type, begin);
	search->rc = any.rc;
	memphis_text_close(&inner);
}

static void enter_structure(struct search *search, Dwarf_Die *plain, uint64_t begin, const char *path,
			    unsigned int depth)
{
	struct memphis_text longer = {0};
	Dwarf_Die member, type, ignored;
	uint64_t place, bytes;
	bool incomplete;

	if (dwarf_child(plain, &member))
		return;
	do {
		if (search->rc || !memphis_type_part(&member, &ignored, search->fortran, &place, &bytes) ||
		    !memphis_type_declared(&member, &type))
			continue;
		incomplete = !bytes && is_only_declared(&type);
		if (incomplete)
			bytes = end_of_declared_member(search, plain, place) - place;
		if (search->to <= begin + place || search->from >= begin + place + bytes)
			continue;
		if (incomplete) {
			add_declared_leaf(search, append_member(search, &member, path, &longer), &type,
					  begin + place);
			memphis_text_close(&longer);
			continue;
		}
		enter_type(search, &type, begin + place, append_member(search, &member, path, &longer),
			   depth + 1);
		memphis_text_close(&longer);
	} while (!dwarf_siblingof(&member, &member));
}

static void enter_type(struct search *search, const Dwarf_Die *type, uint64_t begin, const char *path,
		       unsigned int depth)
{
	struct search inner = *search;
	Dwarf_Die plain, at = *type;
	uint64_t bytes, from, to;

	if (depth > DEPTH_MAX || !memphis_type_plain(&at, &plain))
		return;
	if (resolve_element(&at, &plain) && memphis_die_is_structure(&plain)) {
		/* Examine only the element with the first byte, unless the access crosses the end of the element. */
		bytes = memphis_type_size(&plain, search->fortran);
		if (!bytes)
			return;
		from = search->from > begin ? (search->from - begin) % bytes : 0;
		to = from + (search->to - (search->from > begin ? search->from : begin));
		inner.from = begin + from;
		inner.to = begin + (to < bytes ? to : bytes);
		enter_structure(&inner, &plain, begin, path, depth);
		search->rc = inner.rc;
		search->misfits = inner.misfits;
		return;
	}
	if (memphis_die_is_structure(&plain))
		enter_structure(search, &plain, begin, path, depth);
	else
		add_leaf(search, path, &at, begin);
}

uint64_t memphis_gcd(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/*
 * Finds the members of an element at all offsets that the access may touch. The element has `size` bytes and
 * is at offset `begin` of the object.
 */
static void find_in_element(struct search *search, const Dwarf_Die *type, uint64_t begin, uint64_t size,
			    const char *path, unsigned int depth)
{
	const struct memphis_type_span *span = search->span;
	const uint64_t step = span->step ? memphis_gcd(span->step, size) : size, count = size / step;
	const int64_t rest = (span->offset - (int64_t)begin) % (int64_t)size;
	const uint64_t first = (uint64_t)(rest < 0 ? rest + (int64_t)size : rest) % step;
	uint64_t i;

	if (count > OFFSETS_MAX) {
		search->leaves->more = true;
		return;
	}
	for (i = 0; i < count && !search->rc && !search->leaves->more; i++) {
		search->from = begin + first + i * step;
		search->to = search->from + (span->bytes ? span->bytes : 1);
		if (search->to > begin + size)
			search->to = begin + size;
		enter_type(search, type, begin, path, depth);
	}
}

/*
 * Finds the members of elements in the arrays of a structure. With a step, the access may be in any of these
 * arrays. Without a step, it is after the structure, in an array at its end whose length is not part of the
 * type: item[], item[0] or item[1].
 */
static void find_in_arrays(struct search *search, Dwarf_Die *plain, uint64_t begin, const char *path,
			   unsigned int depth)
{
	const uint64_t size = memphis_type_size(plain, search->fortran);
	Dwarf_Die member, type, element, ignored;
	struct memphis_text longer = {0};
	uint64_t place, bytes, step;
	const char *name;
	bool is_at_end;

	if (depth > DEPTH_MAX || dwarf_child(plain, &member))
		return;
	do {
		if (search->rc || !memphis_type_part(&member, &ignored, search->fortran, &place, &bytes) ||
		    !memphis_type_declared(&member, &type))
			continue;
		name = append_member(search, &member, path, &longer);
		if (resolve_element(&type, &element)) {
			step = memphis_type_size(&element, search->fortran);
			is_at_end = place + bytes + step > size;
			if (step && step <= INT64_MAX &&
			    ((search->span->step && !search->only_end) || is_at_end))
				find_in_element(search, &type, begin + place, step, name, depth + 1);
		} else if (memphis_die_is_structure(&element)) {
			find_in_arrays(search, &element, begin + place, name, depth + 1);
		}
		memphis_text_close(&longer);
	} while (!dwarf_siblingof(&member, &member));
}

/*
 * Finds the members in the arrays of an object with `size` bytes, for an access with a step. The constant
 * part of the address may be outside the first element. If the object is in an array, as in an unrolled loop,
 * it may be in another element. It may also be in an array at the end of the object, beyond the type.
 */
static void find_with_step(struct search *search, Dwarf_Die *plain, uint64_t size)
{
	const struct memphis_type_span *span = search->span;
	struct memphis_type_span in_first = *span;

	in_first.offset %= (int64_t)size;
	if (in_first.offset < 0)
		in_first.offset += (int64_t)size;
	search->span = &in_first;
	find_in_arrays(search, plain, 0, "", 0);
	search->span = span;
	search->only_end = true;
	if (span->offset >= (int64_t)size)
		find_in_arrays(search, plain, 0, "", 0);
}

int memphis_type_leaves_find(const Dwarf_Die *object, bool fortran, const struct memphis_type_span *span,
			     struct memphis_type_leaves *leaves)
{
	struct search search = {.leaves = leaves, .span = span, .fortran = fortran};
	bool is_inside, is_element;
	Dwarf_Die plain;
	uint64_t size;

	memset(leaves, 0, sizeof(*leaves));
	leaves->type = *object;
	if (!memphis_type_plain(object, &plain))
		return 0;
	is_element = resolve_element(&leaves->type, &plain);
	if (!memphis_die_is_structure(&plain)) {
		add_leaf(&search, "", &leaves->type, 0);
		leaves->outside = search.misfits;
		return search.rc;
	}
	size = memphis_type_size(&plain, fortran);
	leaves->incomplete = !size || size > INT64_MAX || dwarf_hasattr(&plain, DW_AT_declaration);
	if (leaves->incomplete)
		return 0;
	is_inside = span->offset >= 0 && (uint64_t)span->offset < size;
	is_element |= span->step && span->step % size == 0 && !memphis_type_has_open_end(&plain);
	if (is_element || (!span->step && is_inside))
		find_in_element(&search, &leaves->type, 0, size, "", 0);
	else if (span->step && !memphis_type_has_open_end(&plain))
		find_with_step(&search, &plain, size);
	else
		find_in_arrays(&search, &plain, 0, "", 0);
	leaves->outside = !leaves->count && !leaves->more;
	return search.rc;
}

void memphis_type_leaves_close(struct memphis_type_leaves *leaves)
{
	while (leaves->count)
		free(leaves->list[--leaves->count].path);
}

static enum memphis_loaded kind_of_loaded(struct memphis_type_leaf *leaf,
					  const struct memphis_type_span *span, bool in_structure,
					  Dwarf_Die *behind)
{
	Dwarf_Die plain;

	if (!memphis_type_plain(&leaf->type, &plain))
		return MEMPHIS_LOADED_OTHER;
	if (memphis_die_is_pointer(&plain)) {
		memphis_type_declared(&plain, behind);
		return MEMPHIS_LOADED_POINTER;
	}
	switch (dwarf_tag(&plain)) {
	case DW_TAG_array_type:
		/* The first word of a Fortran array descriptor points to the array. */
		if ((uint64_t)span->offset != leaf->begin || span->step)
			return in_structure ? MEMPHIS_LOADED_OTHER : MEMPHIS_LOADED_NUMBER;
		return memphis_type_declared(&plain, behind) ? MEMPHIS_LOADED_POINTER : MEMPHIS_LOADED_OTHER;
	case DW_TAG_base_type:
	case DW_TAG_enumeration_type:
		return MEMPHIS_LOADED_NUMBER;
	}
	return MEMPHIS_LOADED_OTHER;
}

enum memphis_loaded memphis_type_loaded(const Dwarf_Die *object, bool fortran,
					const struct memphis_type_span *span, Dwarf_Die *behind)
{
	enum memphis_loaded loaded = MEMPHIS_LOADED_OTHER;
	struct memphis_type_leaves leaves;
	Dwarf_Die other, plain;
	size_t i;

	if (!memphis_type_leaves_find(object, fortran, span, &leaves) && !leaves.more && leaves.count) {
		const bool in_structure =
			memphis_type_plain(&leaves.type, &plain) && memphis_die_is_structure(&plain);

		loaded = kind_of_loaded(&leaves.list[0], span, in_structure, behind);
		for (i = 1; i < leaves.count; i++)
			if (kind_of_loaded(&leaves.list[i], span, in_structure, &other) != loaded ||
			    (loaded == MEMPHIS_LOADED_POINTER && !memphis_type_same(&other, behind)))
				loaded = MEMPHIS_LOADED_OTHER;
	}
	memphis_type_leaves_close(&leaves);
	return loaded;
}

bool memphis_type_same(const Dwarf_Die *a, const Dwarf_Die *b)
{
	Dwarf_Die first = *a, second = *b;
	int depth;

	/* Pointer types may differ only in the qualifiers of the types to which they point. Compare those types. */
	for (depth = 0; depth < DEPTH_MAX; depth++) {
		if (!memphis_type_plain(&first, &first) || !memphis_type_plain(&second, &second))
			return !first.addr && !second.addr;
		if (first.addr == second.addr || memphis_definitions_same(&first, &second))
			return true;
		if (!memphis_die_is_pointer(&first) || !memphis_die_is_pointer(&second))
			return false;
		memphis_type_declared(&first, &first);
		memphis_type_declared(&second, &second);
	}
	return false;
}

static bool contains_type(const Dwarf_Die *outer, bool fortran, uint64_t offset, const Dwarf_Die *inner,
			  unsigned int depth)
{
	Dwarf_Die at = *outer, plain, member, type;
	uint64_t place, bytes;

	if (!offset && memphis_type_same(outer, inner))
		return true;
	if (depth == DEPTH_MAX || !memphis_type_plain(&at, &plain))
		return false;
	if (resolve_element(&at, &plain)) {
		bytes = memphis_type_size(&plain, fortran);
		return bytes && contains_type(&at, fortran, offset % bytes, inner, depth + 1);
	}
	if (!memphis_die_is_structure(&plain) || dwarf_child(&plain, &member))
		return false;
	do {
		if (memphis_type_part(&member, &type, fortran, &place, &bytes) && offset >= place &&
		    offset - place < bytes && contains_type(&type, fortran, offset - place, inner, depth + 1))
			return true;
	} while (!dwarf_siblingof(&member, &member));
	return false;
}

bool memphis_type_contains(const Dwarf_Die *outer, bool fortran, uint64_t offset, const Dwarf_Die *inner)
{
	return contains_type(outer, fortran, offset, inner, 0);
}
