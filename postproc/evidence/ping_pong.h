/* SPDX-License-Identifier: BSD-3-Clause */
/* Pages that are moved to and fro between nodes, as far as the home nodes of samples show. */
#ifndef MEMPHIS_PING_PONG_H
#define MEMPHIS_PING_PONG_H

#include "profile/heatmap.h"

/* The parts of a variable: one, or a power of two, of the bins of its heatmap; and the nodes of its samples. */
struct memphis_ping_pong {
	const struct memphis_heatmap *heatmap;
	unsigned int shift; /* part = bin >> shift */
	const uint16_t *nodes;
	size_t node_count;
};

/*
 * Fills in the number of observed moves of each part whose pages left a node and came back to it, and 0 for all other parts. The samples are divided into
 * phases with one home each. The phases must be more probable than any mixture of homes that does not depend on time. The pages of successive phases must
 * overlap, because the homes also change if a program uses pages on different nodes one after the other. Returns 0 or -ENOMEM.
 */
int memphis_ping_pong_find(const struct memphis_ping_pong *parts, uint32_t *moves, size_t part_count);

#endif
