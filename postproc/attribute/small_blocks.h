/* SPDX-License-Identifier: BSD-3-Clause */
/* The recorded small blocks of a process by extent and time: finds the sites of the blocks around an address. */
#ifndef MEMPHIS_SMALL_BLOCKS_H
#define MEMPHIS_SMALL_BLOCKS_H

#include "attribute/blocks.h"
#include "attribute/small_sites.h"
#include "base/pool.h"

#define MEMPHIS_NO_MIX UINT32_MAX

/* From `time_ns` to the next step of the extent, its blocks have this mix. */
struct memphis_small_step {
	uint64_t time_ns;
	uint32_t mix; /* index in mixes, or MEMPHIS_NO_MIX */
};

struct memphis_small_extent {
	uint64_t number; /* address / MEMPHIS_SMALL_EXTENT_BYTES */
	size_t step, count;
};

struct memphis_small_blocks {
	struct memphis_small_extent *extents; /* sorted */
	size_t extent_count, extent_room;
	struct memphis_small_step *steps;
	size_t step_count, step_room;
	struct memphis_mix *mixes;
	size_t mix_count, mix_room;
	struct memphis_strings mix_numbers; /* finds equal mixes; the number is the index + 1 */
	struct memphis_sites sites;
	uint32_t *site_of_group, *group_of_site;
	uint64_t until_ns; /* from then on, records of small blocks are missing */
};

/* Builds the index from blocks->small, and frees that. Returns 0 or -ENOMEM; to be closed in both cases. */
int memphis_small_blocks_open(struct memphis_small_blocks *small, struct memphis_blocks *blocks,
			      uint64_t until_ns);
void memphis_small_blocks_close(struct memphis_small_blocks *small);

/* Returns the mix around the address at the time, or MEMPHIS_NO_MIX if no block is known there. */
uint32_t memphis_small_blocks_mix(const struct memphis_small_blocks *small, uint64_t address,
				  uint64_t time_ns);

#endif
