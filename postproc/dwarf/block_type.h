/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the element type of a block from the name that the allocation is assigned to. */
#ifndef MEMPHIS_BLOCK_TYPE_H
#define MEMPHIS_BLOCK_TYPE_H

#include "dwarf/binary.h"

/*
 * Looks up `name` ("x", "g->tx", "grid%edge%low", "rows[]") in the scope of the instruction at `vaddr`, and
 * stores the type of the elements that it points to. Returns false if the debug information does not contain
 * the name. Locks the binary.
 */
bool memphis_element_of_name(struct memphis_binaries *binaries, struct memphis_binary *binary, uint64_t vaddr,
			     const char *name, Dwarf_Die *element, bool *fortran);

/*
 * Returns the class and the namespaces of the member that `name`, on the line of the instruction at `vaddr`, begins with, "ns::Domain::",
 * malloc'ed; "" if it begins with something else, such as a variable; NULL if memory is exhausted. Locks the binary.
 */
char *memphis_member_scope(struct memphis_binaries *binaries, struct memphis_binary *binary, uint64_t vaddr,
			   const char *name);

#endif
