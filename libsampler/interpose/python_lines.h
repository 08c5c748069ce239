/* SPDX-License-Identifier: BSD-3-Clause */
/* Call stacks of allocations that lines of Python have made. */
#ifndef MEMPHIS_PYTHON_LINES_H
#define MEMPHIS_PYTHON_LINES_H

#include "core/thread.h"
#include "unwind/python.h"

/* Slow path of memphis_python_stack(). */
__u32 memphis_python_add(struct memphis_thread_record *thread, __u32 native, __u64 caller);

/*
 * Returns the id of the stack that consists of the stack `native` and the lines of Python that the calling thread executes; `native` if it executes none,
 * or they could not be stored. `frame`: that of the allocator, above which is the return address.
 */
static inline __u32 memphis_python_stack(struct memphis_thread_record *thread, __u32 native,
					 const void *frame)
{
	if (likely(!atomic_load_explicit(&memphis_python_runs, memory_order_acquire)))
		return native;
	return memphis_python_add(thread, native, ((const __u64 *)frame)[1]);
}

#endif
