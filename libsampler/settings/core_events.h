/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parser of the setting MEMPHIS_REGION_COUNTERS. The setting determines whether cycles and instructions of
 * regions are counted, and which other events of the core are counted. Does not allocate memory.
 */
#ifndef MEMPHIS_CORE_EVENTS_H
#define MEMPHIS_CORE_EVENTS_H

#include <stdbool.h>

#include <memphis/device.h>

#define MEMPHIS_CORE_EVENT_NAME_BYTES 64

struct memphis_core_events {
	bool on; /* cycles and instructions are counted, and also the events in the list */
	__u32 count;
	struct memphis_counter_event list[MEMPHIS_COUNTER_EVENTS_MAX];
	char names[MEMPHIS_COUNTER_EVENTS_MAX]
		  [MEMPHIS_CORE_EVENT_NAME_BYTES]; /* NAME of NAME=EVENT, or the event as given */
};

/*
 * Parses "0", "1", or a list of EVENT or NAME=EVENT, separated by commas. Returns 0. On an error, returns
 * -EINVAL and does not change *events.
 */
int memphis_core_events_parse(struct memphis_core_events *events, const char *text);

#endif
