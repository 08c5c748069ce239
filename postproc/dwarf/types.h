/* SPDX-License-Identifier: BSD-3-Clause */
/* Questions to DWARF types: how large a variable is, and what stands at an offset in it. */
#ifndef MEMPHIS_TYPES_H
#define MEMPHIS_TYPES_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#include "profile/fields.h"
#include "dwarf/pointer_variables.h"
#include "base/text.h"

/* Is this compile unit written in Fortran? */
bool memphis_is_fortran(Dwarf_Die *unit);

/* The type of `die` without typedefs and qualifiers. */
bool memphis_type_of(Dwarf_Die *die, Dwarf_Die *type);

/* Bytes of memory that the variable, or one of the type, takes; 0 = not known. */
uint64_t memphis_type_bytes(Dwarf_Die *variable, bool fortran);
uint64_t memphis_type_size(Dwarf_Die *type, bool fortran);

/*
 * What the word at `offset` in the variable is; appends the way to it ("%tx", ".next", "[]") to `path`, with
 * `indexed` the indices of structures in arrays, too. *element, unless NULL, becomes the type of what the word
 * points to, with addr NULL if nothing tells.
 */
enum memphis_pointer_rank memphis_type_pointer_at(Dwarf_Die *variable, uint64_t offset, bool fortran,
						  bool indexed, struct memphis_text *path,
						  Dwarf_Die *element);

/* The same of what is of that type itself, for its first word. */
enum memphis_pointer_rank memphis_type_pointer_of(Dwarf_Die *type, bool fortran, struct memphis_text *path,
						  Dwarf_Die *element);

/* The same of a block that is made of elements of `type`, for the word at `offset` in it. */
enum memphis_pointer_rank memphis_type_pointer_in(Dwarf_Die *type, uint64_t offset, bool fortran,
						  struct memphis_text *path, Dwarf_Die *element);

/*
 * What stands at `offset` in a variable of `type`, or with `block` in a block of elements of `type`. 0, -ENOENT if the
 * type does not tell, or -ENOMEM.
 */
int memphis_type_member(Dwarf_Die *type, bool fortran, bool block, uint64_t offset,
			struct memphis_field *field);

#endif
