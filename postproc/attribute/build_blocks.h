/* SPDX-License-Identifier: BSD-3-Clause */
/* Builds the blocks of all processes from their recorded allocations. */
#ifndef MEMPHIS_BUILD_BLOCKS_H
#define MEMPHIS_BUILD_BLOCKS_H

#include "attribute/blocks.h"

/*
 * Builds the blocks of all processes by replaying their allocations, namings and holders. A child inherits
 * the blocks that its parent had at the fork. Sorts the events of the processes, and fills in blocks[i] for
 * list[i]. Returns 0 or -ENOMEM. The caller must close all blocks in both cases.
 */
int memphis_blocks_build(struct memphis_blocks *const *blocks, struct memphis_process *list, size_t count);

#endif
