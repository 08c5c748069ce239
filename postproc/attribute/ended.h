/* SPDX-License-Identifier: BSD-3-Clause */
/* Collects the blocks that end during the replay, and builds the table of blocks from them. */
#ifndef MEMPHIS_ENDED_H
#define MEMPHIS_ENDED_H

#include "attribute/blocks.h"
#include "attribute/live_blocks.h"

struct memphis_ended {
	struct memphis_blocks *blocks; /* under construction */
	struct memphis_ended_block *list;
	size_t count, room;
	struct memphis_strings
		groups; /* attributes of a group; the number - 1 is the index in blocks->groups */
};

/* Records the end of a live block. The caller removes the block from its tree. Returns 0 or -ENOMEM. */
int memphis_ended_add(struct memphis_ended *ended, const struct memphis_live_block *block,
		      enum memphis_block_table table, uint64_t to_ns);

/*
 * Fills in the list of blocks: combines blocks of one group with the same start and end into one block with several lifetimes. Returns 0 or
 * -ENOMEM.
 */
int memphis_ended_fold(struct memphis_ended *ended);
void memphis_ended_close(struct memphis_ended *ended);

#endif
