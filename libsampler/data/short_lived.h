/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Filter for short-lived blocks. A block is short-lived if it was allocated and released between two passes of
 * the drain, and contains no sample. Its records are dropped, because no sample needs its name. A program that
 * allocates millions of such blocks must not fill the disk. Used by the drain only.
 */
#ifndef MEMPHIS_SHORT_LIVED_H
#define MEMPHIS_SHORT_LIVED_H

#include "data/events.h"

#define MEMPHIS_SHORT_LIVED_EVENTS 8192u /* maximum number of events per call of memphis_short_lived_drop() */

/* Allocates the tables if necessary, and clears them. Returns 0 or -ENOMEM. */
int memphis_short_lived_open(void);

/* Starts a new pass of the drain. Keeps the addresses of the pass that ends and forgets older ones. */
void memphis_short_lived_next_pass(void);

/*
 * Records the address of a sample, also for withheld blocks (withheld.h). Must be called before events of the
 * same time are filtered.
 */
void memphis_short_lived_touch(__u64 address);

/*
 * Returns 1 if a sample of this pass or the previous one fell into these bytes. Addresses are stored by page
 * and by hash, so the result may be 1 without such a sample. Blocks larger than 16 MiB count as sampled if
 * there is any sample.
 */
int memphis_short_lived_is_touched(__u64 address, __u64 bytes);

/*
 * Removes the events of short-lived blocks from a thread's events. The events must be in the order in which
 * they were recorded. Returns the number of events kept, and adds the number of dropped allocations to
 * *dropped.
 */
size_t memphis_short_lived_drop(struct memphis_event *events, size_t count, __u64 *dropped);

#endif
