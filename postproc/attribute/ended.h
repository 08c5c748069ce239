/* SPDX-License-Identifier: BSD-3-Clause */
/* Collects the blocks that ended during the replay, and builds the table of blocks from them. */
#ifndef MEMPHIS_ENDED_H
#define MEMPHIS_ENDED_H

#include "attribute/blocks.h"
#include "attribute/live_blocks.h"

struct memphis_ended {
	struct memphis_blocks *blocks; /* under construction */
	struct memphis_ended_block *list;
	size_t count, room;
	struct memphis_group_entry *groups; /* uthash: finds the group of equal blocks */
};

/* Records the end of a live block, which the caller removes from its tree. 0 or -ENOMEM. */
int memphis_ended_add(struct memphis_ended *ended, const struct memphis_live_block *block,
		      enum memphis_block_table table, uint64_t to_ns);

/* Fills the list of blocks: blocks of one group with the same start and end become one block with several lifetimes. 0 or -ENOMEM. */
int memphis_ended_fold(struct memphis_ended *ended);
void memphis_ended_close(struct memphis_ended *ended);

#endif
