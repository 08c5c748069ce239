/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pointers that held the address of a part of a pool, and do not prove what the part is called: a pool's own pointer holds the start of its
 * block, where the first part begins, too; and its pointer to the part that it handed out last holds parts of every line. Such a pointer names a
 * block or part only if the source line that allocates it assigns to the pointer.
 */
#ifndef MEMPHIS_SHARED_SLOTS_H
#define MEMPHIS_SHARED_SLOTS_H

#include "attribute/blocks.h"

/* Fills in blocks->shared_slots from the holders of all groups. Returns 0 or -ENOMEM. */
int memphis_shared_slots_find(struct memphis_blocks *blocks);

bool memphis_shared_slots_has(const struct memphis_blocks *blocks, uint64_t slot);

#endif
