/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The thread control block of a companion (base/companion.h), at which its register fs points. The thread-local variables of the objects that were
 * loaded at the start are at fixed distances below it; a companion has those of the library and of the C library only.
 */
#ifndef MEMPHIS_CONTROL_BLOCK_H
#define MEMPHIS_CONTROL_BLOCK_H

#include <stddef.h>

#define MEMPHIS_CONTROL_BLOCK_BYTES 8192u /* room for the block itself */

/* Finds the variables. Must be called before main(), once. */
void memphis_control_block_setup(void);

/* Returns the size of the block and of all that is below it, in bytes; a multiple of the page size. */
size_t memphis_control_block_bytes(void);

/*
 * Unmaps what lies between the variables that companions use, where that is a megabyte or more: a program may have hundreds of megabytes of
 * thread-local variables. Smaller gaps stay mapped and are zero: libraries that interpose functions of the C library, such as the runtime of
 * MemorySanitizer, have their variables there. `pointer`:
 * address of the block, with memphis_control_block_bytes() of zeroed memory around it. Whoever maps these pages next has them.
 */
void memphis_control_block_unmap_gaps(char *pointer);

/* Writes the block, and the initial values of the variables. Async-signal-safe. */
void memphis_control_block_fill(char *pointer);

#endif
