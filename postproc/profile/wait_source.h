/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The sources of data for which a load waits: all beyond the core's own L2. Three kinds of accesses wait for none of them: loads from the
 * L1 and L2, stores, and loads whose latency the hardware did not report, which is 0.
 */
#ifndef MEMPHIS_WAIT_SOURCE_H
#define MEMPHIS_WAIT_SOURCE_H

#include <stdbool.h>

#include "read/access.h"

/* Sorted from near to far; what is not known comes last. */
enum memphis_wait_source {
	MEMPHIS_WAIT_L3 = 0,
	MEMPHIS_WAIT_PEER_CACHE,
	MEMPHIS_WAIT_LOCAL_DRAM,
	MEMPHIS_WAIT_REMOTE_CACHE,
	MEMPHIS_WAIT_REMOTE_DRAM,
	MEMPHIS_WAIT_EXTENSION,
	MEMPHIS_WAIT_IO,
	MEMPHIS_WAIT_FILL_BUFFER,
	MEMPHIS_WAIT_UNKNOWN,
	MEMPHIS_WAIT_SOURCES /* number of sources; as a result: the load did not wait */
};

/* names as printed, and as keys of JSON */
extern const char *const memphis_wait_source_names[MEMPHIS_WAIT_SOURCES];

/* Returns the source that an access with a latency waited for; MEMPHIS_WAIT_SOURCES if it is the L1 or L2. */
enum memphis_wait_source memphis_wait_source(const struct memphis_access *access);

/* Returns whether a load of this kind waits, if its latency is not 0. */
static inline bool memphis_waits(const struct memphis_access *access)
{
	return memphis_wait_source(access) < MEMPHIS_WAIT_SOURCES;
}

#endif
