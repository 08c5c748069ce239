/* SPDX-License-Identifier: BSD-3-Clause */
/* What a block is made of, from the name that its allocation is assigned to. */
#ifndef MEMPHIS_BLOCK_TYPE_H
#define MEMPHIS_BLOCK_TYPE_H

#include "dwarf/binary.h"

/*
 * The type of the elements of what `name` points to ("x", "g->tx", "grid%edge%low", "rows[]") where it stands in the
 * function of the instruction at `vaddr`. False: nothing tells. Takes the binary's lock.
 */
bool memphis_element_of_name(struct memphis_binaries *binaries, struct memphis_binary *binary, uint64_t vaddr,
			     const char *name, Dwarf_Die *element, bool *fortran);

#endif
