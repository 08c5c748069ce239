/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the variable whose address a call passes as an argument, from the debug information of the call. The source text is not needed. */
#ifndef MEMPHIS_CALL_ARGUMENTS_H
#define MEMPHIS_CALL_ARGUMENTS_H

#include <stddef.h>

#include "dwarf/binary.h"

/*
 * Finds the only variable of the function around the call that contains the address which the call that returns to `return_vaddr` passes as its argument at
 * `position`, from 0; all arguments up to this one must be addresses. Variables of functions inlined around the call count only if the innermost one has
 * them. Returns false if there is none, or if memory is exhausted. *name becomes the name of the variable with the path of its component at the address,
 * malloc'ed: the one that `from`, a path in the procedure that is called, leads on from, since a structure has the address of its first component. *is_known:
 * that component was found. Locks the binary. Not thread-safe for calls with the same binary.
 */
bool memphis_passed_variable_find(struct memphis_binaries *binaries, struct memphis_binary *binary,
				  uint64_t return_vaddr, unsigned int position, const char *from, char **name,
				  bool *is_known);

#endif
