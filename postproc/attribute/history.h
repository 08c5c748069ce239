/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The events of a process in order of time: its allocations, namings and holders, and those events of its ancestors before the fork that
 * are not in the inherited blocks.
 */
#ifndef MEMPHIS_HISTORY_H
#define MEMPHIS_HISTORY_H

#include "read/process.h"

enum memphis_event_kind { MEMPHIS_EVENT_ALLOCATION, MEMPHIS_EVENT_NAMING, MEMPHIS_EVENT_HOLDER };

/* One list of events in order of time: the allocations of a thread, or all namings or all holders of a process. */
struct memphis_event_source {
	const struct memphis_process *process;
	const struct memphis_allocation *allocations; /* of the thread; unused for namings and holders */
	enum memphis_event_kind kind;
	uint32_t number;  /* of the source, in order of opening */
	uint32_t rank;    /* order of events at the same time: releases, allocations, namings, holders */
	uint64_t time_ns; /* of the next event, at index `next` */
	size_t next, end;
};

struct memphis_history {
	struct memphis_event_source *heap; /* binary heap; the root has the next event */
	size_t count, room;
	uint32_t sources; /* number of sources that were opened */
};

/* The lists of the process and of its ancestors must be sorted by time. 0 or -ENOMEM; close it in either case. */
int memphis_history_open(struct memphis_history *history, const struct memphis_process *process);

/* The source of the next event, which has the index source->next; NULL at the end. */
static inline const struct memphis_event_source *memphis_history_next(const struct memphis_history *history)
{
	return history->count ? history->heap : NULL;
}

/* Advances to the following event. */
void memphis_history_pass(struct memphis_history *history);
void memphis_history_close(struct memphis_history *history);

#endif
