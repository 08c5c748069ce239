/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the variable whose address a call passes as an argument, from the debug information of the call. The source text is not needed. */
#ifndef MEMPHIS_CALL_ARGUMENTS_H
#define MEMPHIS_CALL_ARGUMENTS_H

#include <stddef.h>

#include "dwarf/binary.h"

/*
 * Finds the variable that a call passes by address. The call returns to `return_vaddr`; `position` is the
 * number of the argument, from 0. All arguments up to this one must be addresses. The variable must be the
 * only one of the function around the call that contains the address. Variables of functions inlined around
 * the call count only if the innermost one has them.
 * *name becomes the name of the variable with the path of its component at the address, malloc'ed. A
 * structure and its first component have the same address: the component is the one to which `from`, a path
 * in the called procedure, can be appended. *is_known: that component was found.
 * Returns false if there is no such variable, or if memory is exhausted. Locks the binary. Not thread-safe
 * for calls with the same binary.
 */
bool memphis_passed_variable_find(struct memphis_binaries *binaries, struct memphis_binary *binary,
				  uint64_t return_vaddr, unsigned int position, const char *from, char **name,
				  bool *is_known);

#endif
