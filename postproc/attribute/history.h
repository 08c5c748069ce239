/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The events of a process in order of time: allocations, namings and holders of its own, and what those had done that it
 * was forked from, as far as that is not in the blocks that it inherited.
 */
#ifndef MEMPHIS_HISTORY_H
#define MEMPHIS_HISTORY_H

#include "read/process.h"

enum memphis_event_kind { MEMPHIS_EVENT_ALLOCATION, MEMPHIS_EVENT_NAMING, MEMPHIS_EVENT_HOLDER };

/* One list of events in order of time: a thread's allocations, all namings or all holders of a process. */
struct memphis_event_source {
	const struct memphis_process *process;
	const struct memphis_allocation *allocations; /* else those of the process */
	enum memphis_event_kind kind;
	uint32_t number;  /* of the source */
	uint32_t rank;    /* at equal times: releases, allocations, namings, holders */
	uint64_t time_ns; /* of the next event */
	size_t next, end;
};

struct memphis_history {
	struct memphis_event_source *heap; /* the first one has the next event */
	size_t count, room;
	uint32_t sources; /* numbers that were given */
};

/* The lists of the process and of its ancestors must be in order. 0 or -ENOMEM; close it in either case. */
int memphis_history_open(struct memphis_history *history, const struct memphis_process *process);

/* The source of the next event, which is at its `next`; NULL at the end. */
static inline const struct memphis_event_source *memphis_history_next(const struct memphis_history *history)
{
	return history->count ? history->heap : NULL;
}

/* Moves on to the following event. */
void memphis_history_pass(struct memphis_history *history);
void memphis_history_close(struct memphis_history *history);

#endif
