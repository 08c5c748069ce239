/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parser of MEMPHIS_REGION_COUNTERS, which says whether cycles and instructions of regions are counted, and which further events of the
 * core. Does not allocate.
 */
#ifndef MEMPHIS_CORE_EVENTS_H
#define MEMPHIS_CORE_EVENTS_H

#include <stdbool.h>

#include <memphis/device.h>

#define MEMPHIS_CORE_EVENT_NAME_BYTES 64

struct memphis_core_events {
	bool on; /* cycles and instructions are counted, and the events of the list */
	__u32 count;
	struct memphis_counter_event list[MEMPHIS_COUNTER_EVENTS_MAX];
	char names[MEMPHIS_COUNTER_EVENTS_MAX]
		  [MEMPHIS_CORE_EVENT_NAME_BYTES]; /* NAME of NAME=EVENT, or the event as given */
};

/* Parses "0", "1", or a comma list of EVENT or NAME=EVENT. Returns 0, or -EINVAL and leaves *events unchanged. */
int memphis_core_events_parse(struct memphis_core_events *events, const char *text);

#endif
