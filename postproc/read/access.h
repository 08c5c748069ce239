/* SPDX-License-Identifier: BSD-3-Clause */
/* How a sampled access was made: accessing node, home node, data source and flags. */
#ifndef MEMPHIS_ACCESS_H
#define MEMPHIS_ACCESS_H

#include <stdbool.h>
#include <stdint.h>

#include <memphis/sample.h>

/* Size of a cache line in bytes: the unit of every transfer from memory on all supported hardware. */
#define MEMPHIS_LINE_BYTES 64

struct memphis_access {
	uint16_t node, home;    /* accessing node and home node of the page, or MEMPHIS_NODE_UNKNOWN */
	uint16_t source, flags; /* enum memphis_source, MEMPHIS_FLAG_* */
};

static inline struct memphis_access memphis_access_of(const struct memphis_sample *sample)
{
	return (struct memphis_access){sample->node, sample->home_node, sample->source, sample->flags};
}

/* Returns true if the cache line was fetched from outside the L3 cache of the accessing core. */
static inline bool memphis_moves_line(const struct memphis_access *access)
{
	return access->source == MEMPHIS_SOURCE_DRAM || access->source == MEMPHIS_SOURCE_EXTENSION ||
	       access->source == MEMPHIS_SOURCE_PEER_CACHE;
}

/*
 * Cross-check of two sources of information about remote accesses: the home node of the page, and the
 * hardware's "remote" flag. Counts the loads from DRAM whose home node is known, and those for which home
 * node and flag disagree. Other accesses are not counted. For loads from caches, the line may be in the cache
 * of any node. Extension memory may be attached to one node and accounted to another. Stores have no data
 * source.
 */
struct memphis_homes {
	uint64_t known;          /* all loads from DRAM with a known home node */
	uint64_t remote_at_home; /* flagged as remote, but the accessing node is the home node */
	uint64_t local_away;     /* not flagged as remote, but the home node is another node */
};

/* Returns the contribution of one access: each counter is 0 or 1. */
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

/* Returns true if the accessing node and the home node are known and differ. */
static inline bool memphis_goes_away(const struct memphis_access *access)
{
	return access->node != MEMPHIS_NODE_UNKNOWN && access->home != MEMPHIS_NODE_UNKNOWN &&
	       access->node != access->home;
}

#endif
