/* SPDX-License-Identifier: BSD-3-Clause */
/* The members and base classes of a structure, with their places. */
#ifndef MEMPHIS_TYPE_PART_H
#define MEMPHIS_TYPE_PART_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Stores type, offset and size of a member or base class. Returns false if it occupies no bytes of its own: static and empty members, and
 * those whose place is computed at run time. The type is without typedefs and qualifiers.
 */
bool memphis_type_part(Dwarf_Die *member, Dwarf_Die *type, bool fortran, uint64_t *place, uint64_t *bytes);

#endif
