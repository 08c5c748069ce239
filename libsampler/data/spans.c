/* SPDX-License-Identifier: BSD-3-Clause */
/* Spans of one thread. */
#include <string.h>

#include "data/spans.h"

#define RING_BYTES (MEMPHIS_SPANS_RING * sizeof(struct memphis_region_span))
/* slots reserved for outermost calipers, so that many inner ones can't displace them */
#define KEPT       (MEMPHIS_SPANS_RING / 8)
#define READ_TRIES 1000

int memphis_spans_depth;

static void count_lost_span(struct memphis_spans *spans)
{
	/* Only this thread writes the counter, so no locked instruction is necessary. */
	atomic_store_explicit(&spans->lost, atomic_load_explicit(&spans->lost, memory_order_relaxed) + 1,
			      memory_order_relaxed);
}

/* Puts the span at index `at` into the ring. */
static void put_span(struct memphis_spans *spans, __u32 at, __u64 end)
{
	const struct memphis_open_span *span = &spans->open[at];
	const __u64 head = spans->head, room = at ? MEMPHIS_SPANS_RING - KEPT : MEMPHIS_SPANS_RING;

	if (!spans->ring)
		__atomic_store_n(&spans->ring, sys_map(RING_BYTES), __ATOMIC_RELEASE);
	if (!spans->ring || head - __atomic_load_n(&spans->tail, __ATOMIC_ACQUIRE) >= room) {
		count_lost_span(spans);
		return;
	}
	spans->ring[head % MEMPHIS_SPANS_RING] =
		(struct memphis_region_span){.begin_ns = span->begin,
					     .end_ns = end > span->begin ? end : span->begin,
					     .region = span->region};
	__atomic_store_n(&spans->head, head + 1, __ATOMIC_RELEASE);
}

/* Ends the spans from index `kept` on, the innermost first. */
static void end_spans(struct memphis_spans *spans, __u32 kept, __u64 now)
{
	__u32 depth;

	for (depth = spans->depth; depth > kept; depth--)
		if (spans->open[depth - 1].region)
			put_span(spans, depth - 1, now);
	__atomic_store_n(&spans->depth, depth, __ATOMIC_RELEASE);
}

void memphis_spans_change(struct memphis_spans *spans, struct memphis_region_node *const *open, __u32 depth,
			  __u32 kept, __u64 now)
{
	const __u32 sequence = spans->sequence, most = (__u32)memphis_spans_depth;
	__u32 at;

	if (!most)
		return;
	/*
	 * A signal handler has called this function. Either it interrupted this function, or it interrupted
	 * the thread between opening the caliper around the handler's caliper and the call of this function
	 * for it.
	 */
	if (unlikely(sequence & 1 || (spans->depth < kept && spans->depth < most))) {
		if (depth > kept)
			count_lost_span(spans);
		return;
	}
	__atomic_store_n(&spans->sequence, sequence + 1, __ATOMIC_RELAXED);
	atomic_signal_fence(memory_order_seq_cst);
	end_spans(spans, kept, now);
	for (at = spans->depth; at < depth && at < most; at++) {
		/* A caliper that got no region of its own has the same region as the caliper around it. */
		const struct memphis_region_node *around = at ? open[at - 1] : NULL;

		__atomic_store_n(&spans->open[at].begin, now, __ATOMIC_RELEASE);
		__atomic_store_n(&spans->open[at].region, open[at] == around ? 0 : open[at]->id,
				 __ATOMIC_RELEASE);
	}
	__atomic_store_n(&spans->depth, at, __ATOMIC_RELEASE);
	__atomic_store_n(&spans->sequence, sequence + 2, __ATOMIC_RELEASE);
}

__u32 memphis_spans_take(struct memphis_spans *spans, __u64 until, struct memphis_region_span *to,
			 __u32 capacity)
{
	const __u64 head = __atomic_load_n(&spans->head, __ATOMIC_ACQUIRE);
	__u64 tail = spans->tail;
	__u32 count;

	for (count = 0; count < capacity && tail < head; count++, tail++) {
		to[count] = spans->ring[tail % MEMPHIS_SPANS_RING];
		if (to[count].end_ns > until)
			break;
		to[count].begin_ns = memphis_clock_ns(to[count].begin_ns);
		to[count].end_ns = memphis_clock_ns(to[count].end_ns);
	}
	__atomic_store_n(&spans->tail, tail, __ATOMIC_RELEASE);
	return count;
}

/* Copies the open spans. Returns their number, or 0 if the thread changed them during each attempt. */
static __u32 copy_open_spans(const struct memphis_spans *spans,
			     struct memphis_open_span to[MEMPHIS_SPANS_DEPTH_MAX])
{
	__u32 before, depth, at;
	int tries;

	for (tries = 0; tries < READ_TRIES; tries++) {
		before = __atomic_load_n(&spans->sequence, __ATOMIC_ACQUIRE);
		depth = __atomic_load_n(&spans->depth, __ATOMIC_ACQUIRE);
		for (at = 0; at < depth; at++) {
			to[at].begin = __atomic_load_n(&spans->open[at].begin, __ATOMIC_ACQUIRE);
			to[at].region = __atomic_load_n(&spans->open[at].region, __ATOMIC_ACQUIRE);
		}
		if (!(before & 1) && __atomic_load_n(&spans->sequence, __ATOMIC_ACQUIRE) == before)
			return depth;
	}
	return 0;
}

__u32 memphis_spans_open(struct memphis_spans *spans, __u64 until,
			 struct memphis_region_span to[MEMPHIS_SPANS_DEPTH_MAX])
{
	struct memphis_open_span open[MEMPHIS_SPANS_DEPTH_MAX];
	const __u32 depth = copy_open_spans(spans, open);
	const __u64 after = spans->open_to;
	__u32 at, count = 0;

	for (at = 0; at < depth && open[at].begin <= until; at++) {
		if (!open[at].region || open[at].begin <= after)
			continue;
		to[count++] = (struct memphis_region_span){.begin_ns = memphis_clock_ns(open[at].begin),
							   .region = open[at].region};
		spans->open_to = open[at].begin;
	}
	return count;
}

void memphis_spans_close(struct memphis_spans *spans)
{
	sys_unmap(spans->ring, RING_BYTES);
	memset(spans, 0, sizeof(*spans));
}
