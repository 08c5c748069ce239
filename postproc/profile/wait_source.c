// SPDX-License-Identifier: BSD-3-Clause
/* Finds the source for which a load waits, from the source of its data and whether another node supplied it. */
#include "profile/wait_source.h"

const char *const memphis_wait_source_names[MEMPHIS_WAIT_SOURCES] = {
	[MEMPHIS_WAIT_L3] = "l3",
	[MEMPHIS_WAIT_PEER_CACHE] = "peer-cache",
	[MEMPHIS_WAIT_LOCAL_DRAM] = "local-dram",
	[MEMPHIS_WAIT_REMOTE_CACHE] = "remote-cache",
	[MEMPHIS_WAIT_REMOTE_DRAM] = "remote-dram",
	[MEMPHIS_WAIT_EXTENSION] = "extension",
	[MEMPHIS_WAIT_IO] = "io",
	[MEMPHIS_WAIT_FILL_BUFFER] = "fill-buffer",
	[MEMPHIS_WAIT_UNKNOWN] = "unknown",
};

/* By enum memphis_source: what the load waits for if its own node supplied the data, and if another node did. */
static const struct {
	enum memphis_wait_source local, remote;
} of_source[MEMPHIS_SOURCES] = {
	[MEMPHIS_SOURCE_UNKNOWN] = {MEMPHIS_WAIT_UNKNOWN, MEMPHIS_WAIT_UNKNOWN},
	[MEMPHIS_SOURCE_L1] = {MEMPHIS_WAIT_SOURCES, MEMPHIS_WAIT_SOURCES},
	[MEMPHIS_SOURCE_L2] = {MEMPHIS_WAIT_SOURCES, MEMPHIS_WAIT_SOURCES},
	[MEMPHIS_SOURCE_L3] = {MEMPHIS_WAIT_L3, MEMPHIS_WAIT_REMOTE_CACHE},
	[MEMPHIS_SOURCE_PEER_CACHE] = {MEMPHIS_WAIT_PEER_CACHE, MEMPHIS_WAIT_REMOTE_CACHE},
	[MEMPHIS_SOURCE_DRAM] = {MEMPHIS_WAIT_LOCAL_DRAM, MEMPHIS_WAIT_REMOTE_DRAM},
	[MEMPHIS_SOURCE_EXTENSION] = {MEMPHIS_WAIT_EXTENSION, MEMPHIS_WAIT_EXTENSION},
	[MEMPHIS_SOURCE_IO] = {MEMPHIS_WAIT_IO, MEMPHIS_WAIT_IO},
	[MEMPHIS_SOURCE_FILL_BUFFER] = {MEMPHIS_WAIT_FILL_BUFFER, MEMPHIS_WAIT_FILL_BUFFER},
};

enum memphis_wait_source memphis_wait_source(const struct memphis_access *access)
{
	if (access->source >= MEMPHIS_SOURCES)
		return MEMPHIS_WAIT_UNKNOWN;
	return access->flags & MEMPHIS_FLAG_REMOTE ? of_source[access->source].remote
						   : of_source[access->source].local;
}
