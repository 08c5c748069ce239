/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts of a variable's name: the object that it is a member of, and what many blocks have in common. */
#ifndef MEMPHIS_VARIABLE_NAMES_H
#define MEMPHIS_VARIABLE_NAMES_H

#include <stddef.h>

/* Returns the length of the object's name: of "grid%" in "grid%tx", "domain->" in "domain->x", "Domain::" in "Domain::x"; 0 if it is no member. */
size_t memphis_owner_length(const char *name);

/* Returns the length of the name without the indices at its end: of "rows" in "rows[]". */
size_t memphis_base_length(const char *name);

#endif
