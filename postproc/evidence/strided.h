/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Estimates how much of each fetched cache line a source line reads. Each load that misses fetches one cache line; the loads that hit read
 * the rest of it. The bytes read per fetched line are thus about the size of a load, times the number of all loads, divided by the number of
 * loads that fetched a line. Bytes that are read several times are counted each time, so that the estimate is an upper limit.
 */
#ifndef MEMPHIS_STRIDED_H
#define MEMPHIS_STRIDED_H

#include "profile/finding.h"
#include "profile/heatmap.h"

/* Returns the bytes of each fetched cache line that the loads read, at most MEMPHIS_CACHE_LINE. */
struct memphis_estimate memphis_read_bytes(const struct memphis_heatmap_load *load);

/*
 * Looks for source lines that read, with 95 % confidence, less than half of what they would read if the innermost loop ran over neighbouring elements.
 * Fills in the pattern and the evidence of the one with most selected fetches. Returns false if there is none. Random
 * accesses are excluded: no other order of the loop reads neighbours.
 */
bool memphis_find_strided(const struct memphis_heatmap *heatmap, struct memphis_finding *finding);

#endif
