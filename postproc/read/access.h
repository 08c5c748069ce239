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

/*
 * Loads from DRAM whose page's home is known, and those of them that contradict it. Only DRAM counts: a cache of any node may hold a
 * line, extension memory may lie behind one node and be accounted to another, and stores carry no source.
 */
struct memphis_homes {
	uint64_t told;
	uint64_t remote_at_home; /* "served by another node", of a page that the accessing node owns */
	uint64_t local_away;     /* "served by the own node", of a page that another node owns */
};

/* What an access adds to them: 0 or 1 each. */
static inline struct memphis_homes memphis_homes_of(const struct memphis_access *access)
{
	const bool told = access->source == MEMPHIS_SOURCE_DRAM && access->flags & MEMPHIS_FLAG_LOAD &&
			  access->node != MEMPHIS_NODE_UNKNOWN && access->home != MEMPHIS_NODE_UNKNOWN;
	const bool remote = access->flags & MEMPHIS_FLAG_REMOTE, own = access->node == access->home;

	return (struct memphis_homes){told, told && remote && own, told && !remote && !own};
}

static inline void memphis_homes_add(struct memphis_homes *sum, const struct memphis_homes *more)
{
	sum->told += more->told;
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
