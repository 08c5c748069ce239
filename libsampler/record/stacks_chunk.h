/* SPDX-License-Identifier: BSD-3-Clause */
/* Chunks of call stacks: of allocations, and of the callers of samples. Used by the drain only. */
#ifndef MEMPHIS_STACKS_CHUNK_H
#define MEMPHIS_STACKS_CHUNK_H

#include "data/file.h"
#include "unwind/stack.h"

/* Writes the stacks that were stored since the last call to chunks of type STACKS or CHAINS. */
void memphis_stacks_chunk(struct memphis_stacks *stacks, struct memphis_sample_file *file, __u16 type);

#endif
