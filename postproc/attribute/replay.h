/* SPDX-License-Identifier: BSD-3-Clause */
/* The state of a process's memory while its allocations, releases, namings and holders are replayed in chronological order. */
#ifndef MEMPHIS_REPLAY_H
#define MEMPHIS_REPLAY_H

#include "attribute/ended.h"
#include "attribute/live_blocks.h"
#include "read/process.h"

/*
 * The events of a process sorted by time: its own allocations, namings and holders, and the events of its ancestors before the fork that
 * are not in the inherited blocks.
 */

enum memphis_event_kind { MEMPHIS_EVENT_ALLOCATION, MEMPHIS_EVENT_NAMING, MEMPHIS_EVENT_HOLDER };

/* A list of events sorted by time: the allocations of one thread, or all namings or all holders of a process. */
struct memphis_event_source {
	const struct memphis_process *process;
	const struct memphis_allocation *allocations; /* of the thread; unused for namings and holders */
	enum memphis_event_kind kind;
	uint32_t thread;  /* index of the thread in its process; for allocations */
	uint32_t number;  /* number of the source, in order of opening */
	uint32_t rank;    /* order of simultaneous events: releases, allocations, namings, holders */
	uint64_t time_ns; /* time of the next event, which has the index `next` */
	size_t next, end;
};

struct memphis_history {
	struct memphis_event_source *heap; /* binary heap; its root is the source of the next event */
	size_t count, room;
	uint32_t sources; /* number of sources that were opened */
};

/*
 * Opens the lists of the process and of its ancestors, which must be sorted by time. Returns 0 or -ENOMEM; the caller must close the
 * history in both cases.
 */
int memphis_history_open(struct memphis_history *history, const struct memphis_process *process);

/* Returns the source of the next event, whose index is source->next, or NULL after the last event. */
static inline const struct memphis_event_source *memphis_history_next(const struct memphis_history *history)
{
	return history->count ? history->heap : NULL;
}

/* Advances to the next event. */
void memphis_history_advance(struct memphis_history *history);
void memphis_history_close(struct memphis_history *history);

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
