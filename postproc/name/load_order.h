/* SPDX-License-Identifier: BSD-3-Clause */
/* In which order a loop reads memory, from its code: the loop counts, or the address comes from other data. */
#ifndef MEMPHIS_LOAD_ORDER_H
#define MEMPHIS_LOAD_ORDER_H

#include "dwarf/binary.h"
#include "profile/heatmap.h"

/*
 * Sets how the innermost loop around the instruction at `pc`, a link-time address, computes the address of its access. Returns 0 or -ENOMEM.
 */
int memphis_load_order_find(struct memphis_binaries *binaries, struct memphis_binary *binary, uint64_t pc,
			    enum memphis_load_order *order);

#endif
