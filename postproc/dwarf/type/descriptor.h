/* SPDX-License-Identifier: BSD-3-Clause */
/* Array descriptors of Fortran compilers, as DWARF describes them. */
#ifndef MEMPHIS_DESCRIPTOR_H
#define MEMPHIS_DESCRIPTOR_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

/* Returns true if the type is an array that is accessed through a descriptor; a variable of this type is the descriptor. */
bool memphis_is_descriptor(Dwarf_Die *type);

/*
 * Returns the size of the descriptor; the size of its first word, the array's address, if its format is unknown. `derived`: the elements
 * are of a derived type.
 */
uint64_t memphis_descriptor_bytes(Dwarf_Die *type, bool derived);

#endif
