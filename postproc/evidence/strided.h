/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How much of the cache lines that a source line fetches it reads. Each load that misses fetches one cache line; the loads that hit read the
 * rest of it. So the bytes per fetched line are about the size of a load, times all loads, over those that fetched a line. Bytes that are read
 * more than once count each time: the estimate is an upper limit.
 */
#ifndef MEMPHIS_STRIDED_H
#define MEMPHIS_STRIDED_H

#include "profile/finding.h"
#include "profile/heatmap.h"

/* Returns the bytes of each fetched cache line that the loads read, at most MEMPHIS_CACHE_LINE. */
struct memphis_estimate memphis_read_bytes(const struct memphis_heatmap_load *load);

/*
 * Fills in the pattern and its evidence from the line with most selected fetches of those that read less than half of what they would with the
 * innermost loop over neighbouring elements, with 95 % confidence. Returns false if there is none.
 */
bool memphis_find_strided(const struct memphis_heatmap *heatmap, struct memphis_finding *finding);

#endif
