/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the variable whose address a call passes as an argument, from the debug information of the call. The source text is not needed. */
#ifndef MEMPHIS_CALL_ARGUMENTS_H
#define MEMPHIS_CALL_ARGUMENTS_H

#include <stddef.h>

#include "dwarf/binary.h"

/*
 * Stores the name of the only variable of the function around the call that begins at the address which the call that returns to `return_vaddr` passes as
 * its argument at `position`, from 0; all arguments up to this one must be addresses. Variables of functions inlined around the call count only if the
 * innermost one has them. *is_whole: the address is not that of a structure, and thus of its first component as well. Returns false if there is none. Locks the binary. Not thread-safe for calls with the same binary.
 */
bool memphis_passed_variable_find(struct memphis_binaries *binaries, struct memphis_binary *binary,
				  uint64_t return_vaddr, unsigned int position, char *name, size_t room,
				  bool *is_whole);

#endif
