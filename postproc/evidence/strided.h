/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Estimates how much of each fetched cache line a source line reads. Each load that misses fetches one cache line; the loads that hit read
 * the rest of it. So the bytes read per fetched line are about the size of a load, times the number of all loads, divided by the number of
 * loads that fetched a line. Bytes that are read more than once count each time: the estimate is an upper limit.
 */
#ifndef MEMPHIS_STRIDED_H
#define MEMPHIS_STRIDED_H

#include "profile/finding.h"
#include "profile/heatmap.h"

/* Returns the bytes of each fetched cache line that the loads read, at most MEMPHIS_CACHE_LINE. */
struct memphis_estimate memphis_read_bytes(const struct memphis_heatmap_load *load);

/*
 * Fills in the pattern and its evidence. Of the lines that read, with 95 % confidence, less than half of what they would read if the
 * innermost loop ran over neighbouring elements, takes the line with most selected fetches. Returns false if there is none. Where a table is read at
 * random, no other order of the loop reads neighbours.
 */
bool memphis_find_strided(const struct memphis_heatmap *heatmap, struct memphis_finding *finding);

#endif
