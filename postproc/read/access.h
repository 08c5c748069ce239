/* SPDX-License-Identifier: BSD-3-Clause */
/* How a sampled access was made: the nodes, the data source and the flags that selections test and that cells are keyed by. */
#ifndef MEMPHIS_ACCESS_H
#define MEMPHIS_ACCESS_H

#include <stdbool.h>
#include <stdint.h>

#include <memphis/sample.h>

/* Size of a cache line, the unit that an access to memory transfers on all supported sampling hardware. */
#define MEMPHIS_LINE_BYTES 64

struct memphis_access {
	uint16_t node, home;    /* accessing node, home node of the page; or MEMPHIS_NODE_UNKNOWN */
	uint16_t source, flags; /* enum memphis_source, MEMPHIS_FLAG_* */
};

static inline struct memphis_access memphis_access_of(const struct memphis_sample *sample)
{
	return (struct memphis_access){sample->node, sample->home_node, sample->source, sample->flags};
}

/* Was the cache line fetched from outside the core's own L3? */
static inline bool memphis_moves_line(const struct memphis_access *access)
{
	return access->source == MEMPHIS_SOURCE_DRAM || access->source == MEMPHIS_SOURCE_EXTENSION ||
	       access->source == MEMPHIS_SOURCE_PEER_CACHE;
}

/*
 * Cross-check of two sources of information: loads from DRAM whose home node is known, and the loads among them whose "remote" flag
 * contradicts the home node. Only DRAM counts: any node's cache may hold a line, extension memory may be attached to one node and
 * accounted to another, and stores carry no data source.
 */
struct memphis_homes {
	uint64_t known;          /* all such loads */
	uint64_t remote_at_home; /* flagged as served by another node, but the accessing node owns the page */
	uint64_t local_away;     /* flagged as served by the own node, but another node owns the page */
};

/* The contribution of one access to each counter: 0 or 1. */
static inline struct memphis_homes memphis_homes_of(const struct memphis_access *access)
{
	const bool told = access->source == MEMPHIS_SOURCE_DRAM && access->flags & MEMPHIS_FLAG_LOAD &&
			  access->node != MEMPHIS_NODE_UNKNOWN && access->home != MEMPHIS_NODE_UNKNOWN;
	const bool remote = access->flags & MEMPHIS_FLAG_REMOTE, own = access->node == access->home;

	return (struct memphis_homes){told, told && remote && own, told && !remote && !own};
}

static inline void memphis_homes_add(struct memphis_homes *sum, const struct memphis_homes *more)
{
	sum->known += more->known;
	sum->remote_at_home += more->remote_at_home;
	sum->local_away += more->local_away;
}

/* Does another node own the page? */
static inline bool memphis_goes_away(const struct memphis_access *access)
{
	return access->node != MEMPHIS_NODE_UNKNOWN && access->home != MEMPHIS_NODE_UNKNOWN &&
	       access->node != access->home;
}

#endif
