/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Estimates which part of each fetched cache line a source line uses. A load that misses fetches a cache line, and
 * loads that hit read the rest of it. The bytes that are read per fetched line are therefore about
 *
 *   size of a load * number of all loads / number of loads that fetched a line
 *
 * Bytes that are read several times count each time, so the estimate is an upper limit.
 */
#ifndef MEMPHIS_STRIDED_H
#define MEMPHIS_STRIDED_H

#include "profile/finding.h"
#include "profile/heatmap.h"

/* Returns how many bytes of each fetched cache line the loads read, at most MEMPHIS_CACHE_LINE. */
struct memphis_estimate memphis_read_bytes(const struct memphis_heatmap_load *load);

/*
 * Finds source lines that use only a small part of the cache lines that they fetch. With 95 % confidence, they must
 * read less than half of what they would read if the innermost loop ran over neighbouring elements. Sets the pattern
 * and the evidence of the source line with the most fetches on the selected node and in the selected regions. Returns
 * false if there is none. Excludes random accesses, because no other order of the loop would read neighbours.
 */
bool memphis_find_strided(const struct memphis_heatmap *heatmap, struct memphis_finding *finding);

#endif
