/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the array that an indexed address belongs to, in static or thread-local memory, or in the frame. */
#ifndef MEMPHIS_ACCESS_ARRAYS_H
#define MEMPHIS_ACCESS_ARRAYS_H

#include "name/access_state.h"

#define MEMPHIS_FLOW_ARRAYS 2

/*
 * Stores the arrays that instruction `vaddr` may access at `address`, of kind STATIC, THREAD or FRAME and with a step. Returns their number: 2 if the
 * constant part of the address lies in one array, but so close before another one that it may belong to that. The caller must hold the
 * lock of the binary.
 */
size_t memphis_flow_arrays(const struct memphis_access_flow *flow, const struct memphis_value *address,
			   uint64_t vaddr, struct memphis_flow_object arrays[MEMPHIS_FLOW_ARRAYS]);

#endif
