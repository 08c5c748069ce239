/* SPDX-License-Identifier: BSD-3-Clause */
/* Builds the blocks of all processes from their allocations. */
#ifndef MEMPHIS_BUILD_BLOCKS_H
#define MEMPHIS_BUILD_BLOCKS_H

#include "attribute/blocks.h"

/*
 * Replays the processes' allocations, namings and holders; a child begins with what its parent had when it was forked.
 * blocks[i] gets those of list[i]. 0 or -ENOMEM; close them in either case.
 */
int memphis_blocks_build(struct memphis_blocks *const *blocks, struct memphis_process *list, size_t count);

#endif
