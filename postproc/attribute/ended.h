/* SPDX-License-Identifier: BSD-3-Clause */
/* Collects the blocks that end during the replay, and builds the table of blocks from them. */
#ifndef MEMPHIS_ENDED_H
#define MEMPHIS_ENDED_H

#include "attribute/blocks.h"
#include "attribute/live_blocks.h"

struct memphis_ended {
	struct memphis_blocks *blocks; /* the blocks that are being built */
	struct memphis_ended_block *list;
	size_t count, room;
	/* the attributes of each group as a string; the number of the string minus 1 is the index in blocks->groups */
	struct memphis_strings groups;
};

/*
 * Records that a live block ends at `to_ns`. The caller removes the block from the live blocks. Returns 0 or
 * -ENOMEM.
 */
int memphis_ended_add(struct memphis_ended *ended, const struct memphis_live_block *block,
		      enum memphis_block_table table, uint64_t to_ns);

/*
 * Fills in blocks->list. Combines blocks of one group that have the same start and end into one block with
 * several lifetimes. Returns 0 or -ENOMEM.
 */
int memphis_ended_fold(struct memphis_ended *ended);
void memphis_ended_close(struct memphis_ended *ended);

#endif
