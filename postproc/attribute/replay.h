/* SPDX-License-Identifier: BSD-3-Clause */
/* The state of a process's memory while its allocations, releases, namings and holders are replayed in chronological order. */
#ifndef MEMPHIS_REPLAY_H
#define MEMPHIS_REPLAY_H

#include "attribute/ended.h"
#include "attribute/live_blocks.h"
#include "read/process.h"

/*
 * The events of a process, sorted by time: its own allocations, namings and holders, and the events of its
 * ancestors before the fork that the inherited blocks do not contain yet.
 */

enum memphis_event_kind { MEMPHIS_EVENT_ALLOCATION, MEMPHIS_EVENT_NAMING, MEMPHIS_EVENT_HOLDER };

/* A list of events sorted by time: the allocations of one thread, or all namings or all holders of a process. */
struct memphis_event_source {
	const struct memphis_process *process;
	/* allocations of the thread; not used for namings and holders */
	const struct memphis_allocation *allocations;
	enum memphis_event_kind kind;
	uint32_t thread;  /* index of the thread in its process; for allocations */
	uint32_t number;  /* number of the source, in the order in which sources were opened */
	uint32_t rank;    /* order of simultaneous events: releases, allocations, namings, holders */
	uint64_t time_ns; /* time of the next event, which has the index `next` */
	size_t next, end;
};

struct memphis_history {
	struct memphis_event_source *heap; /* binary heap; its root is the source with the earliest event */
	size_t count, room;
	uint32_t sources; /* number of sources that were opened */
};

/*
 * Opens the event lists of the process and of its ancestors. The lists must be sorted by time. Returns 0 or
 * -ENOMEM. The caller must close the history in both cases.
 */
int memphis_history_open(struct memphis_history *history, const struct memphis_process *process);

/* Returns the source of the next event, which has the index source->next. Returns NULL after the last event. */
static inline const struct memphis_event_source *memphis_history_next(const struct memphis_history *history)
{
	return history->count ? history->heap : NULL;
}

/* Advances to the next event. */
void memphis_history_advance(struct memphis_history *history);
void memphis_history_close(struct memphis_history *history);

/*
 * The block that a thread released last, in pieces. If realloc() moved the block, the new block gets the
 * names, holders and call stack of the released one.
 */
struct memphis_released {
	uint64_t address, end, time_ns;
	struct memphis_live_block *pieces;
	size_t count, room;
};

struct memphis_replay {
	struct memphis_blocks *blocks; /* the blocks that are being built */
	struct memphis_process *process;
	struct memphis_live_blocks live[MEMPHIS_BLOCK_TABLES];
	struct memphis_ended ended;
	struct memphis_released *released; /* one entry per event source */
	uint32_t source_count;
	/* the blocks that the event sources of the parent had released last at the time of the fork */
	struct memphis_released *released_before;
	size_t released_before_count, released_before_room;
};

/* Applies the next event of the source, but does not advance the source. Returns 0 or -ENOMEM. */
int memphis_replay_event(struct memphis_replay *replay, const struct memphis_event_source *source);

/* Ends all blocks that are still live, at the time UINT64_MAX, because their release was not recorded. Returns 0 or -ENOMEM. */
int memphis_replay_end(struct memphis_replay *replay);
void memphis_replay_close(struct memphis_replay *replay);

#endif
