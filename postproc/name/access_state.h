/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The known values of registers and slots of the frame before an instruction, and the effect of the
 * instruction on these values.
 */
#ifndef MEMPHIS_ACCESS_STATE_H
#define MEMPHIS_ACCESS_STATE_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#include "dwarf/pointer_places.h"
#include "dwarf/variables.h"
#include "name/function_code.h"

/* ---- the value of a register: a number, or the address of an object whose type the debug information has ---- */

enum memphis_value_kind {
	MEMPHIS_VALUE_UNKNOWN = 0, /* may be an address, or a distance between addresses */
	MEMPHIS_VALUE_NUMBER,
	MEMPHIS_VALUE_POINTER, /* an address in an array of objects of type `object` */
	MEMPHIS_VALUE_STATIC,  /* a link-time address */
	MEMPHIS_VALUE_FRAME,   /* an address relative to the CFA */
	MEMPHIS_VALUE_THREAD,  /* an address relative to the start of the thread's TLS block of the binary */
	MEMPHIS_VALUE_THREAD_POINTER, /* an address relative to the thread pointer */
	/* becomes an address in the TLS block when it is added to the thread pointer */
	MEMPHIS_VALUE_THREAD_DISTANCE
};

/*
 * The value is `offset` plus any multiple of `step`, relative to what `kind` says; a step of 0 means `offset` alone. Values with the same
 * `origin`, other than 0, are computed from the same number: each is its `offset` plus `factor` times that number.
 */
struct memphis_value {
	enum memphis_value_kind kind;
	int64_t offset;
	uint64_t step;
	uint64_t origin;
	int64_t factor;
	Dwarf_Die object; /* with typedefs; addr is NULL for void */
};

/*
 * Returns the value that is known if it is either `a` or `b`. A null pointer, which is no address of an access, does not weaken the
 * knowledge of the other value. The caller must hold the lock of the binary.
 */
struct memphis_value memphis_value_join(const struct memphis_value *a, const struct memphis_value *b);
bool memphis_value_same(const struct memphis_value *a, const struct memphis_value *b);

#define MEMPHIS_FLOW_SLOTS 24 /* slots of the frame whose contents are followed */

struct memphis_flow_slot {
	int64_t offset; /* offset from the CFA */
	struct memphis_value value;
};

/* The values that are known before an instruction. */
struct memphis_flow_state {
	struct memphis_value registers[16];
	struct memphis_flow_slot slots[MEMPHIS_FLOW_SLOTS];
	size_t slot_count;
};

/* A variable whose value is in a register. */
struct memphis_flow_seed {
	const struct memphis_variable_place *place;
	struct memphis_value value;
};

/* The analysis of a function (name/access_types.h). */
struct memphis_access_flow {
	struct memphis_binary *binary;
	uint64_t low, high;
	struct memphis_function_code code;
	struct memphis_pointer_places places;
	const struct memphis_variables *variables;
	/* the states before the leaders, parallel to code.list; NULL: not reached */
	struct memphis_flow_state **states;
	/* The places in registers, sorted by the address where they begin, with the values of their variables. */
	struct memphis_flow_seed *seeds;
	size_t seed_count, seed_room;
};

/* A part of a variable or type in memory. */
struct memphis_flow_object {
	Dwarf_Die type; /* with typedefs */
	int64_t offset;
	uint64_t step;
};

/* All functions below need the lock of the binary. */

/* Adds the places of variables in registers to flow->seeds. Returns 0 or -ENOMEM. */
int memphis_flow_add_seeds(struct memphis_access_flow *flow);

/*
 * Sets the registers of the variables whose place begins at the instruction; at a leader, sets the registers of all variables that have a
 * place there.
 */
void memphis_flow_apply(const struct memphis_access_flow *flow, struct memphis_flow_state *state,
			const struct memphis_code_op *op);
void memphis_flow_execute(const struct memphis_access_flow *flow, struct memphis_flow_state *state,
			  const struct memphis_code_op *op);
struct memphis_value memphis_flow_address(const struct memphis_flow_state *state,
					  const struct memphis_code_memory *memory);

/*
 * Converts an address relative to the thread pointer to one in the TLS block of the binary, if their distance is known. Returns other
 * values as they are.
 */
struct memphis_value memphis_flow_thread_address(const struct memphis_access_flow *flow,
						 struct memphis_value address);

/* Returns true if the known value of the register says as much as the variable, or more. */
bool memphis_flow_says_more(const struct memphis_value *known, const struct memphis_value *variable);

/* Returns true for void and for types of one byte, through which any object can be accessed. */
bool memphis_flow_is_any(const Dwarf_Die *object);

/* Returns the slot at that offset from the CFA, or NULL. */
const struct memphis_flow_slot *memphis_flow_slot_at(const struct memphis_flow_state *state, int64_t offset);

/* Calls visit() for each variable with a place in the frame at that offset. */
void memphis_flow_visit_slots(const struct memphis_access_flow *flow, int64_t offset, uint64_t vaddr,
			      void (*visit)(const struct memphis_access_flow *flow,
					    const struct memphis_variable_place *place, uint64_t part,
					    void *context),
			      void *context);

/* ---- the array that an indexed address belongs to, in static or thread-local memory, or in the frame ---- */

#define MEMPHIS_FLOW_ARRAYS 2

/*
 * Stores the arrays that instruction `vaddr` may access at `address`, which has kind STATIC, THREAD or FRAME, and a step. Returns their
 * number: 2 if the constant part of the address lies in one array, but so close before another array that it may belong to that one. The
 * caller must hold the lock of the binary.
 */
size_t memphis_flow_arrays(const struct memphis_access_flow *flow, const struct memphis_value *address,
			   uint64_t vaddr, struct memphis_flow_object arrays[MEMPHIS_FLOW_ARRAYS]);

#endif
