/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tracks what is known about the values of registers and stack slots before each instruction, and applies the
 * effect of an instruction to these values.
 */
#ifndef MEMPHIS_ACCESS_STATE_H
#define MEMPHIS_ACCESS_STATE_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#include "dwarf/pointer_places.h"
#include "dwarf/variables.h"
#include "name/function_code.h"

/* ---- values of registers: numbers, and addresses of objects with types from the debug information ---- */

enum memphis_value_kind {
	MEMPHIS_VALUE_UNKNOWN = 0, /* anything, including an address or a difference of addresses */
	MEMPHIS_VALUE_NUMBER,
	MEMPHIS_VALUE_POINTER, /* an address in an array of objects of type `object` */
	MEMPHIS_VALUE_STATIC,  /* a link-time address */
	MEMPHIS_VALUE_FRAME,   /* an address in the stack frame, relative to the CFA */
	/* An address in the binary's TLS block of the thread, relative to the start of that block. */
	MEMPHIS_VALUE_THREAD,
	MEMPHIS_VALUE_THREAD_POINTER, /* an address relative to the thread pointer */
	/* A distance from the thread pointer. The sum with the thread pointer is an address in the TLS block. */
	MEMPHIS_VALUE_THREAD_DISTANCE
};

/*
 * The possible values are offset + k * step for any integer k, relative to the base that `kind` names. A step
 * of 0 means that the value is exactly `offset`. Values with the same `origin` other than 0 are computed from
 * the same number n: the value is offset + factor * n.
 */
struct memphis_value {
	enum memphis_value_kind kind;
	int64_t offset;
	uint64_t step;
	uint64_t origin;
	int64_t factor;
	Dwarf_Die object; /* type of the object, possibly a typedef; addr is NULL for void */
};

/*
 * Returns what is known about a value that is either `a` or `b`. If one of them is a null pointer and the
 * other one a typed pointer, returns the latter, because an access through a null pointer does not occur. The
 * caller must hold the lock of the binary.
 */
struct memphis_value memphis_value_join(const struct memphis_value *a, const struct memphis_value *b);
bool memphis_value_same(const struct memphis_value *a, const struct memphis_value *b);

#define MEMPHIS_FLOW_SLOTS 24 /* maximum number of stack slots whose contents are tracked */

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

/* A variable whose location is a register, and the value that its type implies. */
struct memphis_flow_seed {
	const struct memphis_variable_place *place;
	struct memphis_value value;
};

/* The state of the analysis of a function (see name/access_types.h). */
struct memphis_access_flow {
	struct memphis_binary *binary;
	uint64_t low, high;
	struct memphis_function_code code;
	struct memphis_pointer_places places;
	const struct memphis_variables *variables;
	/* For each entry of code.list: the state before it if it is a leader (start of a block) that was reached, or NULL. */
	struct memphis_flow_state **states;
	/* The variables in registers, sorted by the first address at which their location is valid. */
	struct memphis_flow_seed *seeds;
	size_t seed_count, seed_room;
};

/* A part of a variable or type in memory. */
struct memphis_flow_object {
	Dwarf_Die type; /* type of the variable or object, possibly a typedef */
	int64_t offset;
	uint64_t step;
};

/* The caller must hold the lock of the binary for all functions below. */

/* Adds the variables that are in registers to flow->seeds. Returns 0 or -ENOMEM. */
int memphis_flow_add_seeds(struct memphis_access_flow *flow);

/*
 * Updates the registers from the debug information. Sets the registers of the variables whose location begins
 * at this instruction. At a leader (start of a block), sets the registers of all variables that have a location
 * there.
 */
void memphis_flow_apply(const struct memphis_access_flow *flow, struct memphis_flow_state *state,
			const struct memphis_code_op *op);
void memphis_flow_execute(const struct memphis_access_flow *flow, struct memphis_flow_state *state,
			  const struct memphis_code_op *op);
struct memphis_value memphis_flow_address(const struct memphis_flow_state *state,
					  const struct memphis_code_memory *memory);

/*
 * Converts an address relative to the thread pointer to an address in the TLS block of the binary. Returns
 * the value unchanged if it is no such address, or if the distance between the two is unknown.
 */
struct memphis_value memphis_flow_thread_address(const struct memphis_access_flow *flow,
						 struct memphis_value address);

/* Returns true if the known value of the register describes the object at least as exactly as the variable's type does. */
bool memphis_flow_says_more(const struct memphis_value *known, const struct memphis_value *variable);

/* Returns true for void and for types of one byte except arrays. A pointer to such a type may point to any object. */
bool memphis_flow_is_any(const Dwarf_Die *object);

/* Returns the tracked stack slot at that offset from the CFA, or NULL. */
const struct memphis_flow_slot *memphis_flow_slot_at(const struct memphis_flow_state *state, int64_t offset);

/* Calls visit() for each variable whose location in the frame contains that offset from the CFA. */
void memphis_flow_visit_slots(const struct memphis_access_flow *flow, int64_t offset, uint64_t vaddr,
			      void (*visit)(const struct memphis_access_flow *flow,
					    const struct memphis_variable_place *place, uint64_t part,
					    void *context),
			      void *context);

/* ---- the array in static or thread-local memory or in the frame that an indexed address belongs to ---- */

#define MEMPHIS_FLOW_ARRAYS 2

/*
 * Finds the arrays that the instruction at `vaddr` may access. `address` has kind STATIC, THREAD or FRAME,
 * and a step. Returns the number of arrays. There are two if the constant part of the address is in one
 * array, but so little before the next one that the access may be to that one. The caller must hold the lock
 * of the binary.
 */
size_t memphis_flow_arrays(const struct memphis_access_flow *flow, const struct memphis_value *address,
			   uint64_t vaddr, struct memphis_flow_object arrays[MEMPHIS_FLOW_ARRAYS]);

#endif
