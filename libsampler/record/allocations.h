/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Allocation events on their way to the threads' files, and the blocks that are alive. Used by the drain alone, but for
 * what is marked.
 */
#ifndef MEMPHIS_ALLOCATIONS_H
#define MEMPHIS_ALLOCATIONS_H

#include "core/thread.h"
#include "data/blocks.h"

/* A session begins. 0 or -ENOMEM. */
int memphis_allocations_open(void);

/* In the child of a fork. `past_handlers`: the drain may have been at work. */
void memphis_allocations_forked(bool past_handlers);

/* Write the thread's events up to that stamp (base/clock.h). `complete`: all samples up to it were examined. */
void memphis_allocations_write(struct memphis_thread *thread, __u64 upto, int complete);

/* Write withheld records: those of blocks that have been sampled meanwhile, or `all`, as the thread's file ends. */
void memphis_allocations_write_withheld(struct memphis_thread *thread, int all);

const struct memphis_blocks *memphis_allocations_blocks(void);
__u64 memphis_allocations_left_out(void);

/* Any thread, as guesses: the number of changes of the table of blocks; whether an event waits to be written. */
__u64 memphis_allocations_block_changes(void);
int memphis_allocations_are_waiting(void);

#endif
