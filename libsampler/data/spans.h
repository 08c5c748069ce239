/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Spans of one thread: begin and end of each caliper down to a certain depth. The thread keeps the open spans
 * in an array, and puts the ended ones into a ring, from which the drain takes them. The thread uses no
 * locks, and makes no system calls after its first span. If the ring is full, spans are lost and counted.
 */
#ifndef MEMPHIS_SPANS_H
#define MEMPHIS_SPANS_H

#include <stdatomic.h>

#include <memphis/format.h>

#include "base/clock.h"
#include "data/region.h"

#define MEMPHIS_SPANS_RING      8192 /* ended spans that a thread's ring holds; a power of two */
#define MEMPHIS_SPANS_DEPTH_MAX 128

struct memphis_open_span {
	__u64 begin;  /* stamp (base/clock.h) */
	__u32 region; /* 0: the caliper has no region of its own, and no span */
};

/* The initial state is all zeros: there are no spans. */
struct memphis_spans {
	/* Written by the thread. */
	__u32 sequence; /* odd while the thread changes the open spans */
	__u32 depth;    /* number of open spans */
	struct memphis_open_span open[MEMPHIS_SPANS_DEPTH_MAX];
	/* The times of these spans are stamps. NULL: no span has ended yet, or the memory could not be allocated. */
	struct memphis_region_span *ring;
	__u64 head;         /* number of spans that were put into the ring */
	_Atomic __u64 lost; /* spans that were dropped because the ring had no room */

	/* Written by the drain. */
	__u64 tail;             /* number of spans that were taken from the ring */
	__u64 recorded;         /* number of spans that were written as ended spans */
	_Atomic __u64 left_out; /* spans beyond the limit of a file */
	__u64 open_to;          /* open spans that began up to this stamp already have a record */
	__u64 opened_ns;        /* time when the open spans were last read */
};

/* Calipers down to this depth have spans. 0: no caliper has spans. */
extern int memphis_spans_depth;

/*
 * Called by the thread itself when its open calipers change at the stamp `now`. open[0] to open[depth - 1]
 * are the regions of the calipers that are open now. The calipers from index `kept` on were opened since the
 * last call. Signal handlers may call this function. If a handler interrupts a change, its spans may be lost.
 */
void memphis_spans_change(struct memphis_spans *spans, struct memphis_region_node *const *open, __u32 depth,
			  __u32 kept, __u64 now);

/* Called by the drain. Returns false if there are neither ended nor open spans. */
static inline bool memphis_spans_are_there(const struct memphis_spans *spans)
{
	return __atomic_load_n(&spans->head, __ATOMIC_ACQUIRE) != spans->tail ||
	       __atomic_load_n(&spans->depth, __ATOMIC_RELAXED);
}

/*
 * Called by the drain. Takes up to `capacity` spans that ended up to the stamp `until`, in the order of their
 * ends. Converts their times to ns. Returns their number.
 */
__u32 memphis_spans_take(struct memphis_spans *spans, __u64 until, struct memphis_region_span *to,
			 __u32 capacity);

/*
 * Called by the drain. Copies the open spans that began up to the stamp `until` and have no record yet. Their
 * end is 0. Returns their number.
 */
__u32 memphis_spans_open(struct memphis_spans *spans, __u64 until,
			 struct memphis_region_span to[MEMPHIS_SPANS_DEPTH_MAX]);

/* Forgets everything, and frees the memory. The thread must have ended or be the caller. */
void memphis_spans_close(struct memphis_spans *spans);

#endif
