/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The sources of data for which a load waits. These are all sources beyond the core's own L2. Three kinds of accesses
 * wait for none of them: loads from the L1 and L2, stores, and loads without a reported latency (0 cycles).
 */
#ifndef MEMPHIS_WAIT_SOURCE_H
#define MEMPHIS_WAIT_SOURCE_H

#include <stdbool.h>

#include "read/access.h"

/* Sorted from near to far. Unknown sources come last. */
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
	MEMPHIS_WAIT_SOURCES /* number of sources; as a result, it means that the load did not wait */
};

/* The names in outputs, which are also the keys in JSON. */
extern const char *const memphis_wait_source_names[MEMPHIS_WAIT_SOURCES];

/* Returns the source for which an access with a latency waited, or MEMPHIS_WAIT_SOURCES if it is the L1 or L2. */
enum memphis_wait_source memphis_wait_source(const struct memphis_access *access);

/* Returns whether a load of this kind waits, provided that its latency is not 0. */
static inline bool memphis_waits(const struct memphis_access *access)
{
	return memphis_wait_source(access) < MEMPHIS_WAIT_SOURCES;
}

#endif
