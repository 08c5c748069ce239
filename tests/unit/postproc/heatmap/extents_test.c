// SPDX-License-Identifier: BSD-3-Clause
/*
 * Blocks of one variable that are far apart, side by side on an axis of positions. If this fails, all of such a block is judged as one part of the variable,
 * and its placement with it.
 */
#include <stdlib.h>

#include "heatmap/second_pass.h"

#include "../../tap.h"

enum { BLOCK = 0x1000 };

/* Records in the blocks at these addresses; `end`: the blocks are known. */
static struct memphis_heatmap made_of(const uint64_t *blocks, size_t count, bool end)
{
	struct memphis_heatmap_record records[16] = {{.address = 0}}, *list[16];
	struct memphis_heatmap heatmap = {.low = UINT64_MAX};
	size_t i;

	for (i = 0; i < count; i++) {
		list[i] = &records[i];
		records[i].address = blocks[i] + 8;
		records[i].offset = 8;
		records[i].block_end = end ? blocks[i] + BLOCK : 0;
		heatmap.low = blocks[i] + 8 < heatmap.low ? blocks[i] + 8 : heatmap.low;
		heatmap.high = blocks[i] + 8 > heatmap.high ? blocks[i] + 8 : heatmap.high;
	}
	memphis_heatmap_find_extents(&heatmap, list, count);
	return heatmap;
}

int main(void)
{
	static const uint64_t apart[] = {0x700000000000, 0x1000, 0x700000000000, 0x2000, 0x600000000000};
	static const uint64_t together[] = {0x5000, 0x1000, 0x3000};
	struct memphis_heatmap heatmap = made_of(apart, 5, true);

	is(heatmap.extent_count, 3, "blocks that touch are one extent, and each block counts once");
	is(memphis_heatmap_position(&heatmap, 0x1008), 8, "positions begin at 0");
	is(memphis_heatmap_position(&heatmap, 0x600000000010), 2 * BLOCK + 0x10,
	   "the memory between the blocks has no positions");
	is(memphis_heatmap_position(&heatmap, 0x700000000010), 3 * BLOCK + 0x10, "also before the last one");
	is(memphis_heatmap_address(&heatmap, 3 * BLOCK + 0x10), 0x700000000010, "a position has an address");
	is(memphis_heatmap_address(&heatmap, 0x1fff), 0x2fff, "the last one of an extent, too");
	memphis_heatmap_use_positions(&heatmap);
	is(heatmap.bin_shift, 7,
	   "128 bins are of three blocks and a part of the last one, and not of 112 TiB");
	memphis_heatmap_close(&heatmap);

	heatmap = made_of(together, 3, true);
	is(heatmap.extent_count, 0, "blocks that fill most of their range stay as they are");
	is(memphis_heatmap_position(&heatmap, 0x3008), 0x3008, "positions are then addresses");
	memphis_heatmap_close(&heatmap);
	heatmap = made_of(apart, 5, false);
	is(heatmap.extent_count, 0, "and so do blocks whose extent is not known");
	memphis_heatmap_close(&heatmap);
	return finish();
}
