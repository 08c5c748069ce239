/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the object that a call allocates if some source lines allocate several objects, by the order of the calls. */
#ifndef MEMPHIS_CALL_ORDER_H
#define MEMPHIS_CALL_ORDER_H

#include "attribute/join.h"
#include "dwarf/binary.h"

/* A call of an allocator in a process, and the function that contains the call. */
struct memphis_ordered_call {
	struct memphis_join *join;
	size_t process;
	struct memphis_binary *binary;
	uint64_t return_vaddr;
	uint64_t bias; /* run-time address minus link-time address */
	uint64_t function_low, function_high;
	const char *path; /* source file that contains the lines */
};

/*
 * Returns the index of the object that the call allocates, or -1 if this is ambiguous. ALLOCATE(a, b, c)
 * calls the allocator once for each object, in this order. The optimizer may duplicate the calls for special
 * cases. Then only calls with recorded allocations count, and there must be exactly one for each object.
 */
int memphis_call_order_find(const struct memphis_ordered_call *call, unsigned int first, unsigned int last,
			    size_t objects);

#endif
