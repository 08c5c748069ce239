/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads single attributes and tags of a debugging information entry (DIE). */
#ifndef MEMPHIS_DIE_H
#define MEMPHIS_DIE_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

/* Returns true for a structure, class or union. */
bool memphis_die_is_structure(Dwarf_Die *type);

/* Returns true for a pointer or reference. */
bool memphis_die_is_pointer(Dwarf_Die *type);

/* Returns true for an array that is accessed through a descriptor. The memory of such a variable is the descriptor. */
bool memphis_die_is_descriptor(Dwarf_Die *type);

/* Returns true for a member or base class that occupies memory in the object. Static members do not. */
bool memphis_die_is_part(Dwarf_Die *die);

/* Reads the attribute `name` as a constant. Returns false if it is missing or computed at run time. */
bool memphis_die_number(Dwarf_Die *die, unsigned int name, int64_t *value);

/*
 * Stores the declared type of a variable or member, or the type to which a type refers. Does not remove
 * typedefs. Returns false, and sets addr to NULL, if there is none.
 */
bool memphis_type_declared(const Dwarf_Die *die, Dwarf_Die *type);

#endif
