/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Follows pointers through a function: what each register holds before each instruction, from the places of variables in the debug
 * information, and from the members that the code loads pointers from.
 */
#ifndef MEMPHIS_ACCESS_FLOW_H
#define MEMPHIS_ACCESS_FLOW_H

#include "name/access_state.h"

/* Analyses the function that contains `vaddr` and has the bounds [low, high). Returns 0 or -ENOMEM; close it in either case. */
int memphis_access_flow_open(struct memphis_access_flow *flow, struct memphis_binaries *binaries,
			     struct memphis_binary *binary, uint64_t vaddr, uint64_t low, uint64_t high);
void memphis_access_flow_close(struct memphis_access_flow *flow);

/*
 * Stores what is known before the instruction with index `at` in flow->code.list. Variables whose locations begin at this instruction
 * are not included. The caller must hold the lock of the binary.
 */
void memphis_flow_state_before(const struct memphis_access_flow *flow, size_t at,
			       struct memphis_flow_state *state);

#endif
