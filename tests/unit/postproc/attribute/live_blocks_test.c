// SPDX-License-Identifier: BSD-3-Clause
/* The tree of live blocks. If this fails, blocks are lost while allocations are replayed. */
#include "attribute/live_blocks.h"

#include "../../tap.h"

int main(void)
{
	struct memphis_live_blocks live = {0};
	struct memphis_live_block block = {0}, *at;
	unsigned int i, seed = 7, wrong = 0;
	static unsigned char alive[1000];

	ok(!memphis_live_blocks_at(&live, 0), "an empty tree has no block");
	/* 1000 slots of 16 bytes; blocks of 8 bytes are inserted and removed. */
	for (i = 0; i < 100000; i++) {
		unsigned int place;

		seed = seed * 1103515245 + 12345;
		place = (seed >> 16) % 1000;
		block.start = place * 16;
		block.end = block.start + 8;
		block.stack = place;
		if (alive[place])
			memphis_live_blocks_remove(&live, block.start);
		else if (memphis_live_blocks_insert(&live, &block))
			wrong++;
		alive[place] ^= 1;
		at = memphis_live_blocks_at(&live, block.start);
		wrong += alive[place] ? !at || at->start != block.start || at->stack != place
				      : at && at->start == block.start;
	}
	ok(!wrong, "a block is found exactly while it is live");
	for (i = 0; i < 1000; i++) {
		unsigned int next = i;

		while (next < 1000 && !alive[next])
			next++;
		at = memphis_live_blocks_at(&live, i * 16);
		wrong += next < 1000 ? !at || at->start != next * 16 : at != NULL;
		at = memphis_live_blocks_at(&live, i * 16 + 8);
		wrong += at && at->start == i * 16;
	}
	ok(!wrong, "from any address the next block is found");
	memphis_live_blocks_close(&live);
	return finish();
}
