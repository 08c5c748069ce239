/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Follows the value that a call returns in rax through the machine code after the call: to registers, to slots
 * in the frame, and to the function's own return.
 */
#ifndef MEMPHIS_VALUE_FLOW_H
#define MEMPHIS_VALUE_FLOW_H

#include "dwarf/pointer_places.h"

#define MEMPHIS_FLOW_PLACES_MAX 24

/* State before an instruction on the straight path: up to the first condition other than "is it null?". */
struct memphis_flow_step {
	uint64_t vaddr;    /* the next instruction */
	uint64_t previous; /* the instruction before it; at the first step, the call */
	/* Places that hold the value; they are relative to the CFA if possible. */
	struct memphis_place places[MEMPHIS_FLOW_PLACES_MAX];
	size_t count;
	struct memphis_cfa cfa;
};

struct memphis_flow_visitor {
	void *context;
	/* Returns true if the caller needs no further steps. */
	bool (*step)(void *context, const struct memphis_flow_step *step);
	/*
	 * Called for each instruction that stores the value in memory: `vaddr` is its address, `slot` that of static memory, or 0 for other
	 * memory.
	 */
	void (*stored)(void *context, uint64_t vaddr, uint64_t slot);
};

enum memphis_flow_end {
	MEMPHIS_FLOW_STAYS,    /* the function does not return the value */
	MEMPHIS_FLOW_RETURNED, /* the function returns the value on one of its paths */
	MEMPHIS_FLOW_UNKNOWN   /* not all paths could be followed */
};

/*
 * Follows the value from the call that returns to `vaddr`, within the function at [low, high); unknown bounds are 0, 0. If the tool was
 * built without a disassembler, there is only the first step.
 */
enum memphis_flow_end memphis_value_flow(struct memphis_binaries *binaries, struct memphis_binary *binary,
					 uint64_t vaddr, uint64_t low, uint64_t high,
					 const struct memphis_flow_visitor *visitor);

#endif
