/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Filter for short-lived blocks, which were allocated and released between two passes of the drain and
 * contain no sample. Their records are dropped: no sample needs their names, and a program that allocates
 * millions of such blocks must not fill the disk. Used by the drain only.
 */
#ifndef MEMPHIS_SHORT_LIVED_H
#define MEMPHIS_SHORT_LIVED_H

#include "data/events.h"

#define MEMPHIS_SHORT_LIVED_EVENTS 8192u /* maximum number of events per call of memphis_short_lived_drop() */

/* Allocates the tables if necessary, and clears them. Returns 0 or -ENOMEM. */
int memphis_short_lived_open(void);

/* Starts a new pass of the drain: keeps the addresses of this pass and the previous one, and forgets older ones. */
void memphis_short_lived_next_pass(void);

/*
 * Records the address of a sample, also for withheld blocks (withheld.h). Must be called before events of the
 * same time are filtered.
 */
void memphis_short_lived_touch(__u64 address);

/*
 * Returns 1 if a sample of this pass or the previous one fell into these bytes. May return 1 without such a
 * sample, since addresses are stored by page and by hash. Blocks above 16 MiB count as touched as soon as
 * there is any sample.
 */
int memphis_short_lived_is_touched(__u64 address, __u64 bytes);

/*
 * Removes the events of short-lived blocks from a thread's events, which must be in the order in which they
 * were pushed. Returns the number of events kept, and adds the number of dropped allocations to *dropped.
 */
size_t memphis_short_lived_drop(struct memphis_event *events, size_t count, __u64 *dropped);

#endif
