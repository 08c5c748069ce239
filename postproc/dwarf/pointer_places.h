/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds the registers and stack slots in which the variables of a function hold pointers: the value of a
 * pointer, the address of an automatic array, or the first word of an array descriptor.
 */
#ifndef MEMPHIS_POINTER_PLACES_H
#define MEMPHIS_POINTER_PLACES_H

#include "dwarf/binary.h"
#include "dwarf/cfa.h"
#include "dwarf/pointer_variables.h"

enum memphis_place_base {
	MEMPHIS_IN_REGISTER, /* `offset` is the DWARF number of a general-purpose register */
	/* `offset` is 2 * n for bits 0 to 63 of SSE register n, and 2 * n + 1 for bits 64 to 127. */
	MEMPHIS_IN_VECTOR,
	MEMPHIS_AT_CFA, /* in memory, at an offset from the CFA, from rbp or from rsp */
	MEMPHIS_AT_BP,
	MEMPHIS_AT_SP
};

/* A register or memory location that can hold a pointer. */
struct memphis_place {
	enum memphis_place_base base;
	int64_t offset;
};

/*
 * Reads a DWARF operation that is a register which may point to the frame, or an address relative to such a
 * register (DWARF 5, sections 2.5.1.2 and 2.6.1.1.2). Returns false for other operations.
 */
bool memphis_place_read(const Dwarf_Op *op, struct memphis_place *place);

/* Stores the location to which DW_OP_fbreg is relative at the instruction at `vaddr`. Returns false if it is unknown. */
bool memphis_frame_base_find(Dwarf_Die *function, uint64_t vaddr, struct memphis_place *base);

/* A function that contains the instruction: the function that owns the frame, or one that is inlined into it. */
struct memphis_scope {
	Dwarf_Die die;
	unsigned int line; /* line of the call, if the function is inlined */
	bool returns_pointer;
};

struct memphis_scope_variable {
	Dwarf_Die die;
	const char *name;
	unsigned int line; /* line of the declaration */
	size_t scope;      /* index in `scopes` */
	Dwarf_Die block;   /* innermost lexical block or function that contains the declaration */
	bool automatic;    /* an array whose bounds are computed when the function is entered */
};

/* A location of a variable. It is valid before each instruction in [from, to). */
struct memphis_variable_place {
	uint64_t from, to;
	struct memphis_place place;
	size_t variable;
	/*
	 * True: the location holds the address of the variable. False: the location holds the variable
	 * itself, from offset `part` on.
	 */
	bool behind;
	uint64_t part, bytes;
	/* If not 0, the variable is a pointer, and its value is that of the register plus this number. */
	int64_t plus;
};

struct memphis_pointer_places {
	struct memphis_binary *binary;
	bool fortran;
	struct memphis_scope *scopes; /* outermost first */
	size_t scope_count, scope_room;
	struct memphis_scope_variable *variables; /* in the order of the debug information */
	size_t variable_count, variable_room;
	struct memphis_variable_place *places;
	size_t place_count, place_room;
};

/*
 * Reads the variables of all scopes that contain the instruction at `vaddr`. There are none if the debug
 * information lacks the function. With `all`, reads the variables of all scopes of the function, including
 * variables that the compiler adds, and variables that are the sum of a register and a constant. Each
 * location is valid only in its range of instructions. Returns 0 or -ENOMEM. The caller must close the result
 * in both cases. Locks the binary. Not thread-safe for calls with the same binary.
 */
int memphis_pointer_places_read(struct memphis_binaries *binaries, struct memphis_binary *binary,
				uint64_t vaddr, bool all, struct memphis_pointer_places *places);
void memphis_pointer_places_close(struct memphis_pointer_places *places);

/*
 * Returns true if the variable has this location before the instruction at `vaddr`. The caller must hold the
 * lock of the binary.
 */
bool memphis_variable_place_applies(const struct memphis_pointer_places *places,
				    const struct memphis_variable_place *place, uint64_t vaddr);

/* Converts a location in the frame to an offset from the CFA, if the distance is known. Returns other locations unchanged. */
struct memphis_place memphis_place_in_frame(struct memphis_place place, const struct memphis_cfa *cfa);

/*
 * Calls visit() for each variable that has a pointer in `place` before the instruction at `vaddr`. `part` is
 * the offset of the pointer in the variable.
 */
void memphis_pointer_places_find(const struct memphis_pointer_places *places, uint64_t vaddr,
				 const struct memphis_cfa *cfa, const struct memphis_place *place,
				 void (*visit)(void *context, const struct memphis_variable_place *found,
					       uint64_t part),
				 void *context);

/*
 * Describes the variable with index `variable` as the holder of a block. The pointer to the block is at
 * offset `part` in the variable. With `behind`, the variable itself is the block. The result has rank
 * MEMPHIS_POINTER_OTHER or NONE if there is no pointer. Locks the binary.
 */
void memphis_pointer_places_find_holder(const struct memphis_pointer_places *places, size_t variable,
					bool behind, uint64_t part, struct memphis_pointer_variable *holder);

/*
 * Sets *bytes to the element size multiplied by all constant extents of the array, or to 0 if it is unknown.
 * Returns true if this is the size of the array. Returns false if the size is a multiple of it. Locks the
 * binary.
 */
bool memphis_pointer_places_find_bytes(const struct memphis_pointer_places *places, size_t variable,
				       uint64_t *bytes);

/* Returns true if the instruction at `vaddr` belongs to the scope. Locks the binary. */
bool memphis_scope_contains(const struct memphis_pointer_places *places, size_t scope, uint64_t vaddr);

#endif
