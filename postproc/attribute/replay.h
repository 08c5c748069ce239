/* SPDX-License-Identifier: BSD-3-Clause */
/* The state of a process's memory while its allocations, releases, namings and holders are replayed in chronological order. */
#ifndef MEMPHIS_REPLAY_H
#define MEMPHIS_REPLAY_H

#include "attribute/ended.h"
#include "attribute/history.h"
#include "attribute/live_blocks.h"

/*
 * The block that a thread released last, in pieces. If realloc() moved the block, the new block inherits its names, holders and allocation
 * site.
 */
struct memphis_released {
	uint64_t address, end, time_ns;
	struct memphis_live_block *pieces;
	size_t count, room;
};

struct memphis_replay {
	struct memphis_blocks *blocks; /* under construction */
	struct memphis_process *process;
	struct memphis_live_blocks live[MEMPHIS_BLOCK_TABLES];
	struct memphis_ended ended;
	struct memphis_released *released; /* one entry per source of events */
	uint32_t source_count;
	/* The blocks that the sources of the parent had released last at the time of the fork. */
	struct memphis_released *released_before;
	size_t released_before_count, released_before_room;
};

/* Applies the next event of the source, but does not advance the source. Returns 0 or -ENOMEM. */
int memphis_replay_event(struct memphis_replay *replay, const struct memphis_event_source *source);

/* Ends all live blocks at the time UINT64_MAX, because their release was not recorded. Returns 0 or -ENOMEM. */
int memphis_replay_end(struct memphis_replay *replay);
void memphis_replay_close(struct memphis_replay *replay);

#endif
