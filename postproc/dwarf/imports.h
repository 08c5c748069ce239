/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The names by which a binary calls functions of other objects. A function may have several, such as memcpy and memmove of the C
 * library; only the binary that calls it shows which one its source has.
 */
#ifndef MEMPHIS_IMPORTS_H
#define MEMPHIS_IMPORTS_H

#include "dwarf/binary.h"

/*
 * Returns the name of the function that the call instruction at `vaddr` names, demangled and malloc'ed: of a call of a stub of the dynamic
 * linker (call memcpy@plt), or through the word that the linker fills (call *memcpy@GOTPCREL(%rip)). Returns NULL for other calls.
 * Thread-safe.
 */
char *memphis_import_of_call(struct memphis_binary *binary, uint64_t vaddr);

#endif
