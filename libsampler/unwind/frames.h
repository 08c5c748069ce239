/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The stack frames that exist while the outermost caliper of a thread is open: the frames found both when it
 * is opened and when it is closed. The post-processor uses them to attribute stack addresses to local
 * variables of functions.
 */
#ifndef MEMPHIS_FRAMES_H
#define MEMPHIS_FRAMES_H

#include <stdatomic.h>

#include <memphis/format.h>

#include "unwind/stack.h"

#define MEMPHIS_FRAMES_QUEUE_WORDS 4096  /* a power of two */
#define MEMPHIS_FRAMES_RECORDS_MAX 16384 /* per thread */
#define MEMPHIS_FRAMES_RECORD_WORDS                                       \
	((sizeof(struct memphis_stack_frames) +                           \
	  MEMPHIS_WALK_FRAMES_MAX * sizeof(struct memphis_stack_frame)) / \
	 8)

/* A walk of the stack, and the words of the stack that determined its result. */
struct memphis_frames_walk {
	struct memphis_known_walk known;
	__u32 depth;
	struct memphis_walked_frame frames[MEMPHIS_WALK_FRAMES_MAX];
};

/*
 * Allocated at the first caliper of a thread. `head`, `tail` and `queue` form an SPSC queue from the thread
 * to the drain.
 */
struct memphis_frames {
	struct memphis_frames_walk begin, end;
	__u64 begin_ns;
	__u32 is_queued; /* 1: the frames common to both walks equal the record queued last */
	__u32 records;   /* number of records queued so far */
	struct memphis_stack_frames queued; /* the record queued last */
	struct memphis_stack_frame queued_frames[MEMPHIS_WALK_FRAMES_MAX];
	struct memphis_stack_frame common[MEMPHIS_WALK_FRAMES_MAX]; /* used by memphis_frames_end() */
	_Atomic __u64 head, tail; /* words written by the thread; words read by the drain */
	__u64 queue[MEMPHIS_FRAMES_QUEUE_WORDS];
};

/*
 * Called by the thread when it opens or closes its outermost caliper, in the function whose frame address is `frame`.
 * memphis_frames_begin() allocates *memory if it is NULL; memphis_frames_end() accepts NULL.
 */
void memphis_frames_begin(struct memphis_frames **memory, struct memphis_stacks *stacks, void *frame);
void memphis_frames_end(struct memphis_frames *memory, struct memphis_stacks *stacks, void *frame);

/* Fork handler of the child: empties the queue, whose records the parent writes. */
void memphis_frames_forget(struct memphis_frames *memory);

/*
 * Called by the drain: moves the oldest queued record, a struct memphis_stack_frames followed by its frames,
 * to `words`. Returns its size in bytes, or 0 if the queue is empty or `memory` is NULL.
 */
size_t memphis_frames_take(struct memphis_frames *memory, __u64 words[MEMPHIS_FRAMES_RECORD_WORDS]);

#endif
