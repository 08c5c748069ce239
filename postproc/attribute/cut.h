/* SPDX-License-Identifier: BSD-3-Clause */
/* Ends live blocks in a range of addresses, and leaves pieces of them alive. */
#ifndef MEMPHIS_CUT_H
#define MEMPHIS_CUT_H

#include "attribute/ended.h"
#include "attribute/live_blocks.h"

/* Inserts `piece` with these bounds, alive from `from_ns` on; nothing if it is empty. Returns 0 or -ENOMEM. */
int memphis_insert_piece(struct memphis_live_blocks *live, struct memphis_live_block piece, uint64_t start,
			 uint64_t end, uint64_t from_ns);

struct memphis_cut {
	uint64_t low, high, time_ns;
	bool keep_rest; /* the pieces outside the range stay alive */
	/* if it is not NULL, the pieces inside stay alive under this name (0: unnamed) */
	const uint32_t *name;
};

/*
 * Ends all blocks in `live`, which is the table `table`, that overlap [low, high). Adds the number of blocks to *touched. Returns 0 or
 * -ENOMEM.
 */
int memphis_cut_blocks(struct memphis_live_blocks *live, struct memphis_ended *ended,
		       enum memphis_block_table table, const struct memphis_cut *cut, size_t *touched);

#endif
