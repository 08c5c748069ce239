/* SPDX-License-Identifier: BSD-3-Clause */
/* Questions to DWARF types: how large a variable is, and what stands at an offset in it. */
#ifndef MEMPHIS_TYPES_H
#define MEMPHIS_TYPES_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#include "text.h"
#include "variables.h"

/* Is this compile unit written in Fortran? */
bool memphis_is_fortran(Dwarf_Die *unit);

/* Bytes of static memory that the variable takes; 0 = not known. */
uint64_t memphis_type_bytes(Dwarf_Die *variable);

/* What the word at `offset` in the variable is; appends the way to it ("%tx", ".next", "[]") to `path`. */
enum memphis_holder_rank memphis_type_holder(Dwarf *dwarf, Dwarf_Off variable, uint64_t offset, bool fortran,
					     struct memphis_text *path);

#endif
