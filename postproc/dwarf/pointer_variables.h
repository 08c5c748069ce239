/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds the holder of a block, which is the pointer variable that contains the block's address, and the type
 * of the block's elements. The pointer is at a static address (a slot from the HOLDERS chunk of the file), or
 * inside another block.
 */
#ifndef MEMPHIS_POINTER_VARIABLES_H
#define MEMPHIS_POINTER_VARIABLES_H

#include "dwarf/binary.h"
#include "dwarf/type/types.h"

struct memphis_static;

/* A variable that points to a block, and the type of the elements of the block. */
struct memphis_pointer_variable {
	enum memphis_pointer_rank rank;
	/* "tx", "grid%tx" or "field[]", malloc'ed. It is NULL if the rank is MEMPHIS_POINTER_NONE. */
	char *name;
	char *qualified; /* `name` with its module, namespace or function */
	bool fortran;
	struct memphis_binary *binary;         /* use `element` only with binary->lock held */
	const struct memphis_static *variable; /* static variable with which the name begins, or NULL */
	Dwarf_Die element; /* type of the block's elements; addr is NULL if it is unknown */
	Dwarf_Die array;   /* Fortran: type of the array; addr is NULL if it is unknown */
};

/*
 * Finds the variable that contains the pointer at link-time address `slot`. With `indexed`, the name includes
 * the indices in arrays of structures. Locks the binary.
 */
void memphis_pointer_variable_find(struct memphis_binaries *binaries, struct memphis_binary *binary,
				   uint64_t slot, bool indexed, struct memphis_pointer_variable *holder);

/*
 * Finds the pointer at `offset` in a block of `bytes` bytes. The variable `outer` points to this block. The
 * result has rank MEMPHIS_POINTER_NONE if the element type of `outer` is unknown. Locks the binary.
 */
void memphis_pointer_variable_find_in_block(const struct memphis_pointer_variable *outer, uint64_t offset,
					    uint64_t bytes, struct memphis_pointer_variable *holder);
void memphis_pointer_variable_close(struct memphis_pointer_variable *holder);

/*
 * Finds the member with this name. Searches base classes and anonymous unions, too. The caller must hold the
 * lock of the binary.
 */
bool memphis_type_find_member(Dwarf_Die *structure, const char *name, bool fortran, Dwarf_Die *member);

/* ---- element type of a block, from the name to which the allocating line assigns the block ---- */

/*
 * Looks up `name` ("x", "g->tx", "grid%edge%low", "rows[]") in the scope of the instruction at `vaddr`.
 * Stores the type of the elements to which it points. Returns false if the debug information does not contain
 * the name. Locks the binary.
 */
bool memphis_element_find_by_name(struct memphis_binaries *binaries, struct memphis_binary *binary,
				  uint64_t vaddr, const char *name, Dwarf_Die *element, bool *fortran);

/* Returns true if the scope of the instruction at `vaddr` has a number with this name. Locks the binary. */
bool memphis_number_has_name(struct memphis_binaries *binaries, struct memphis_binary *binary, uint64_t vaddr,
			     const char *name);

/*
 * Returns the scope "ns::Domain::" if `name` begins with a member of the class whose member function contains
 * the instruction at `vaddr`. Returns "" if it begins with something else, such as a variable, or NULL if
 * memory is exhausted. The result is malloc'ed. Locks the binary.
 */
char *memphis_member_find_scope(struct memphis_binaries *binaries, struct memphis_binary *binary,
				uint64_t vaddr, const char *name);

#endif
