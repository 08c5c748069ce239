/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The registers and stack slots in which the variables of a function keep pointers: the address of an
 * automatic array, the first word of an array descriptor, the value of a pointer.
 */
#ifndef MEMPHIS_POINTER_PLACES_H
#define MEMPHIS_POINTER_PLACES_H

#include "dwarf/binary.h"
#include "dwarf/cfa.h"
#include "dwarf/pointer_variables.h"

enum memphis_place_base {
	MEMPHIS_IN_REGISTER, /* `offset` is the DWARF number of a general-purpose register */
	MEMPHIS_IN_VECTOR, /* `offset` is 2 times the number of an SSE register, plus 1 for bits 64 to 127 */
	MEMPHIS_AT_CFA,    /* in memory, at an offset from the CFA, from rbp or from rsp */
	MEMPHIS_AT_BP,
	MEMPHIS_AT_SP
};

/* A place that can hold a pointer. */
struct memphis_place {
	enum memphis_place_base base;
	int64_t offset;
};

/*
 * Reads an operation that is a register which can point to a frame, or an address relative to one (DWARF 5, sections 2.5.1.2 and
 * 2.6.1.1.2). Returns false for any other.
 */
bool memphis_place_read(const Dwarf_Op *op, struct memphis_place *place);

/* Stores the place to which DW_OP_fbreg is relative at the instruction at `vaddr`. Returns false if it is not known. */
bool memphis_frame_base_find(Dwarf_Die *function, uint64_t vaddr, struct memphis_place *base);

/* A function whose code contains the instruction: the function of the frame, or one inlined into it. */
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
	Dwarf_Die block;   /* the innermost lexical block or function around the declaration */
	bool automatic;    /* an array whose bounds are computed when the function is entered */
};

/* A place of a variable while instructions in [from, to) are the next ones to be executed. */
struct memphis_variable_place {
	uint64_t from, to;
	struct memphis_place place;
	size_t variable;
	/* The place holds the address of the variable; otherwise, it holds the variable, from `part` on. */
	bool behind;
	uint64_t part, bytes;
	/* the variable is a pointer whose value is that of the register plus this number; else 0 */
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
 * information lacks the function. With `all`, reads the variables of all scopes of the function. These
 * include variables that the compiler adds, and variables that are the sum of a register and a constant. A
 * place counts only in its range of instructions. Returns 0 or -ENOMEM; the result must be closed in both
 * cases. Locks the binary. Not thread-safe for calls with the same binary.
 */
int memphis_pointer_places_read(struct memphis_binaries *binaries, struct memphis_binary *binary,
				uint64_t vaddr, bool all, struct memphis_pointer_places *places);
void memphis_pointer_places_close(struct memphis_pointer_places *places);

/* Returns true if the place is the variable's when the instruction at `vaddr` is the next one. The caller must hold the lock of the binary. */
bool memphis_variable_place_applies(const struct memphis_pointer_places *places,
				    const struct memphis_variable_place *place, uint64_t vaddr);

/* Returns the place relative to the CFA if it is in the frame and its distance from the CFA is known. */
struct memphis_place memphis_place_in_frame(struct memphis_place place, const struct memphis_cfa *cfa);

/*
 * Calls visit() for each variable that has a pointer in `place` when the instruction at `vaddr` is the next one
 * to be executed. `part` is the offset of the pointer in the variable.
 */
void memphis_pointer_places_find(const struct memphis_pointer_places *places, uint64_t vaddr,
				 const struct memphis_cfa *cfa, const struct memphis_place *place,
				 void (*visit)(void *context, const struct memphis_variable_place *found,
					       uint64_t part),
				 void *context);

/*
 * Describes the variable with index `variable` as the holder of a block, through the pointer at `part`, or as
 * the block itself if `behind`. The result has rank MEMPHIS_POINTER_OTHER or NONE if there is no pointer.
 * Locks the binary.
 */
void memphis_pointer_places_find_holder(const struct memphis_pointer_places *places, size_t variable,
					bool behind, uint64_t part, struct memphis_pointer_variable *holder);

/*
 * Stores the product of all constant extents of the array and its element size in *bytes; 0 if unknown. Returns
 * true if this is the size of the array, false if the size is a multiple of it. Locks the binary.
 */
bool memphis_pointer_places_extent(const struct memphis_pointer_places *places, size_t variable,
				   uint64_t *bytes);

/* Returns true if the instruction at `vaddr` belongs to the scope. Locks the binary. */
bool memphis_scope_contains(const struct memphis_pointer_places *places, size_t scope, uint64_t vaddr);

#endif
