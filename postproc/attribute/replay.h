/* SPDX-License-Identifier: BSD-3-Clause */
/* The state of a process's memory while its allocations, releases, namings and holders are replayed in order of time. */
#ifndef MEMPHIS_REPLAY_H
#define MEMPHIS_REPLAY_H

#include "attribute/ended.h"
#include "attribute/history.h"
#include "attribute/live_blocks.h"

/* The block that a thread released last, in pieces. If realloc() moves it, the new block inherits its identity. */
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
	struct memphis_released *released; /* by source of events */
	uint32_t source_count;
	/* The last release of each source of the parent, at the fork. */
	struct memphis_released *released_before;
	size_t released_before_count, released_before_room;
};

/* Applies the next event of the source, but does not advance the source. 0 or -ENOMEM, likewise below. */
int memphis_replay_event(struct memphis_replay *replay, const struct memphis_event_source *source);

/* Ends all live blocks, at UINT64_MAX: their release was not recorded. */
int memphis_replay_end(struct memphis_replay *replay);
void memphis_replay_close(struct memphis_replay *replay);

#endif
