/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the variable whose address a call passes as an argument. Uses the debug information of the call, not the source text. */
#ifndef MEMPHIS_CALL_ARGUMENTS_H
#define MEMPHIS_CALL_ARGUMENTS_H

#include <stddef.h>

#include "dwarf/binary.h"

/*
 * Finds the variable whose address a call passes as argument number `position`, from 0. The call returns to
 * `return_vaddr`. All arguments up to this one must be addresses. The address must be inside exactly one
 * variable of the function that contains the call. If the call is in inlined functions, only the variables of
 * the innermost one count.
 *
 * Sets *name to the malloc'ed name of the variable, followed by the path of its component at the address. A
 * structure and its first component have the same address. The component is then chosen so that `from`, a
 * path in the called procedure, can be appended. Sets *is_known to true if such a component was found.
 *
 * Returns false if there is no such variable, or if memory is exhausted. Locks the binary. Not thread-safe
 * for calls with the same binary.
 */
bool memphis_passed_variable_find(struct memphis_binaries *binaries, struct memphis_binary *binary,
				  uint64_t return_vaddr, unsigned int position, const char *from, char **name,
				  bool *is_known);

#endif
