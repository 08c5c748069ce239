/* SPDX-License-Identifier: BSD-3-Clause */
/* The element type of a block, derived from the name that the allocation is assigned to. */
#ifndef MEMPHIS_BLOCK_TYPE_H
#define MEMPHIS_BLOCK_TYPE_H

#include "dwarf/binary.h"

/*
 * Finds the type of the elements that `name` ("x", "g->tx", "grid%edge%low", "rows[]") points to in the scope
 * of the instruction at `vaddr`. Returns false if the debug information does not contain it. Takes the
 * binary's lock.
 */
bool memphis_element_of_name(struct memphis_binaries *binaries, struct memphis_binary *binary, uint64_t vaddr,
			     const char *name, Dwarf_Die *element, bool *fortran);

#endif
