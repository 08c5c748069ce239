// SPDX-License-Identifier: BSD-3-Clause
/* Finds the position of a call among the calls of the same function on the same lines, in the order of their addresses. */
#include "name/call_order.h"

#include <string.h>

#include "name/calls.h"

/* Returns true if the innermost frame of a recorded call stack is this call. */
static bool has_recorded_stack(const struct memphis_ordered_call *call, uint64_t return_pc)
{
	const struct memphis_strings *stacks = &call->join->list[call->process].process->log->stacks;
	uint64_t pc;
	size_t i;

	for (i = 1; i < stacks->count; i++) {
		if (memphis_strings_bytes(stacks, (uint32_t)i) < 8)
			continue;
		memcpy(&pc, memphis_strings_get(stacks, (uint32_t)i), 8);
		if (pc == return_pc)
			return true;
	}
	return false;
}

/* Removes the calls for which no allocation was recorded. */
static void keep_recorded_calls(const struct memphis_ordered_call *call, struct memphis_calls *calls)
{
	size_t i, kept = 0;

	for (i = 0; i < calls->count; i++)
		if (has_recorded_stack(call, calls->returns[i] + call->bias))
			calls->returns[kept++] = calls->returns[i];
	calls->count = kept;
}

int memphis_call_order_find(const struct memphis_ordered_call *call, unsigned int first, unsigned int last,
			    size_t objects)
{
	struct memphis_calls calls;
	size_t i;

	if (!memphis_calls_find_like(&call->join->processes->binaries, call->binary, call->return_vaddr,
				     call->function_low, call->function_high, call->path, first, last,
				     &calls))
		return -1;
	if (calls.count != objects)
		keep_recorded_calls(call, &calls);
	if (calls.count != objects)
		return -1;
	for (i = 0; i < calls.count; i++)
		if (calls.returns[i] == call->return_vaddr)
			return (int)i;
	return -1;
}
