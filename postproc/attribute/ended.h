/* SPDX-License-Identifier: BSD-3-Clause */
/* The lifetimes of blocks, on their way from the replay to the table of blocks. */
#ifndef MEMPHIS_ENDED_H
#define MEMPHIS_ENDED_H

#include "attribute/blocks.h"
#include "attribute/live_blocks.h"

struct memphis_ended {
	struct memphis_blocks *blocks; /* that are being made */
	struct memphis_ended_block *list;
	size_t count, room;
	struct memphis_group_entry *groups; /* uthash: finds the group of equal blocks */
};

/* Writes the end of a live block down, which stays in its tree. 0 or -ENOMEM. */
int memphis_ended_add(struct memphis_ended *ended, const struct memphis_live_block *block,
		      enum memphis_block_table table, uint64_t to_ns);

/* Blocks that came again at the same place become one with several lifetimes. 0 or -ENOMEM. */
int memphis_ended_fold(struct memphis_ended *ended);
void memphis_ended_close(struct memphis_ended *ended);

#endif
