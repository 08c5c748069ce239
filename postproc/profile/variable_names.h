/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds parts of a variable's name: the object of which it is a member, and the name without indices. */
#ifndef MEMPHIS_VARIABLE_NAMES_H
#define MEMPHIS_VARIABLE_NAMES_H

#include <stddef.h>

/*
 * Returns the length of the object's name, for example of "grid%" in "grid%tx", of "domain->" in "domain->x", or of
 * "Domain::" in "Domain::x". Returns 0 if the variable is not a member.
 */
size_t memphis_owner_length(const char *name);

/* Returns the length of the name without the indices at its end, for example of "rows" in "rows[]". */
size_t memphis_base_length(const char *name);

#endif
