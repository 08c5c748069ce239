/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Spans of one thread: begin and end of each caliper down to a depth. The thread keeps the spans that are open, and puts the ended ones
 * into a ring, without locks and, after its first span, without system calls; the drain takes them. If the ring is full, spans are lost
 * and counted.
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
	__u32 region; /* 0: a caliper for which there was no region, which has no span */
};

/* The initial state is all zeros: there are no spans. */
struct memphis_spans {
	/* Written by the thread. */
	__u32 sequence; /* odd while the thread changes the open spans */
	__u32 depth;    /* number of open spans */
	struct memphis_open_span open[MEMPHIS_SPANS_DEPTH_MAX];
	/* The times of these spans are stamps. NULL: no span has ended yet, or there was no memory. */
	struct memphis_region_span *ring;
	__u64 head;         /* number of spans that were put into the ring */
	_Atomic __u64 lost; /* spans that found no room */

	/* Written by the drain. */
	__u64 tail;             /* number of spans that were taken from the ring */
	__u64 recorded;         /* number of ended spans in the file */
	_Atomic __u64 left_out; /* spans beyond the limit of a file */
	__u64 open_to;          /* the open spans that began up to this stamp have a record */
	__u64 opened_ns;        /* time of the last look at the open spans */
};

/* Calipers down to this depth have spans; 0: none. */
extern int memphis_spans_depth;

/*
 * Called by the thread itself when its open calipers have become open[0] to open[depth - 1], each with its region, at the stamp `now`.
 * Those from index `kept` on are not the ones that were open before. Callable by signal handlers, whose spans may be lost if they
 * interrupt a change.
 */
void memphis_spans_change(struct memphis_spans *spans, struct memphis_region_node *const *open, __u32 depth,
			  __u32 kept, __u64 now);

/* Called by the drain: returns false if there is nothing that the functions below would return. */
static inline bool memphis_spans_are_there(const struct memphis_spans *spans)
{
	return __atomic_load_n(&spans->head, __ATOMIC_ACQUIRE) != spans->tail ||
	       __atomic_load_n(&spans->depth, __ATOMIC_RELAXED);
}

/*
 * Called by the drain: takes up to `capacity` spans that ended up to the stamp `until`, in the order of their ends, with times in ns. Returns
 * their number.
 */
__u32 memphis_spans_take(struct memphis_spans *spans, __u64 until, struct memphis_region_span *to,
			 __u32 capacity);

/* Called by the drain: copies the open spans that began up to the stamp `until` and have no record yet, with an end of 0. */
__u32 memphis_spans_open(struct memphis_spans *spans, __u64 until,
			 struct memphis_region_span to[MEMPHIS_SPANS_DEPTH_MAX]);

/* Forgets everything, and frees the memory. The thread must have ended or be the caller. */
void memphis_spans_close(struct memphis_spans *spans);

#endif
