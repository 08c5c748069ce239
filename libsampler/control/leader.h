/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The leader: the thread whose region is stamped on samples of threads without a caliper, and whose outermost
 * regions are recorded as marks with the counters. The first thread to open a caliper becomes the leader;
 * when it closes its outermost caliper, another thread takes over.
 */
#ifndef MEMPHIS_LEADER_H
#define MEMPHIS_LEADER_H

#include "core/session.h"

/*
 * Called by a thread that opens, or has closed, its outermost caliper. `last`: no other thread has a caliper
 * open. The caller holds the lead lock.
 */
void memphis_leader_enter(struct memphis_thread_record *self);
void memphis_leader_leave(struct memphis_thread_record *self, int last);

/*
 * Called when the thread's outermost caliper gets another region: changes the thread's spans, and records the region as a mark with the
 * counters. Takes the lead lock.
 */
void memphis_leader_mark(struct memphis_thread_record *self);

/*
 * Does the same for a caliper inside the outermost one, if it is so near to the outermost one that it is marked (MEMPHIS_COUNTERS_DEPTH).
 * Callable by signal handlers.
 */
void memphis_leader_mark_inner(struct memphis_thread_record *self);

/*
 * Called by a thread that has closed its outermost caliper: its depth is 0. Switches sampling off if no other
 * thread has a caliper open.
 */
void memphis_leader_end_last(struct memphis_thread_record *self);

/* Called by a thread that ends: closes the calipers that the thread has left open. */
void memphis_leader_abandon(struct memphis_thread_record *self);

#endif
