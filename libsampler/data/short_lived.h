/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Filter for short-lived blocks: blocks that were allocated and released between two passes of the drain, and that contain no
 * sample. No sample needs their names, and a program that allocates millions of them must not fill the disk, so their records
 * are dropped. Used by the drain only.
 */
#ifndef MEMPHIS_SHORT_LIVED_H
#define MEMPHIS_SHORT_LIVED_H

#include "data/events.h"

#define MEMPHIS_SHORT_LIVED_EVENTS 8192u /* maximum per call of memphis_short_lived_drop() */

/* Allocates the tables, and empties them. Returns 0 or -ENOMEM. */
int memphis_short_lived_open(void);

/* Starts a new pass of the drain: keeps the addresses of this pass and the previous one, and forgets older ones. */
void memphis_short_lived_next_pass(void);

/*
 * Records that a sample has this address, also for withheld blocks (withheld.h). To be called before the events of the same time
 * are filtered.
 */
void memphis_short_lived_touch(__u64 address);

/*
 * Whether a sample fell into these bytes in this pass or the previous one. May return 1 without one: addresses are kept by page
 * and hash, and blocks above 16 MiB always count as touched if there was any sample.
 */
int memphis_short_lived_is_touched(__u64 address, __u64 bytes);

/*
 * Removes the events of short-lived blocks from a thread's events, which are in the order in which they were pushed. Returns the
 * number of events kept, and adds the number of dropped allocations to *dropped.
 */
size_t memphis_short_lived_drop(struct memphis_event *events, size_t count, __u64 *dropped);

#endif
