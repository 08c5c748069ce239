/* SPDX-License-Identifier: BSD-3-Clause */
/* The stack frames that exist while the outermost caliper of a thread is open. */
#include <string.h>

#include "base/busy.h"
#include "unwind/frames.h"

#define HEADER_WORDS (sizeof(struct memphis_stack_frames) / 8)
#define FRAME_WORDS  (sizeof(struct memphis_stack_frame) / 8)

/*
 * Walks the stack from `frame` into *walked. Returns 1, without walking, if the stack is unchanged since the
 * last walk. A signal handler that has interrupted a walk finds no frames.
 */
static int walk(struct memphis_stacks *stacks, void *frame, struct memphis_frames_walk *walked)
{
	if (walked->known.sp && walked->known.checks <= MEMPHIS_STACK_WALK_CHECKS &&
	    memphis_stack_rules_hold(stacks) &&
	    memphis_stack_is_known(&walked->known, frame, MEMPHIS_WALK_FRAMES_MAX))
		return 1;
	if (unlikely(memphis_busy & MEMPHIS_NOTING)) {
		walked->known.sp = 0;
		walked->depth = 0;
		return 0;
	}
	memphis_busy += MEMPHIS_NOTING;
	atomic_signal_fence(memory_order_seq_cst);
	walked->depth = memphis_stack_frames(stacks, frame, walked->frames, &walked->known);
	atomic_signal_fence(memory_order_seq_cst);
	memphis_busy -= MEMPHIS_NOTING;
	return 0;
}

void memphis_frames_begin(struct memphis_frames **memory, struct memphis_stacks *stacks, void *frame)
{
	if (!*memory) {
		struct memphis_frames *made = sys_map(sizeof(*made));

		if (!made)
			return;
		__atomic_store_n(memory, made, __ATOMIC_RELEASE);
	}
	(*memory)->begin_ns = now_ns();
	if (!walk(stacks, frame, &(*memory)->begin))
		(*memory)->is_queued = 0;
}

/* Copies words to the queue from index *at on, and advances *at. */
static void push_words(struct memphis_frames *m, __u64 *at, const void *words, size_t count)
{
	const __u64 *from = words;

	while (count--)
		m->queue[(*at)++ & (MEMPHIS_FRAMES_QUEUE_WORDS - 1)] = *from++;
}

/*
 * Queues a record. If there is no room for the record, queues a header of depth 0 instead, which states that
 * no frames are known until the next record. Room for one such header is always reserved.
 */
static void enqueue(struct memphis_frames *m, const struct memphis_stack_frames *frames,
		    const struct memphis_stack_frame *list)
{
	__u64 head = atomic_load_explicit(&m->head, memory_order_relaxed);
	__u64 room =
		MEMPHIS_FRAMES_QUEUE_WORDS - (head - atomic_load_explicit(&m->tail, memory_order_acquire));
	__u64 words = HEADER_WORDS + frames->depth * FRAME_WORDS;

	m->is_queued = 0;
	if (room < words + HEADER_WORDS || m->records >= MEMPHIS_FRAMES_RECORDS_MAX) {
		struct memphis_stack_frames none = {.time_ns = frames->time_ns};

		if (!m->queued.depth || room < HEADER_WORDS)
			return;
		m->queued = none;
		push_words(m, &head, &none, HEADER_WORDS);
		atomic_store_explicit(&m->head, head, memory_order_release);
		return;
	}
	m->queued = *frames;
	memcpy(m->queued_frames, list, frames->depth * sizeof(*list));
	m->is_queued = 1;
	m->records++;
	push_words(m, &head, frames, HEADER_WORDS);
	push_words(m, &head, list, frames->depth * FRAME_WORDS);
	atomic_store_explicit(&m->head, head, memory_order_release);
}

/*
 * Compares both walks from the outermost frame inwards. Fills `list`, innermost first, and returns the number
 * of equal frames.
 */
static __u32 common_frames(const struct memphis_frames_walk *a, const struct memphis_frames_walk *b,
			   struct memphis_stack_frame *list)
{
	__u32 count = 0, i;

	while (count < a->depth && count < b->depth) {
		const struct memphis_walked_frame *x = &a->frames[a->depth - 1 - count];
		const struct memphis_walked_frame *y = &b->frames[b->depth - 1 - count];

		if (x->cfa != y->cfa || x->bp != y->bp)
			break;
		list[count++] = (struct memphis_stack_frame){x->cfa, x->bp, x->pc, y->pc};
		/* The frame is the same, but has called different functions, so all inner frames differ. */
		if (x->pc != y->pc)
			break;
	}
	/* Reverse the list to innermost first, the order used for call stacks. */
	for (i = 0; i < count / 2; i++) {
		struct memphis_stack_frame one = list[i];

		list[i] = list[count - 1 - i];
		list[count - 1 - i] = one;
	}
	return count;
}

/*
 * Returns the lowest address of the innermost common frame, which is the CFA of the next inner frame.
 * `count`: number of common frames.
 */
static __u64 lowest_address(const struct memphis_frames_walk *walked, void *frame, __u32 count)
{
	__u32 further = walked->depth - count;

	return further ? walked->frames[further - 1].cfa : (__u64)(uintptr_t)frame + 16;
}

/* Queues what both walks have in common, unless it equals the record queued last. */
static __attribute__((noinline)) void compare_walks(struct memphis_frames *m, void *frame)
{
	struct memphis_stack_frame *list = m->common;
	struct memphis_stack_frames frames = {0};
	__u64 low;

	frames.time_ns = m->begin_ns;
	frames.depth = common_frames(&m->begin, &m->end, list);
	frames.low = lowest_address(&m->begin, (void *)(uintptr_t)(m->begin.known.sp - 16), frames.depth);
	low = lowest_address(&m->end, frame, frames.depth);
	frames.same_sp = low == frames.low;
	/* Use only the range that belongs to the frame both when the caliper begins and when it ends. */
	if (low > frames.low)
		frames.low = low;
	if (m->records && frames.depth == m->queued.depth && frames.low == m->queued.low &&
	    frames.same_sp == m->queued.same_sp &&
	    !memcmp(list, m->queued_frames, frames.depth * sizeof(*list))) {
		m->is_queued = 1;
		return;
	}
	enqueue(m, &frames, list);
}

void memphis_frames_end(struct memphis_frames *m, struct memphis_stacks *stacks, void *frame)
{
	if (!m || !m->begin_ns)
		return;
	if (walk(stacks, frame, &m->end) && m->is_queued)
		return;
	compare_walks(m, frame);
}

void memphis_frames_forget(struct memphis_frames *m)
{
	m->begin.known.sp = m->end.known.sp = 0;
	m->begin_ns = m->is_queued = m->records = 0;
	memset(&m->queued, 0, sizeof(m->queued));
	atomic_store(&m->tail, atomic_load(&m->head));
}

size_t memphis_frames_take(struct memphis_frames *m, __u64 words[MEMPHIS_FRAMES_RECORD_WORDS])
{
	struct memphis_stack_frames header;
	__u64 tail, head;
	size_t count = HEADER_WORDS, i;

	if (!m)
		return 0;
	tail = atomic_load_explicit(&m->tail, memory_order_relaxed);
	head = atomic_load_explicit(&m->head, memory_order_acquire);
	if (tail == head)
		return 0;
	for (i = 0; i < count; i++) {
		words[i] = m->queue[tail++ & (MEMPHIS_FRAMES_QUEUE_WORDS - 1)];
		/* The header is complete, and contains the number of frames that follow. */
		if (i + 1 == HEADER_WORDS) {
			memcpy(&header, words, sizeof(header));
			count += header.depth * FRAME_WORDS;
		}
	}
	atomic_store_explicit(&m->tail, tail, memory_order_release);
	return count * sizeof(*words);
}
