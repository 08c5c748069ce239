/* SPDX-License-Identifier: BSD-3-Clause */
/* How an access went: what selections ask for, and what is counted apart. */
#ifndef MEMPHIS_ACCESS_H
#define MEMPHIS_ACCESS_H

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

#endif
