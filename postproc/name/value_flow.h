/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Follows the value that a call returns in rax through the machine code after the call. The value may be
 * copied to registers and stack slots, and the function may return it.
 */
#ifndef MEMPHIS_VALUE_FLOW_H
#define MEMPHIS_VALUE_FLOW_H

#include "dwarf/pointer_places.h"

#define MEMPHIS_FLOW_PLACES_MAX 24

/*
 * State before an instruction. The visitor sees only the straight path, which ends at the first condition. A
 * null check of the value does not end it.
 */
struct memphis_flow_step {
	uint64_t vaddr;    /* address of the next instruction */
	uint64_t previous; /* address of the previous instruction; that of the call at the first step */
	/* Registers and stack slots that hold the value. Slots are relative to the CFA if the CFA is known. */
	struct memphis_place places[MEMPHIS_FLOW_PLACES_MAX];
	size_t count;
	struct memphis_cfa cfa;
};

struct memphis_flow_visitor {
	void *context;
	/* Called before each instruction of the straight path. Returns true if no further steps are needed. */
	bool (*step)(void *context, const struct memphis_flow_step *step);
	/*
	 * Called for each instruction on the straight path that stores the value outside the frame. `vaddr`
	 * is the address of the instruction. `slot` is the address of the stored word if it is in static
	 * memory, otherwise 0.
	 */
	void (*stored)(void *context, uint64_t vaddr, uint64_t slot);
};

enum memphis_flow_end {
	MEMPHIS_FLOW_STAYS,    /* the function does not return the value */
	MEMPHIS_FLOW_RETURNED, /* the function returns the value on one of its paths */
	MEMPHIS_FLOW_UNKNOWN   /* not all paths could be followed */
};

/*
 * Follows the value from the call that returns to `vaddr`. The function is at [low, high). Both are 0 if its
 * bounds are unknown. If the tool was built without a disassembler, the visitor sees only the first step.
 */
enum memphis_flow_end memphis_value_flow(struct memphis_binaries *binaries, struct memphis_binary *binary,
					 uint64_t vaddr, uint64_t low, uint64_t high,
					 const struct memphis_flow_visitor *visitor);

#endif
