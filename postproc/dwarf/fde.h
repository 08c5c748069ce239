/* SPDX-License-Identifier: BSD-3-Clause */
/* The bounds of functions from .eh_frame, which libraries have even if they have no symbols. */
#ifndef MEMPHIS_FDE_H
#define MEMPHIS_FDE_H

#include "dwarf/binary.h"

/*
 * Stores the range of the frame description entry (FDE) that covers the instruction at `vaddr`. Returns false if there is none.
 * Not thread-safe for calls with the same binary.
 */
bool memphis_fde_range(struct memphis_binary *binary, uint64_t vaddr, uint64_t *low, uint64_t *high);

#endif
