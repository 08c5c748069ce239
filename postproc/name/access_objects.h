/* SPDX-License-Identifier: BSD-3-Clause */
/* The objects that a memory operand of an instruction may access. */
#ifndef MEMPHIS_ACCESS_OBJECTS_H
#define MEMPHIS_ACCESS_OBJECTS_H

#include "name/access_flow.h"
#include "profile/reasons.h"

#define MEMPHIS_FLOW_OBJECTS 4

/*
 * Finds the objects that the memory operand of instruction `at`, an index in code.list, may access: several if the debug information has variables of
 * unrelated types in the same place. Returns their number; if that is 0, *reason is set. The caller must hold the lock of the binary.
 */
size_t memphis_access_flow_objects(struct memphis_access_flow *flow, size_t at,
				   const struct memphis_code_memory *memory,
				   struct memphis_flow_object *objects, enum memphis_no_type *reason);

#endif
