/* SPDX-License-Identifier: (GPL-2.0-only WITH Linux-syscall-note) OR BSD-3-Clause */
/* The table of sampling events. The module, the library and the tool make their tables from it. */
#ifndef MEMPHIS_SAMPLING_EVENTS_H
#define MEMPHIS_SAMPLING_EVENTS_H

#include <memphis/sample.h>

/*
 * Each ROW(event, name, source, flags) describes one enum memphis_sampling_event: its name in settings, files
 * and reports, and the source and flags of all its samples (without MEMPHIS_FLAG_BY_SOURCE). Samples of the
 * first event have the source and flags that the hardware reports.
 */
#define MEMPHIS_SAMPLING_EVENTS(ROW)                                                        \
	ROW(MEMPHIS_EVENT_ACCESS, "load-latency", MEMPHIS_SOURCE_UNKNOWN, 0)                \
	ROW(MEMPHIS_EVENT_LOCAL_DRAM, "local-dram", MEMPHIS_SOURCE_DRAM, MEMPHIS_FLAG_LOAD) \
	ROW(MEMPHIS_EVENT_REMOTE_DRAM, "remote-dram", MEMPHIS_SOURCE_DRAM,                  \
	    MEMPHIS_FLAG_LOAD | MEMPHIS_FLAG_REMOTE)                                        \
	ROW(MEMPHIS_EVENT_REMOTE_HITM, "remote-hitm", MEMPHIS_SOURCE_PEER_CACHE,            \
	    MEMPHIS_FLAG_LOAD | MEMPHIS_FLAG_REMOTE | MEMPHIS_FLAG_HITM)                    \
	ROW(MEMPHIS_EVENT_REMOTE_FORWARD, "remote-forward", MEMPHIS_SOURCE_PEER_CACHE,      \
	    MEMPHIS_FLAG_LOAD | MEMPHIS_FLAG_REMOTE)

#endif
