/* SPDX-License-Identifier: BSD-3-Clause */
/* Call stacks of allocations that lines of Python have made. */
#ifndef MEMPHIS_PYTHON_LINES_H
#define MEMPHIS_PYTHON_LINES_H

#include "core/thread.h"
#include "unwind/python.h"

/* Slow path of memphis_python_stack(). */
__u32 memphis_python_add(struct memphis_thread_record *thread, __u32 native);

/*
 * Returns the id of the stack that consists of the stack `native` and the lines of Python that the calling thread executes; `native` if it executes none,
 * or they could not be stored.
 */
static inline __u32 memphis_python_stack(struct memphis_thread_record *thread, __u32 native)
{
	if (likely(!atomic_load_explicit(&memphis_python_runs, memory_order_acquire)))
		return native;
	return memphis_python_add(thread, native);
}

#endif
