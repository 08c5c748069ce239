/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the size of a variable, and the member or element at an offset, from DWARF types. */
#ifndef MEMPHIS_TYPES_H
#define MEMPHIS_TYPES_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "dwarf/type/shape.h"

/* Describes the element of a variable that contains an offset, and the innermost member at that offset. */
struct memphis_field {
	uint64_t element_bytes; /* size of an array element, or of the whole variable if it is not an array */
	/*
	 * Declared number of elements. It is 1 if the variable is not an array. It is 0 if the number is not
	 * declared, or for a heap block, whose size determines it.
	 */
	uint64_t element_count;
	uint64_t element;       /* index, from 0, of the element at the offset */
	uint64_t member_offset; /* offset of the innermost member in the element */
	/* Size of the innermost member. If that is an array, size of one of its elements. */
	uint64_t member_bytes;
	bool fortran;
	struct memphis_shape shape; /* shape of the array; rank 0 if it is unknown or if there is no array */
	char *path;                 /* "halo.low[3]", "halo%low(4)"; "" if the elements have no members */
	char *member;               /* `path` without indices: "halo.low" */
};

void memphis_field_close(struct memphis_field *field);

/* Returns true if the compile unit is written in Fortran. */
bool memphis_is_fortran(Dwarf_Die *unit);

/*
 * Stores the type of `die` in *type, without typedefs and qualifiers. If the type is only declared, stores
 * its definition, if the object has one. Returns false if there is no type.
 */
bool memphis_type_of(Dwarf_Die *die, Dwarf_Die *type);

/*
 * Stores the type of the elements to which a pointer or descriptor of type `type` points. Returns false, and
 * sets addr to NULL, if it is unknown.
 */
bool memphis_type_pointed_to(Dwarf_Die *type, Dwarf_Die *element);

/* Return the size of a variable or of a type in bytes, or 0 if it is unknown. */
uint64_t memphis_type_bytes(Dwarf_Die *variable, bool fortran);
uint64_t memphis_type_size(Dwarf_Die *type, bool fortran);

/* How suitable a variable is as the name of the block to which it points. Lower ranks are better. */
enum memphis_pointer_rank {
	MEMPHIS_POINTER_ALLOCATABLE = 0, /* Fortran descriptor of an allocatable array */
	MEMPHIS_POINTER_ARRAY,           /* Fortran descriptor of an array pointer */
	MEMPHIS_POINTER_SCALAR,          /* C pointer or scalar Fortran pointer */
	MEMPHIS_POINTER_SYMBOL,          /* type unknown */
	MEMPHIS_POINTER_OTHER,           /* not a pointer */
	MEMPHIS_POINTER_NONE
};

/*
 * Classifies the word at `offset` in the variable as a pointer to a block. Appends the access path of the
 * word ("%tx", ".next", "[]") to `path`. With `indexed`, the path contains the indices in arrays of
 * structures. Sets *element to the type to which the word points, and *array to the type of the array to
 * which a descriptor points. The caller must zero both, because their addr is not changed if they are
 * unknown.
 */
enum memphis_pointer_rank memphis_type_pointer_at(Dwarf_Die *variable, uint64_t offset, bool fortran,
						  bool indexed, struct memphis_text *path, Dwarf_Die *element,
						  Dwarf_Die *array);

/* Does the same as memphis_type_pointer_at() for the first word of an object of `type`. */
enum memphis_pointer_rank memphis_type_pointer_of(Dwarf_Die *type, bool fortran, struct memphis_text *path,
						  Dwarf_Die *element);

/* Does the same as memphis_type_pointer_at() for the word at `offset` in a block with elements of `type`. */
enum memphis_pointer_rank memphis_type_pointer_in(Dwarf_Die *type, uint64_t offset, bool fortran,
						  struct memphis_text *path, Dwarf_Die *element,
						  Dwarf_Die *array);

/*
 * Describes the member or element at `offset` in a variable of `type`. With `block`, describes that in a
 * block with elements of `type`. Returns 0, -ENOENT if the type does not determine the field, or -ENOMEM.
 */
int memphis_type_member(Dwarf_Die *type, bool fortran, bool block, uint64_t offset,
			struct memphis_field *field);

/*
 * Stores type, offset and size of a member or base class. Returns false for static and empty members, and for
 * those whose offset is computed at run time. The type has no typedefs and qualifiers.
 */
bool memphis_type_part(Dwarf_Die *member, Dwarf_Die *type, bool fortran, uint64_t *place, uint64_t *bytes);

/*
 * Returns true if the type is a structure that ends with an array without a length: item[] or item[0]. The
 * memory after such a structure belongs to the array, not to another structure.
 */
bool memphis_type_has_open_end(Dwarf_Die *type);

#endif
