/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The leader is one of the threads with an open caliper. Samples of threads without a caliper get the
 * leader's region, and the leader's outermost regions are recorded as marks with the counters. The first
 * thread that opens a caliper becomes the leader. When the leader closes its outermost caliper, another
 * thread becomes the leader.
 */
#ifndef MEMPHIS_LEADER_H
#define MEMPHIS_LEADER_H

#include "core/session.h"

/*
 * Called by a thread that opens (enter) or has closed (leave) its outermost caliper. `last`: no other thread
 * has an open caliper. The caller holds the lead lock.
 */
void memphis_leader_enter(struct memphis_thread_record *self);
void memphis_leader_leave(struct memphis_thread_record *self, int last);

/*
 * Called when the thread's outermost caliper gets another region. Changes the thread's spans. If the thread
 * is the leader, also records the region as a mark with the counters. Takes the lead lock.
 */
void memphis_leader_mark(struct memphis_thread_record *self);

/*
 * Called when an inner caliper whose depth is marked (MEMPHIS_COUNTERS_DEPTH) is opened or closed. If the
 * thread is the leader, records its region as a mark with the counters. Does not change the spans. Signal
 * handlers may call it.
 */
void memphis_leader_mark_inner(struct memphis_thread_record *self);

/*
 * Called by a thread that has closed its outermost caliper, so its depth is 0. Switches sampling off if no
 * other thread has an open caliper.
 */
void memphis_leader_end_last(struct memphis_thread_record *self);

/* Called by a thread that ends. Closes the calipers that the thread has left open. */
void memphis_leader_abandon(struct memphis_thread_record *self);

#endif
