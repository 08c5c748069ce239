/* SPDX-License-Identifier: BSD-3-Clause */
/* How an access went: what selections ask for, and what is counted apart. */
#ifndef MEMPHIS_ACCESS_H
#define MEMPHIS_ACCESS_H

#include <stdbool.h>
#include <stdint.h>

#include <memphis/sample.h>

#define MEMPHIS_LINE_BYTES \
	64 /* of a cache line: what one access to memory moves, on all hardware that can sample */

struct memphis_access {
	uint16_t node, home;    /* accessing node, node of the page; MEMPHIS_NODE_UNKNOWN */
	uint16_t source, flags; /* enum memphis_source, MEMPHIS_FLAG_* */
};

static inline struct memphis_access memphis_access_of(const struct memphis_sample *sample)
{
	return (struct memphis_access){sample->node, sample->home_node, sample->source, sample->flags};
}

/* Did a cache line come from outside the own L3? */
static inline bool memphis_moves_line(const struct memphis_access *access)
{
	return access->source == MEMPHIS_SOURCE_DRAM || access->source == MEMPHIS_SOURCE_EXTENSION ||
	       access->source == MEMPHIS_SOURCE_PEER_CACHE;
}

/* Does another node own the page? */
static inline bool memphis_goes_away(const struct memphis_access *access)
{
	return access->node != MEMPHIS_NODE_UNKNOWN && access->home != MEMPHIS_NODE_UNKNOWN &&
	       access->node != access->home;
}

#endif
