/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Transfer of allocation events to the thread files, and the table of live blocks. Used by the drain only,
 * unless marked otherwise.
 */
#ifndef MEMPHIS_ALLOCATIONS_H
#define MEMPHIS_ALLOCATIONS_H

#include "core/thread.h"
#include "data/blocks.h"

/* Prepares for a new session. Returns 0 or -ENOMEM. */
int memphis_allocations_open(void);

/*
 * Fork handler of the child. `past_handlers`: the fork bypassed the fork handlers, so the drain may have been
 * changing the tables at the moment of the fork.
 */
void memphis_allocations_forked(bool past_handlers);

/*
 * Writes the thread's events up to the stamp `upto` (base/clock.h). `complete`: all samples up to `upto` have
 * been examined, so blocks without a sample can be dropped.
 */
void memphis_allocations_write(struct memphis_thread_record *thread, __u64 upto, int complete);

/*
 * Writes the withheld records whose blocks have been sampled in the meantime. With `all`, writes every
 * withheld record. The caller sets `all` when the thread's file ends.
 */
void memphis_allocations_write_withheld(struct memphis_thread_record *thread, int all);

const struct memphis_tracked_blocks *memphis_allocations_blocks(void);
const struct memphis_tracked_blocks *memphis_allocations_parts(void);
__u64 memphis_allocations_left_out(void);
__u64 memphis_allocations_small_left_out(void);

/*
 * These two functions return estimates, and any thread may call them: the number of changes of the block
 * table, and whether an event waits to be written.
 */
__u64 memphis_allocations_block_changes(void);
int memphis_allocations_are_waiting(void);

#endif
