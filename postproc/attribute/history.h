/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The events of a process sorted by time: its own allocations, namings and holders, and the events of its ancestors before the fork that
 * are not in the inherited blocks.
 */
#ifndef MEMPHIS_HISTORY_H
#define MEMPHIS_HISTORY_H

#include "read/process.h"

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
	struct memphis_event_source *heap; /* binary heap; the root is the source of the next event */
	size_t count, room;
	uint32_t sources; /* number of sources that were opened */
};

/*
 * The lists of the process and of its ancestors must be sorted by time. Returns 0 or -ENOMEM; the caller must close the history in both
 * cases.
 */
int memphis_history_open(struct memphis_history *history, const struct memphis_process *process);

/* Returns the source of the next event, whose index is source->next, or NULL after the last event. */
static inline const struct memphis_event_source *memphis_history_next(const struct memphis_history *history)
{
	return history->count ? history->heap : NULL;
}

/* Advances to the next event. */
void memphis_history_pass(struct memphis_history *history);
void memphis_history_close(struct memphis_history *history);

#endif
