/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The live parts of pools during the replay. A part inside a live part of another pool is one level deeper. The parts of one level never
 * overlap, and each part of a deeper level lies in one of the level above: when that one ends, it ends, too.
 * The functions return 0 or -ENOMEM.
 */
#ifndef MEMPHIS_REPLAY_PARTS_H
#define MEMPHIS_REPLAY_PARTS_H

#include "attribute/replay.h"

/* Begins a part. Parts of the same pool that it overlaps end; blocks->overlapped counts them. */
int memphis_parts_begin(struct memphis_replay *replay, const struct memphis_live_block *part);

/* Ends the pool's part that was allocated at `address`, if there is one. */
int memphis_parts_free(struct memphis_replay *replay, uint32_t pool, uint64_t address, uint64_t time_ns);

/* Ends all parts of the pool; they lie in [low, high). */
int memphis_parts_reset(struct memphis_replay *replay, uint32_t pool, uint64_t low, uint64_t high,
			uint64_t time_ns);

/* Ends all parts of all pools in [low, high), because the memory has another owner. With `keep_rest`, what is outside stays alive. */
int memphis_parts_clear(struct memphis_replay *replay, uint64_t low, uint64_t high, uint64_t time_ns,
			bool keep_rest);

/* Names [low, high) if it lies in a part: in the innermost one. Sets *named accordingly. */
int memphis_parts_name(struct memphis_replay *replay, const struct memphis_naming *naming, bool *named);

/* Finds the parts that begin at the address: sets list[] for each level, NULL for none. */
void memphis_parts_at(struct memphis_replay *replay, uint64_t address,
		      struct memphis_live_block *list[MEMPHIS_PART_LEVELS]);

#endif
