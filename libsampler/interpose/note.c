/* SPDX-License-Identifier: BSD-3-Clause */
/* The slow path of recording an allocation event, and the counts of events that are not recorded. */
#include "interpose/note.h"

void memphis_note_left_out(struct memphis_thread_record *thread, __u32 kind)
{
	struct memphis_left_out *counts = thread ? &thread->left_out : &memphis_retired.left_out;

	atomic_fetch_add_explicit(kind == MEMPHIS_ALLOCATION_SMALL ? &counts->small
				  : memphis_allocates(kind)        ? &counts->allocations
								   : &counts->releases,
				  1, memory_order_relaxed);
}

__attribute__((noinline, cold)) struct memphis_thread_record *memphis_note_enter_rarely(__u32 kind)
{
	int saved = errno;
	struct memphis_thread_record *thread = memphis_self;

	if (memphis_busy & MEMPHIS_NOTING) {
		memphis_note_left_out(thread, kind); /* a signal handler that has interrupted another event */
		return NULL;
	}
	if (memphis_busy)
		return NULL; /* called by the library itself */
	thread = memphis_note_is_below_locks(kind) ? memphis_thread_self_below_malloc()
						   : memphis_thread_self();
	if (thread)
		memphis_busy += MEMPHIS_NOTING;
	else
		memphis_note_left_out(NULL, kind);
	errno = saved;
	return thread;
}
