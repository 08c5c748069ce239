/* SPDX-License-Identifier: BSD-3-Clause */
/* Call stacks of allocations that lines of Python have caused. */
#ifndef MEMPHIS_PYTHON_LINES_H
#define MEMPHIS_PYTHON_LINES_H

#include "core/thread.h"
#include "unwind/python.h"

/* Slow path of memphis_python_stack(). */
__u32 memphis_python_add(struct memphis_thread_record *thread, __u32 native, __u64 caller);

/*
 * Returns the id of a stack that combines the stack `native` with the Python lines that the calling thread
 * executes. Returns `native` if the thread executes no Python, or if the lines could not be stored. `frame`:
 * the allocator's frame. The return address is in the word after its first one.
 */
static inline __u32 memphis_python_stack(struct memphis_thread_record *thread, __u32 native,
					 const void *frame)
{
	if (likely(!atomic_load_explicit(&memphis_python_runs, memory_order_acquire)))
		return native;
	return memphis_python_add(thread, native, ((const __u64 *)frame)[1]);
}

#endif
