/* SPDX-License-Identifier: BSD-3-Clause */
/* The state of a process's memory while its allocations, releases, namings and holders are replayed in order of time. */
#ifndef MEMPHIS_REPLAY_H
#define MEMPHIS_REPLAY_H

#include "attribute/ended.h"
#include "attribute/history.h"
#include "attribute/live_blocks.h"

/* What a thread released last, with its pieces: if realloc moves it, its identity goes along. */
struct memphis_released {
	uint64_t address, end, time_ns;
	struct memphis_live_block *pieces;
	size_t count, room;
};

struct memphis_replay {
	struct memphis_blocks *blocks; /* that are being built */
	struct memphis_process *process;
	struct memphis_live_blocks live[MEMPHIS_BLOCK_TABLES];
	struct memphis_ended ended;
	struct memphis_released *released; /* of each source */
	uint32_t source_count;
	struct memphis_released *released_before; /* what each source of the parent had released last */
	size_t released_before_count, released_before_room;
};

/* Applies the next event of the source. 0 or -ENOMEM, likewise below. */
int memphis_replay_event(struct memphis_replay *replay, const struct memphis_event_source *source);

/* Ends all blocks that still live: their release is not in the files. */
int memphis_replay_end(struct memphis_replay *replay);
void memphis_replay_close(struct memphis_replay *replay);

#endif
