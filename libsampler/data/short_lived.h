/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Short lives: blocks that were allocated and released again between two passes of the drain, and in which no sample
 * fell meanwhile. They explain nothing, and a code that makes millions of them must not fill the disk; so their
 * records are dropped. The drain's own.
 */
#ifndef MEMPHIS_SHORT_LIVED_H
#define MEMPHIS_SHORT_LIVED_H

#include "data/events.h"

#define MEMPHIS_SHORT_LIVED_EVENTS 8192u /* looked at together, at most */

/* Get memory. 0 or -ENOMEM. */
int memphis_short_lived_open(void);

/* A new pass: what was touched in the one before the last is forgotten. */
void memphis_short_lived_turn(void);

/* A sample fell here; blocks that were withheld learn of it, too. Told before the events of the same time are looked at. */
void memphis_short_lived_touch(__u64 address);

/* Has a sample fallen there, in this pass or the one before? A large block always counts as touched. */
int memphis_short_lived_is_touched(__u64 address, __u64 bytes);

/*
 * Drop short lives from one thread's events in the order they were pushed; returns how many events stay, and adds the
 * allocations that were dropped to *dropped.
 */
size_t memphis_short_lived_drop(struct memphis_event *events, size_t count, __u64 *dropped);

#endif
