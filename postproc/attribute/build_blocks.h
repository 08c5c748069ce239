/* SPDX-License-Identifier: BSD-3-Clause */
/* Builds the blocks of all processes from their allocations. */
#ifndef MEMPHIS_BUILD_BLOCKS_H
#define MEMPHIS_BUILD_BLOCKS_H

#include "attribute/blocks.h"

/*
 * Replays the allocations, namings and holders of all processes; a child inherits the blocks of its parent at the fork. Sorts the events
 * of the processes; fills blocks[i] for list[i]. 0 or -ENOMEM; close all blocks in either case.
 */
int memphis_blocks_build(struct memphis_blocks *const *blocks, struct memphis_process *list, size_t count);

#endif
