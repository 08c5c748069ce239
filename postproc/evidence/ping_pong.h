/* SPDX-License-Identifier: BSD-3-Clause */
/* Detects pages that move back and forth between nodes. The home nodes of samples over time show it. */
#ifndef MEMPHIS_PING_PONG_H
#define MEMPHIS_PING_PONG_H

#include "profile/heatmap.h"

/*
 * How a variable is divided into parts, and the nodes of its samples. A part is one bin of the heatmap, or a power of
 * two of adjacent bins.
 */
struct memphis_ping_pong {
	const struct memphis_heatmap *heatmap;
	unsigned int shift; /* part = bin >> shift */
	const uint16_t *nodes;
	size_t node_count;
};

/*
 * Sets moves[part] to the number of observed moves if the pages of the part left a node and came back to it, and to 0
 * otherwise. Divides the samples into phases with one home node each. Two conditions must hold:
 * - The phases must be more probable than any mixture of homes that does not depend on time.
 * - The pages of successive phases must overlap. Otherwise the program uses pages on different nodes one after the
 *   other, which also changes the homes.
 *
 * Returns 0 or -ENOMEM.
 */
int memphis_ping_pong_find(const struct memphis_ping_pong *parts, uint32_t *moves, size_t part_count);

#endif
