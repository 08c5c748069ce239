/* SPDX-License-Identifier: BSD-3-Clause */
/* Queries on DWARF types: the size of a variable, and the member or element at an offset. */
#ifndef MEMPHIS_TYPES_H
#define MEMPHIS_TYPES_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "dwarf/type/shape.h"

/*
 * Describes the element of a variable that contains a given offset, and the innermost member at that offset.
 */
struct memphis_field {
	uint64_t element_bytes; /* size of an array element, or of the whole variable if it is not an array */
	/*
	 * number of elements as declared; 1 if not an array; 0 if undeclared, or for a heap block, whose size
	 * determines it
	 */
	uint64_t element_count;
	uint64_t element;       /* index, from 0, of the element at the offset */
	uint64_t member_offset; /* offset of the innermost member in the element */
	uint64_t member_bytes;  /* size of the innermost member; of one of its elements, if it is an array */
	bool fortran;
	struct memphis_shape shape; /* of the array of elements; rank 0 if it is unknown or not an array */
	char *path;                 /* "halo.low[3]", "halo%low(4)"; "" if the elements have no members */
	char *member;               /* `path` without indices: "halo.low" */
};

void memphis_field_close(struct memphis_field *field);

/* Returns true if the compile unit is written in Fortran. */
bool memphis_is_fortran(Dwarf_Die *unit);

/* Stores the type of `die`, without typedefs and qualifiers, in *type, defined if the object has its definition. Returns false if it has none. */
bool memphis_type_of(Dwarf_Die *die, Dwarf_Die *type);

/*
 * Stores the type of the elements to which a pointer or descriptor of `type` points in *element. Returns false, with addr NULL,
 * if it is unknown.
 */
bool memphis_type_pointed_to(Dwarf_Die *type, Dwarf_Die *element);

/* Return the size in bytes of a variable, or of a type; 0 if unknown. */
uint64_t memphis_type_bytes(Dwarf_Die *variable, bool fortran);
uint64_t memphis_type_size(Dwarf_Die *type, bool fortran);

/* How suitable a static variable is as a name for the block that it points to; a lower rank is better. */
enum memphis_pointer_rank {
	MEMPHIS_POINTER_ALLOCATABLE = 0, /* Fortran array descriptor of an allocatable array */
	MEMPHIS_POINTER_ARRAY,           /* Fortran array descriptor of a pointer */
	MEMPHIS_POINTER_SCALAR,          /* C pointer or scalar Fortran pointer */
	MEMPHIS_POINTER_SYMBOL,          /* type unknown */
	MEMPHIS_POINTER_OTHER,           /* not a pointer */
	MEMPHIS_POINTER_NONE
};

/*
 * Classifies the word at `offset` in the variable as a pointer to a block. Appends the access path of the
 * word ("%tx", ".next", "[]") to `path`; with `indexed`, the path includes the indices of arrays of
 * structures. *element becomes the type that the word points to, and *array the type of the array to which a descriptor points. Both must be
 * zeroed; their addr stays NULL if they are unknown.
 */
enum memphis_pointer_rank memphis_type_pointer_at(Dwarf_Die *variable, uint64_t offset, bool fortran,
						  bool indexed, struct memphis_text *path, Dwarf_Die *element,
						  Dwarf_Die *array);

/* Like memphis_type_pointer_at(), for the first word of an object of `type`. */
enum memphis_pointer_rank memphis_type_pointer_of(Dwarf_Die *type, bool fortran, struct memphis_text *path,
						  Dwarf_Die *element);

/* Like memphis_type_pointer_at(), for the word at `offset` in a block whose elements are of `type`. */
enum memphis_pointer_rank memphis_type_pointer_in(Dwarf_Die *type, uint64_t offset, bool fortran,
						  struct memphis_text *path, Dwarf_Die *element,
						  Dwarf_Die *array);

/*
 * Describes the member or element at `offset` in a variable of `type` or, with `block`, in a block whose
 * elements are of `type`. Returns 0, -ENOENT if the type does not determine the field, or -ENOMEM.
 */
int memphis_type_member(Dwarf_Die *type, bool fortran, bool block, uint64_t offset,
			struct memphis_field *field);

/*
 * Stores type, offset and size of a member or base class. Returns false if it occupies no bytes of its own: static and empty members, and
 * those whose place is computed at run time. The type is without typedefs and qualifiers.
 */
bool memphis_type_part(Dwarf_Die *member, Dwarf_Die *type, bool fortran, uint64_t *place, uint64_t *bytes);

/*
 * Returns true if the type is a structure that ends with an array without a length: item[] or item[0]. The memory behind such a structure
 * does not hold another one.
 */
bool memphis_type_has_open_end(Dwarf_Die *type);

#endif
