/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which frames stand on a thread's stack while its outermost caliper is open: those that are there when it is opened and
 * when it is closed. So it can be queued which function's local variable is at an address.
 */
#ifndef MEMPHIS_FRAMES_H
#define MEMPHIS_FRAMES_H

#include <stdatomic.h>

#include <memphis/format.h>

#include "unwind/stack.h"

#define MEMPHIS_FRAMES_QUEUE_WORDS 4096 /* a power of two */
#define MEMPHIS_FRAMES_RECORDS_MAX 16384
#define MEMPHIS_FRAMES_RECORD_WORDS                                       \
	((sizeof(struct memphis_stack_frames) +                           \
	  MEMPHIS_WALK_FRAMES_MAX * sizeof(struct memphis_stack_frame)) / \
	 8)

/* One walk, and what it went by. */
struct memphis_frames_walk {
	struct memphis_known_walk known;
	__u32 depth;
	struct memphis_walked_frame frames[MEMPHIS_WALK_FRAMES_MAX];
};

/* Memory of its own, from the thread's first caliper on. */
struct memphis_frames {
	struct memphis_frames_walk begin, end;
	__u64 begin_ns;
	__u32 is_queued; /* what both walks have in common is what was queued last */
	__u32 records;
	struct memphis_stack_frames queued;
	struct memphis_stack_frame queued_frames[MEMPHIS_WALK_FRAMES_MAX];
	/* Between the thread and the drain. */
	_Atomic __u64 head, tail;
	__u64 queue[MEMPHIS_FRAMES_QUEUE_WORDS];
};

/* The calling thread opens or closes its outermost caliper in the function whose frame address is `frame`. */
void memphis_frames_begin(struct memphis_frames **memory, struct memphis_stacks *stacks, void *frame);
void memphis_frames_end(struct memphis_frames *memory, struct memphis_stacks *stacks, void *frame);

/* In the child of a fork: what was queued stands in the parent's files. */
void memphis_frames_forget(struct memphis_frames *memory);

/*
 * Called by the drain: moves the oldest queued record, a struct memphis_stack_frames and its frames, to `words`. Returns
 * its size in bytes, or 0 if the queue is empty or `memory` is NULL.
 */
size_t memphis_frames_take(struct memphis_frames *memory, __u64 words[MEMPHIS_FRAMES_RECORD_WORDS]);

#endif
