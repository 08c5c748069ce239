/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The leader: the thread whose region is stamped on samples of threads without a caliper, and with whose outermost regions
 * the counters are marked. The first thread to open a caliper leads; when it closes its outermost one, another takes over.
 */
#ifndef MEMPHIS_LEADER_H
#define MEMPHIS_LEADER_H

#include "core/session.h"

/* The calling thread opens, or has closed, its outermost caliper (`last`: no other is open). Under the lead lock. */
void memphis_leader_enter(struct memphis_thread *self);
void memphis_leader_leave(struct memphis_thread *self, int last);

/* Mark the counters with the region of the thread's outermost caliper, which has changed. Takes the lead lock. */
void memphis_leader_mark(const struct memphis_thread *self);

/* The calling thread has closed its outermost caliper: its depth is 0. Switches sampling off if no other is open. */
void memphis_leader_end_last(struct memphis_thread *self);

/* The calling thread ends: close the calipers that it has left open. */
void memphis_leader_abandon(struct memphis_thread *self);

#endif
