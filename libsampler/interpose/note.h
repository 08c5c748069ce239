/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Records allocation events of the calling thread. Runs at each allocation of the program, so it takes no
 * lock except when it creates a thread's record. If a signal handler interrupts the recording of an event,
 * the handler's event is not recorded, but counted.
 */
#ifndef MEMPHIS_NOTE_H
#define MEMPHIS_NOTE_H

#include "base/busy.h"
#include "core/thread.h"
#include "interpose/python_lines.h"
#include "settings/env.h"

/* Counts an event that is not recorded. `thread` is NULL if the calling thread has no record. */
void memphis_note_left_out(struct memphis_thread_record *thread, __u32 kind);

/* Slow path of memphis_note_enter(). */
struct memphis_thread_record *memphis_note_enter_rarely(__u32 kind);

/*
 * Returns 1 for kinds of events that may come while the program holds a lock that the completion of the
 * thread's record would take. Examples: an allocator maps memory while it holds its locks.
 * pthread_getattr_np() allocates and releases a small block while it holds its lock. A release needs no
 * complete record either, because it has no call stack.
 */
static inline int memphis_note_is_below_locks(__u32 kind)
{
	return kind != MEMPHIS_ALLOCATION_MALLOC && kind != MEMPHIS_ALLOCATION_SHARE &&
	       kind != MEMPHIS_ALLOCATION_PART;
}

/* Sets `memphis_busy` and returns the calling thread's record. Returns NULL if the event must not be recorded. */
static inline struct memphis_thread_record *memphis_note_enter(__u32 kind)
{
	struct memphis_thread_record *thread = memphis_self;

	if (unlikely(memphis_busy || !thread || (!thread->complete && !memphis_note_is_below_locks(kind))))
		return memphis_note_enter_rarely(kind);
	memphis_busy = MEMPHIS_NOTING;
	atomic_signal_fence(memory_order_seq_cst);
	return thread;
}

static inline void memphis_note_leave(void)
{
	atomic_signal_fence(memory_order_seq_cst);
	memphis_busy -= MEMPHIS_NOTING;
}

/*
 * Records an event as memphis_note() does. `hook`: address of another library's function that calls the
 * library's function instead of the program, or 0. The frames of the hook are left out of the stack.
 */
static inline __attribute__((always_inline)) int
memphis_note_above(struct memphis_thread_record *thread, __u32 kind, __u64 stamp, const void *address,
		   __u64 bytes, const void *previous, void *frame, __u64 hook)
{
	const unsigned int depth = memphis_stack_depth(&thread->stacks, memphis_settings.stack_depth);
	struct memphis_event *event = memphis_events_room(&thread->events, kind);

	if (unlikely(!event)) {
		memphis_note_left_out(thread, kind);
		return 0;
	}
	event->record.time_ns = stamp;
	event->record.address = (__u64)(uintptr_t)address;
	event->record.size_bytes = bytes;
	event->record.previous = (__u64)(uintptr_t)previous;
	event->record.kind = kind;
	if (!memphis_allocates(kind))
		event->record.stack = 0;
	else if (hook)
		event->record.stack = memphis_stack_look_up_above(&thread->stacks, frame, depth, hook);
	else
		event->record.stack = memphis_stack_capture(&thread->stacks, frame, depth);
	if (memphis_allocates(kind))
		event->record.stack = memphis_python_stack(thread, event->record.stack, frame);
	memphis_events_commit(&thread->events, event, kind);
	return 1;
}

/*
 * Records an event of the calling thread. Must be called between memphis_note_enter() and
 * memphis_note_leave(). `stamp`: time of the event (base/clock.h). Returns 1, or 0 if there was no room.
 */
static inline __attribute__((always_inline)) int memphis_note(struct memphis_thread_record *thread,
							      __u32 kind, __u64 stamp, const void *address,
							      __u64 bytes, const void *previous, void *frame)
{
	return memphis_note_above(thread, kind, stamp, address, bytes, previous, frame, 0);
}

/* Records the reset of a pool as memphis_note() records other events. `first`: see memphis_event.tag. */
static inline void memphis_note_reset(struct memphis_thread_record *thread, __u64 stamp, __u64 low,
				      __u64 bytes, __u32 pool, __u64 first)
{
	struct memphis_event *event = memphis_events_room(&thread->events, MEMPHIS_ALLOCATION_POOL_RESET);

	if (unlikely(!event)) {
		memphis_note_left_out(thread, MEMPHIS_ALLOCATION_POOL_RESET);
		return;
	}
	event->record = (struct memphis_allocation){.time_ns = stamp,
						    .address = low,
						    .size_bytes = bytes,
						    .previous = pool,
						    .kind = MEMPHIS_ALLOCATION_POOL_RESET};
	event->tag = first;
	memphis_events_commit(&thread->events, event, MEMPHIS_ALLOCATION_POOL_RESET);
}

#endif
